"""Finding one note by its name, and giving a note to a program."""

from __future__ import annotations

from anamnesis.notes.fields import FIELDS, plain
from anamnesis.notes.ids import is_valid_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.note import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

NOTE_URI = "memory://note/"


def show(store: MemoryStore, given: str) -> ReadNote:
    """The note with an id, an address, or enough of the start or end of an id.

    Raises NoSuchNote, or SeveralMatch if more than one note has such an id.
    """
    return find(store, given) or store.require(store.resolve_id(given))


def find(store: MemoryStore, given: str) -> ReadNote | None:
    """The note with exactly this id or address, or None."""
    note_id = given.removeprefix(NOTE_URI)
    return store.read(note_id) if is_valid_id(note_id) else None


def note_dict(note: Memory, *, body: bool = True, for_tools: bool = False) -> dict[str, object]:
    """A note as programs are given it: every key of its file, or those that the tools show.

    Keys that this version does not know (`extra`) are there only if the file has any.
    """
    found: dict[str, object] = {
        name: plain(note, name)
        for name, row in FIELDS.items()
        if (row.shown if for_tools else row.key)
    }
    if note.extra and not for_tools:
        found["extra"] = note.extra
    return {**found, "body": note.body} if body else found
