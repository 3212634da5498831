"""Where a note comes from: what its origin says, or else its source."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.fields import Memory

# Kinds of origin that say who really wrote a note whose source is a person: agents write as one.
ORIGINS = ("agent", "import", "repository")
PERSON = "human"
_IN_WORDS = {
    PERSON: "written by a person",
    "agent": "written by an agent",
    "session-end": "captured from a session",
    "reflection": "distilled by reflection",
    "import": "imported",
    "repository": "carried by the repository",
}


SHOWN = tuple(_IN_WORDS)  # what `source_of` says of the notes that this version writes


def is_carried(note: Memory) -> bool:
    """Whether a note is a repository's rather than yours."""
    return note.origin.startswith("repository:")


def source_of(note: Memory) -> str:
    """The source of a note: an agent or an import if its origin says so, though it says a person.

    A reflection stays one: its origin is that of the notes it was made from.
    """
    kind = note.origin.partition(":")[0]
    return kind if note.prov_source == PERSON and kind in ORIGINS else note.prov_source


def source_in_words(note: Memory) -> str:
    """The source of a note in words, and which agent or program: `imported (mem0)`."""
    source = source_of(note)
    kind, _, name = note.origin.partition(":")
    words = _IN_WORDS.get(source, source)
    if not name:
        return words
    return f"{words} ({name})" if kind == source else f"{words} ({kind} {name})"
