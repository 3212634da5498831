"""Finding one note by its id, and notes as dictionaries."""

from __future__ import annotations

from anamnesis.ground.errors import NoSuchNote
from anamnesis.notes.fields import FIELDS, is_valid_id, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

NOTE_URI = "memory://note/"
_SHORTEST = 5  # characters of a short id: fewer would soon be ambiguous


def show(store: MemoryStore, given: str) -> ReadNote:
    """The note with an id, an address, or enough of the start or end of an id.

    Raises NoSuchNote, or SeveralMatch if more than one note has such an id.
    """
    try:
        return find(store, given) or store.require(store.resolve_id(given))
    except NoSuchNote as error:
        if carried := _of_repository(store, given):
            return carried
        from anamnesis.history import undo

        removed_by = undo.removal_of(store.home, given.removeprefix(NOTE_URI))
        raise NoSuchNote(error.note_id, removed_by=removed_by) from None


def find(store: MemoryStore, given: str) -> ReadNote | None:
    """The note with exactly this id or address, or None."""
    note_id = given.removeprefix(NOTE_URI)
    if not is_valid_id(note_id):
        return None
    if store.beside is not None and note_id in store.doubles([note_id]).shared:
        return store.beside.read(note_id)
    return store.read(note_id) or (store.beside.read(note_id) if store.beside else None)


def _of_repository(store: MemoryStore, given: str) -> ReadNote | None:
    """The repository's note with enough of an id; yours come first."""
    if store.beside is None:
        return None
    try:
        return store.beside.require(store.beside.resolve_id(given))
    except NoSuchNote:
        return None


def short_ids(store: MemoryStore, ids: Sequence[NoteId]) -> dict[str, str]:
    """For each id its shortest ending, of five characters or more, that `show` accepts."""
    from anamnesis.index import browse

    return shortest_endings(ids, among=store.ask(browse.ids))


def shortest_endings(ids: Iterable[str], *, among: Iterable[str]) -> dict[str, str]:
    """For each id its shortest ending, of five characters or more, that no other id has."""
    starts: dict[str, list[str]] = {}
    ends: dict[str, list[str]] = {}
    for known in among:
        starts.setdefault(known[:_SHORTEST].upper(), []).append(known.upper())
        ends.setdefault(known[-_SHORTEST:].upper(), []).append(known.upper())

    def is_ambiguous(ending: str, whole: str) -> bool:
        alike = (*starts.get(ending[:_SHORTEST], ()), *ends.get(ending[-_SHORTEST:], ()))
        return any(
            other != whole and (other.startswith(ending) or other.endswith(ending))
            for other in alike
        )

    def shortest(note_id: str) -> str:
        whole = note_id.upper()
        endings = (whole[-length:] for length in range(_SHORTEST, len(whole)))
        fitting = (e for e in endings if e[0].isalnum() and not is_ambiguous(e, whole))
        return note_id[-len(next(fitting, whole)) :]

    return {note_id: shortest(note_id) for note_id in ids}


def note_dict(
    note: Memory, *, body: bool = True, for_tools: bool = False, warning: str = ""
) -> dict[str, object]:
    """A note as a dictionary: every key of its file, or those that the tools show.

    Keys that this version does not know (`extra`) are there only if the file has any, `warning`
    only if agents are not given the note unasked.
    """
    found: dict[str, object] = {
        name: plain(note, name)
        for name, row in FIELDS.items()
        if (row.shown if for_tools else row.key)
    }
    if note.extra and not for_tools:
        found["extra"] = note.extra
    if body:
        found["body"] = note.body
    return {**found, "warning": warning} if warning else found
