"""Works in a child that dies before its N-th effect: a write, a rename, a program, …

Python tells an audit hook of each of them before it happens, so the program under test knows
nothing of being watched, and every place between two effects is tried exactly once. Requests
come as lines of JSON; each is carried out by a fork, which saves starting Python every time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from anamnesis.config import Home
from anamnesis.notes import tree
from anamnesis.onboard import uninstall
from anamnesis.operations.curate import forget as forgetting
from anamnesis.store import MemoryStore
from anamnesis.sync import cycle, git, recovery, worktree
from anamnesis.sync import purge as purging
from anamnesis.sync.sealed import transport
from support import onboard as onboard_support

LOADED = (cycle, git, recovery, purging, transport, worktree)  # before the fork, once for all
EFFECTS = {"os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod"}
# A death before one of these leaves what a death before the effect after it leaves.
READING = {
    "cat-file", "diff-tree", "log", "ls-tree", "merge-base", "rev-list", "rev-parse",
}  # fmt: skip


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
    if event == "subprocess.Popen":
        return READING.isdisjoint(map(str, arguments[1]))  # type: ignore[call-overload]
    return event in EFFECTS


def _backend(home: str, remote: str) -> git.GitSyncBackend:
    return git.GitSyncBackend(
        os.path.join(home, "memory"), remote=remote, machine_id=os.path.basename(home),
        sealed=os.path.isdir(os.path.join(home, "keys")),
    )  # fmt: skip


def sync(number: int, home: str, remote: str) -> None:
    backend = _backend(home, remote)
    sys.dont_write_bytecode = True
    die_before(number)
    backend.sync()


def forget(number: int, home: str) -> None:
    with MemoryStore(home) as store:
        ids = [note.id for note in store.headers()]
        sys.dont_write_bytecode = True
        die_before(number)
        forgetting.forget(store, ids)


def purge(number: int, home: str, remote: str) -> None:
    backend = _backend(home, remote)
    sys.dont_write_bytecode = True
    die_before(number)
    backend.purge(tree.forgotten(home))


def set_up(number: int, home: str, *, agents: str, leave: bool) -> None:
    os.environ.update(HOME=home, ANAMNESIS_HOME=os.path.join(home, ".anamnesis"))
    sys.dont_write_bytecode = True
    die_before(number)
    if leave:
        uninstall.leave(Home(os.environ["ANAMNESIS_HOME"]))
    else:
        onboard_support.set_up(Path(os.environ["ANAMNESIS_HOME"]), agents=agents)


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.environ["PATH"] = request.pop("path")
            WORK[request.pop("work")](request.pop("number"), **request)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


WORK: dict[str, Callable[..., None]] = {
    "forget": forget, "purge": purge, "set_up": set_up, "sync": sync,
}  # fmt: skip

if __name__ == "__main__":
    main()
