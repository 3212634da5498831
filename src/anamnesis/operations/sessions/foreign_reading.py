"""Notes that an agent wrote after its session had read the web or another server's tools.

What the session read may have told the agent what to remember, so the notes are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.config import resolve_machine_id
from anamnesis.ground.records import replace
from anamnesis.index.queries import written_by_agents
from anamnesis.store import MemoryStore
from anamnesis.trust import policy

if TYPE_CHECKING:
    from anamnesis.capture.foreign import ForeignReading
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

_SECONDS = len("2026-11-17T10:00:00")


def mark_notes(home: Home, reading: ForeignReading) -> list[str]:
    """Mark the notes that a session's agent wrote after reading elsewhere; returns their ids."""
    with MemoryStore(home) as store:
        machine, began = resolve_machine_id(), reading.began[:_SECONDS]
        notes = store.ask(lambda db: written_by_agents(db, since=began, machine=machine))
        marked = [note.id for note in notes if note.id in reading.notes and _is_unmarked(note)]
        for note_id in marked:
            store.revise(note_id, _marked)
    return marked


def _is_unmarked(note: Memory) -> bool:
    return not note.origin.endswith(policy.AFTER_WEB)


def _marked(note: Memory) -> Memory:
    if not _is_unmarked(note):
        return note  # by another capture, since it was looked up
    origin = f"{note.origin}{policy.AFTER_WEB}"
    return replace(note, origin=origin, tags=policy.new_tags(origin, note.tags))
