"""Pinning notes: nothing replaces them, and they are injected first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.history import undo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.fields import NoteId
    from anamnesis.store import MemoryStore

PINNED = "pinned"


def pin(store: MemoryStore, ids: Iterable[NoteId], *, pinned: bool = True) -> undo.Unit | None:
    """Pin notes, or unpin them; raises NoSuchNote."""
    pairs = []
    for note_id in ids:
        read = store.require(note_id)
        others = [tag for tag in read.note.tags if tag != PINNED]
        pairs.append((read, replace(read.note, tags=[*others, PINNED] if pinned else others)))
    summary = f"{counted(len(pairs), 'note')} {'pinned' if pinned else 'unpinned'}"
    return undo.apply(store, undo.changes_of(store, pairs), kind="pin", summary=summary)
