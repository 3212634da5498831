"""Starting Anamnesis commands in the background, cheaply enough for hooks."""

from __future__ import annotations

import os
import sys
import time

from anamnesis import config
from anamnesis.ground import atomic, locks
from anamnesis.ground.errors import NoHome
from anamnesis.ground.system import let_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.config import Home

REINDEX = ("reindex", "--if-needed")
_LONGEST_SECONDS = 600.0
_ENTRY = "import sys; from anamnesis.cli import main; sys.exit(main())"


def start(arguments: Sequence[str]) -> None:
    """Run `anamnesis <arguments>` so that it outlives this process and the client.

    It gets a session of its own and no streams: clients kill what belongs to them, and wait for
    the last copy of a pipe to be closed.
    """
    argv = _argv(arguments)
    child = _spawned(argv)
    if child:
        let_go(child)
    else:
        from anamnesis.ground import process

        process.detach(argv)


def update_index(home: Home) -> None:
    """Have the index built or updated, unless another process is already doing so."""
    if any(locks.is_held(home.lock(name)) for name in ("rebuild", "scan")):
        return
    from anamnesis.hooks import runs

    runs.note_run(home, "reindex", did="started in the background")
    start(REINDEX)


def complete(arguments: Sequence[str]) -> None:
    """Run `anamnesis <arguments>` and wait for it; it continues if this process is killed."""
    argv = _argv(arguments)
    child = _spawned(argv)
    if child:
        os.waitpid(child, 0)
    else:
        from anamnesis.ground import process

        process.run(argv, timeout=_LONGEST_SECONDS)


def push_if_ephemeral() -> None:
    """Push the notes of an ephemeral machine before this process ends."""
    try:
        ephemeral = config.is_ephemeral()
    except NoHome:  # so nothing was written here
        return
    if ephemeral:
        complete(["sync"])


def start_now_and_then(home: Home, arguments: Sequence[str], *, every: float) -> None:
    """Start it at most once per interval; on rare occasions two sessions may both do so."""
    marker = home.state(f"last-{'-'.join(arguments).replace('--', '')}")
    try:
        if time.time() - os.stat(marker).st_mtime < every:
            return
        if not os.access(marker, os.W_OK):
            return  # what it would do could not be saved either
        os.utime(marker)
    except FileNotFoundError:
        atomic.write_text(marker, "")
    start(arguments)


def _argv(arguments: Sequence[str]) -> list[str]:
    # -P: a file named like a module in the directory of the session must not be imported.
    return [sys.executable, "-P", "-c", _ENTRY, *arguments]


def _spawned(argv: list[str]) -> int:
    """The child's id, or 0 if the system cannot do this; 8 ms faster than subprocess."""
    if not hasattr(os, "posix_spawn"):
        return 0
    null = os.devnull
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
    ]
    try:
        return os.posix_spawn(argv[0], argv, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:
        return 0
