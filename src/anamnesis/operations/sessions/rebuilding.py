"""A hook that finds no index has one built in the background and goes on without it."""

from __future__ import annotations

from anamnesis.ground import locks
from anamnesis.hooks import background, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.config import Home

ARGUMENTS = ("reindex", "--if-needed")


def rebuild_in_background(home: Home) -> None:
    """Start rebuilding the index, unless another process is doing so."""
    if locks.is_held(home.lock("rebuild")):
        return
    runs.note_run(home, "reindex", did="started in the background")
    background.start(ARGUMENTS)
