"""What any way of moving notes between machines offers, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What one sync did. Expected troubles are told here, not raised."""

    pushed: bool = False  # whether the remote took something from us
    pulled: int = 0  # commits of other machines that arrived
    conflicted: bool = False  # whether notes are held until a person chooses
    head: str | None = None  # the short id of the last commit, None before the first
    detail: str = ""  # the outcome in one sentence
    conflicts: tuple[str, ...] = ()  # the ids of the held notes
    changed: tuple[str, ...] = ()  # files written or removed here, relative to the store's root
    committed: tuple[str, ...] = ()  # files that were edited here, likewise
    held_back: tuple[str, ...] = ()  # `path: reason` of files that do not travel
    offline: bool = False  # the remote did not answer; the next sync goes on
    error: str = ""  # what a person has to put right, if anything
    hint: str = ""  # how

    @property
    def done(self) -> bool:
        """Whether no person is needed: offline counts as done, it heals by itself."""
        return not (self.error or self.conflicted)


@dataclass(frozen=True, slots=True)
class SyncState:
    """How this machine stands towards the others, without asking the network."""

    initialized: bool = False
    remote: str | None = None
    head: str | None = None
    dirty: bool = False
    detail: str = ""
    ahead: int = 0  # commits that the remote does not have yet
    behind: int = 0  # commits that were fetched but not taken over
    held: tuple[str, ...] = ()  # the ids of notes with a conflict
    held_back: tuple[str, ...] = ()  # `path: reason` of files that do not travel
    last_success: str | None = None
    last_error: str | None = None
    offline_since: str | None = None  # no failure: the next sync goes on
    offline_reason: str | None = None


class SyncBackend(Protocol):
    """Moves the notes of one machine to the others and back."""

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        """Exchange changes with the other machines; never loses a note of either side.

        A side that suddenly has no notes at all deletes nothing, unless that is accepted.
        """

    def state(self) -> SyncState:
        """Where this machine stands; cheap, and without the network."""
