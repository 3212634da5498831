"""A hook that finds no index has one built behind it, and goes on without."""

from __future__ import annotations

import os

from anamnesis.ground import locks
from anamnesis.hooks import background, runs

ARGUMENTS = ("reindex", "--if-needed")


def rebuild_in_background(home: str) -> None:
    """Begin to rebuild the index, unless somebody already does."""
    if locks.is_held(os.path.join(home, "locks", "rebuild.lock")):
        return
    runs.note_run(home, "reindex", did="begun in the background")
    background.start(ARGUMENTS)
