"""Starting our own commands in the background, cheaply enough for the hook path."""

from __future__ import annotations

import os
import sys
import time

from anamnesis.ground import atomic
from anamnesis.ground.children import let_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.ground.home import Home

_ENTRY = "import sys; from anamnesis.cli import main; sys.exit(main())"


def start(arguments: Sequence[str]) -> None:
    """Run `anamnesis <arguments>` so that it outlives this process and the client.

    It gets a session of its own and no streams: clients kill what belongs to them, and wait for
    the last copy of a pipe to be closed.
    """
    # -P: a file named like a module in the directory of the session must not be imported.
    argv = [sys.executable, "-P", "-c", _ENTRY, *arguments]
    if not _spawn(argv):
        from anamnesis.ground import process

        process.detach(argv)


def start_now_and_then(home: Home, arguments: Sequence[str], *, every: float) -> None:
    """Do the same at most once in so many seconds, give or take a race between two sessions."""
    marker = home.state(f"last-{'-'.join(arguments).replace('--', '')}")
    try:
        if time.time() - os.stat(marker).st_mtime < every:
            return
    except FileNotFoundError:
        atomic.write_text(marker, "")
    os.utime(marker)
    start(arguments)


def _spawn(argv: list[str]) -> bool:
    # Eight milliseconds less than subprocess, where the system can do it.
    if not hasattr(os, "posix_spawn"):
        return False
    null = os.devnull
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
    ]
    try:
        child = os.posix_spawn(argv[0], argv, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:
        return False
    let_go(child)
    return True
