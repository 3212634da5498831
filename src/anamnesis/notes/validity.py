"""What may become a note, and where it may stay."""

from __future__ import annotations

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import FIELDS, WORDS
from anamnesis.notes.note import TYPES, Memory, UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = [name for name, row in FIELDS.items() if row.kind == WORDS]


def storable(note: Memory) -> Memory:
    """The note as it will be read back, or InvalidInput if it cannot be."""
    words = {name: _distinct(getattr(note, name)) for name in _WORDS}
    note = tree.without_lone_surrogates(replace(note, **words))
    try:
        tree.path_of(note)
    except UnreadableNote as error:
        raise InvalidInput(f"The note cannot be stored: {error.reason}.") from error
    if len(tree.encode(note)) > tree.MAX_NOTE_BYTES:
        raise InvalidInput(
            f"The note {note.title[:60]!r} is larger than 1 MiB.",
            hint="Keep the essence in the note and name the file that holds the rest.",
        )
    return note


def may_stay(path: str, note: Memory) -> bool:
    """Whether a note may stay in a file: its tree and type are still those of the place."""
    name, *_, folder, _ = path.split("/")
    return name == tree.tree_of(note.scope) and (folder == note.type or folder not in TYPES)


def require_one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not in the list, naming the list."""
    if value not in allowed:
        raise InvalidInput(f"{field} {value!r} is none of: {', '.join(allowed)}.")


def _distinct(words: Iterable[object]) -> list[str]:
    """Words that differ, each on one line."""
    plain = dict.fromkeys(" ".join(str(word).split()) for word in words)
    return [word for word in plain if word]
