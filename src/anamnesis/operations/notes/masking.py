"""Secrets in the files of notes, kept from agents.

What is written through Anamnesis has none. A file that you edited by hand may hold one: then its
value is masked wherever an agent reads the note, and the rest of the note is given.
"""

from __future__ import annotations

from anamnesis.ground.records import replace
from anamnesis.index.rows import have_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore


def masked(store: MemoryStore, text: str, *, of: Iterable[NoteId]) -> str:
    """A text made from some notes, without the values of secrets that you have not allowed.

    The index knows which notes have one, so that a hook need not look for any.
    """
    ids = list(of)
    if not text or not any(store.ask_each(lambda db: have_secrets(db, ids))):
        return text
    return masked_text(store.home, text)


def masked_text(home: Home, text: str) -> str:
    """The same for a text of which no index says where it comes from."""
    from anamnesis.secrets import allow_list, redact  # few texts need it, and loading it takes time

    return redact(text, allow=allow_list(home))


def masked_note(store: MemoryStore, note: Memory) -> Memory:
    """A note as an agent may read it."""
    title, body = (masked(store, text, of=[note.id]) for text in (note.title, note.body))
    unchanged = (title, body) == (note.title, note.body)
    return note if unchanged else replace(note, title=title, body=body)
