"""Layer 3: git moves the notes between machines, and never the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.sync.backend import SyncBackend, SyncResult, SyncState

if TYPE_CHECKING:
    from anamnesis.sync.git import _BRANCH, GitSyncBackend

__all__ = ["_BRANCH", "GitSyncBackend", "SyncBackend", "SyncResult", "SyncState"]


def __getattr__(name: str) -> object:
    """Load the git backend when it is asked for: a server starts long before its first sync."""
    if name not in ("GitSyncBackend", "_BRANCH"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anamnesis.sync import git

    return getattr(git, name)
