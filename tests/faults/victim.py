"""Syncs one machine and dies before its N-th effect: a write, a rename, a removal, a program.

Python tells an audit hook of each of them before it happens, so the program under test knows
nothing of being watched, and every place between two effects is tried exactly once.
"""

from __future__ import annotations

import os
import signal
import sys

EFFECTS = {"os.rename", "os.remove", "os.truncate", "os.chmod", "subprocess.Popen"}


def die_before(number: int) -> None:
    count = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if not _has_effect(event, arguments):
            return
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def _has_effect(event: str, arguments: tuple[object, ...]) -> bool:
    if event == "os.mkdir":
        return not os.path.isdir(str(arguments[0]))
    if event == "open":
        path, _, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        return bool(writes) and isinstance(path, str) and path != os.devnull
    return event in EFFECTS


def main(number: str, home: str, remote: str) -> None:
    from anamnesis.sync.git import GitSyncBackend

    backend = GitSyncBackend(
        os.path.join(home, "memory"), remote=remote, machine_id=os.path.basename(home)
    )
    sys.dont_write_bytecode = True
    die_before(int(number))
    backend.sync()


if __name__ == "__main__":
    main(*sys.argv[1:])
