"""Merging several notes into one, which supersedes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis.ground import clock
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.notes.fields import new_id
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore


def merged_note(
    store: MemoryStore, ids: Sequence[NoteId], *, machine_id: str, title: str = "", body: str = ""
) -> Memory:
    """One note made from several: every paragraph once, in the order given.

    Raises NoSuchNote, and InvalidInput for a single note or notes of different projects or scopes.
    """
    notes = [store.require(note_id).note for note_id in dict.fromkeys(ids)]
    if len(notes) < 2:
        raise InvalidInput(
            "Name at least two notes to merge.", hint="To find duplicates:  anamnesis dedup"
        )
    if len({(note.project, note.scope) for note in notes}) > 1:
        raise InvalidInput(
            "The notes belong to different projects or scopes.",
            hint="Move them first:  anamnesis migrate, anamnesis move",
        )
    now = clock.utcnow()
    return replace(
        notes[0],
        id=new_id(),
        title=title or notes[0].title,
        body=body or _joined(note.body for note in notes),
        tags=_tags_of(notes),
        origin=policy.lowest(note.origin for note in notes),
        machine_id=machine_id,
        created_at=now,
        updated_at=now,
        prov_source="human",
        prov_model="",
        prov_session="",
        confidence=1.0,
        supersedes=" ".join(note.id for note in notes),
        extra="",
    )


def merge(store: MemoryStore, note: Memory) -> undo.Unit | None:
    """Write the merged note; the others are superseded but stay on disk."""
    changes = undo.changes_of(store, [(None, note)])
    return undo.apply(store, changes, kind="merge", summary=f"merged into {note.id}")


def _tags_of(notes: Sequence[Memory]) -> list[str]:
    """Every tag once; a merged note is to be reviewed if one of its parts was."""
    waits = any(policy.why_not(note.origin, note.tags) for note in notes)
    kept = dict.fromkeys(tag for note in notes for tag in note.tags if tag != "pending")
    return [*kept, *(["pending"] if waits else [])]


def _joined(bodies: Iterable[str]) -> str:
    paragraphs: dict[str, str] = {}
    for body in bodies:
        for paragraph in re.split(r"\n\s*\n", body.strip()):
            paragraphs.setdefault(" ".join(paragraph.split()).lower(), paragraph)
    return "\n\n".join(paragraphs.values())
