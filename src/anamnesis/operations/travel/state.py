"""Where this machine stands towards the others, measured again only after something changed."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from anamnesis.operations.travel.sync import sync_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anamnesis.config import Home
    from anamnesis.sync import SyncState

_REFS = ("HEAD", "packed-refs", "refs/heads/main", "refs/remotes/origin/main")
_CACHE = "index"  # of git, which measuring itself brings up to date


class KnownState:
    """The state of sync of one store; `contents` says what differs after each change of a note.

    To compare 50,000 files with the last commit takes git a tenth of a second, and several pages
    ask for it.
    """

    def __init__(self, home: Home, contents: Callable[[], str]) -> None:
        self._home = home
        self._contents = contents
        self._lock = threading.Lock()
        self._known: tuple[tuple[object, ...], SyncState] | None = None

    def __call__(self) -> SyncState:
        """The state as it is now."""
        with self._lock:
            marks = (self._contents(), *self._marks())
            if self._known is None or self._known[0] != marks:
                self._known = (marks, sync_state())
            return self._known[1]

    def _marks(self) -> Iterator[tuple[object, ...]]:
        """What a commit, a sync, a conflict or another program's new file leaves different."""
        git = os.path.join(self._home.memory, ".git")
        own = os.path.join(git, "anamnesis")
        for folder in (self._home.memory, self._home.conflicts, own):
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else ()
            yield from (_mark(folder, name) for name in names if name not in (_CACHE, ".git"))
        yield _mark(self._home, "config.json")
        yield from (_mark(git, ref) for ref in _REFS)


def _mark(folder: str, name: str) -> tuple[object, ...]:
    try:
        status = os.stat(os.path.join(folder, name))
    except OSError:
        return (name,)
    return (name, status.st_mtime_ns, status.st_size, status.st_ino)
