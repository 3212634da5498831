"""Bringing this machine's index up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground import locks
from anamnesis.ground.errors import StoreBusy
from anamnesis.hooks import background
from anamnesis.index import browse
from anamnesis.search import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anamnesis.store import Changes, MemoryStore, Unreadable


_WORTH_A_PROCESS = 500  # notes; encoding them takes as long as starting Python


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

    Also computes what new notes mean; in the background if that would keep you waiting.
    """
    if only_if_needed:
        store.refresh()  # opening the store has built a missing index
        notes = len(store.headers())
    else:
        notes = store.reindex(progress)
    complete(store, in_foreground=in_foreground)
    if store.beside is not None:
        complete(store.beside, in_foreground=False)
    return Reindexed(notes, store.unreadable())


def complete(store: MemoryStore, *, in_foreground: bool = True) -> None:
    """Do what indexing many notes put off: compute what they mean."""
    if in_foreground and len(store.ask(engine.not_understood)) > _WORTH_A_PROCESS:
        background.start(background.REINDEX)
        return
    try:
        with locks.held(store.home.lock("scan"), name="meaning of new notes", timeout=0):
            store.understand()
    except StoreBusy:
        return  # another process is doing it


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
