"""Layer 3: git moves the notes between machines, and never the database.

Any other way of moving them is a `SyncBackend` too; tests/contract/ says what it must do.
"""

from __future__ import annotations

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from anamnesis.sync.git import _BRANCH, GitSyncBackend
else:
    Protocol = object

__all__ = ["_BRANCH", "GitSyncBackend", "SyncBackend", "SyncResult", "SyncState"]


BUSY = "another sync is running"  # how the detail of a sync begins that did nothing for that


@record
class SyncResult:
    """What one sync did. Expected trouble is reported here, not raised."""

    pushed: bool = False  # whether the remote took something from us
    pulled: int = 0  # commits of other machines that arrived
    conflicted: bool = False  # whether notes are held until you choose
    head: str | None = None  # the short id of the last commit, None before the first
    detail: str = ""  # the outcome in one sentence
    conflicts: tuple[str, ...] = ()  # the ids of the held notes
    changed: tuple[str, ...] = ()  # files written or removed here, relative to the store's root
    committed: tuple[str, ...] = ()  # files that were edited here, likewise
    sent: int = 0  # notes that the remote took from us, changed or removed
    held_back: tuple[str, ...] = ()  # `path: reason` of files that are not synced
    offline: bool = False  # the remote did not answer; the next sync continues
    error: str = ""  # what you have to fix, if anything
    hint: str = ""  # how
    unfinished: bool = False  # whether the next sync has files to write that this one left to it

    @property
    def received(self) -> int:
        """How many notes of other machines were written or removed here."""
        return sum(path.endswith(".md") for path in self.changed)

    @property
    def busy(self) -> bool:
        """Whether nothing was done because another sync is at work."""
        return self.detail.startswith(BUSY)

    @property
    def done(self) -> bool:
        """Whether nothing needs you: offline counts as done, the next sync continues."""
        return not (self.error or self.conflicted)


@record
class SyncState:
    """The sync state of one machine, without asking the network."""

    initialized: bool = False
    remote: str | None = None
    head: str | None = None
    dirty: bool = False
    detail: str = ""
    ahead: int = 0  # commits that the remote does not have yet
    behind: int = 0  # commits that were fetched but not taken over
    held: tuple[str, ...] = ()  # the ids of notes with a conflict
    held_back: tuple[str, ...] = ()  # `path: reason` of files that are not synced
    last_success: str | None = None
    last_error: str | None = None
    offline_since: str | None = None  # not a failure: the next sync continues
    offline_reason: str | None = None


class SyncBackend(Protocol):
    """Moves the notes of one machine to the others and back."""

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        """Exchange changes with the other machines; never loses a note of either side.

        A side that suddenly has no notes, or lost most of many, deletes nothing unless that is
        accepted.
        """

    def state(self) -> SyncState:
        """The sync state of this machine; cheap, and without the network."""


def __getattr__(name: str) -> object:
    """Load the git backend on first use: a server starts long before its first sync."""
    if name not in ("GitSyncBackend", "_BRANCH"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anamnesis.sync import git

    return getattr(git, name)
