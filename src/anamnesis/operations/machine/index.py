"""Bringing this machine's index up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.hooks import background
from anamnesis.index import browse
from anamnesis.search import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anamnesis.store import Changes, MemoryStore, Unreadable


BEHIND = ("reindex", "--if-needed")
_WORTH_A_PROCESS = 500  # notes; computing the meaning of this many takes as long as starting Python


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many notes the index holds, and the files that cannot be read as notes."""

    notes: int
    unreadable: Sequence[Unreadable]


def reindex(
    store: MemoryStore,
    *,
    only_if_needed: bool = False,
    in_foreground: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Reindexed:
    """Rebuild the index from the files, or only bring it up to date if it can be used.

    Also computes what the notes mean; in the background if that would keep you waiting.
    """
    if only_if_needed:
        store.refresh()  # opening the store has built a missing index
        notes = len(store.headers())
    else:
        notes = store.reindex(progress)
    understand(store, in_foreground=in_foreground)
    return Reindexed(notes, store.unreadable())


def understand(store: MemoryStore, *, in_foreground: bool = True) -> None:
    """Compute what new notes mean, so that no search has to."""
    if in_foreground and len(store.ask(engine.not_understood)) > _WORTH_A_PROCESS:
        background.start(BEHIND)
    else:
        store.understand()


def refresh(store: MemoryStore) -> Changes:
    """Compare every file with the index, edits in place included. Raises StoreBusy."""
    return store.refresh()


def notice_changes(store: MemoryStore) -> None:
    """Index what other programs added, renamed or removed; much cheaper than a refresh."""
    store.headers(limit=0)


def unreadable(store: MemoryStore) -> Sequence[Unreadable]:
    """The files that cannot be read as notes, each with the reason."""
    return store.unreadable()


def sqlite_version(store: MemoryStore) -> str:
    """The version of SQLite that the index is kept with."""
    return store.ask(browse.engine)
