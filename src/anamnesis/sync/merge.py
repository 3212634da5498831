"""The three-way merge of one note, field by field; pure.

Two machines that touch different fields, or different lines of the body, never need a person.
Where both gave one field different values only a person can choose, so nothing is chosen here.
"""

from __future__ import annotations

from anamnesis.ground.records import record, replace
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.notes.note import UnreadableNote
from anamnesis.sync.diff3 import merge_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.notes.note import Memory

_CHOSEN = ("type", "title", "project", "scope", "confidence")  # a person's words: never guessed
_ORIGIN = ("machine_id", "prov_source", "prov_model", "prov_session")  # facts about one writer


@record
class Merged:
    """One text out of two, or the names of the fields that both sides gave another value."""

    data: bytes | None
    clashes: tuple[str, ...] = ()


def three_way(base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
    """Both edits of a file. Without a base every difference between the sides counts as an edit."""
    if theirs in (base, mine):
        return Merged(mine)
    if mine == base:
        return Merged(theirs)
    try:
        notes = deserialize(mine.decode()), deserialize(theirs.decode())
        common = None if base is None else deserialize(base.decode())
    except (UnreadableNote, UnicodeDecodeError):
        return _merge_plain(base, mine, theirs)
    return _merge_notes(common, notes, (mine, theirs))


def _merge_plain(base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
    """Lines of a file that is no note: without a common text there is nothing to go by."""
    try:
        text = None if base is None else merge_text(base.decode(), mine.decode(), theirs.decode())
    except UnicodeDecodeError:
        text = None
    return Merged(None, ("file",)) if text is None else Merged(text.encode())


def _merge_notes(
    base: Memory | None, notes: tuple[Memory, Memory], files: tuple[bytes, bytes]
) -> Merged:
    mine, theirs = notes
    if mine.id != theirs.id:
        return Merged(None, ("id",))
    fields: dict[str, object] = {}
    clashes: list[str] = []
    for name in _CHOSEN:
        value, agreed = _scalar(base, mine, theirs, name)
        fields[name] = value
        if not agreed:
            clashes.append(name)
    for name in ("body", "extra"):
        text = _text(getattr(base, name, None), getattr(mine, name), getattr(theirs, name))
        if text is None:
            clashes.append(name)
        fields[name] = text
    if clashes:
        return Merged(None, tuple(clashes))
    later = max(notes, key=lambda note: (note.updated_at, note.machine_id))
    for name in _ORIGIN:
        value, agreed = _scalar(base, mine, theirs, name)
        fields[name] = value if agreed else getattr(later, name)
    fields["tags"] = _items(base.tags if base else [], mine.tags, theirs.tags)
    replaced = base.supersedes_ids if base else ()
    fields["supersedes"] = " ".join(_items(replaced, mine.supersedes_ids, theirs.supersedes_ids))
    fields["created_at"] = min((note.created_at for note in notes if note.created_at), default="")
    fields["updated_at"] = later.updated_at
    return _written(replace(mine, **fields), notes, files)


def _written(merged: Memory, notes: tuple[Memory, Memory], files: tuple[bytes, bytes]) -> Merged:
    """The merged note as bytes; a side that already says all of it keeps its own spelling."""
    for note, data in zip(notes, files, strict=True):
        if merged == note:
            return Merged(data)
    return Merged(serialize(merged).encode())


def _scalar(base: Memory | None, mine: Memory, theirs: Memory, name: str) -> tuple[object, bool]:
    """The value that one side gave a field, and whether there is only one."""
    own, other = getattr(mine, name), getattr(theirs, name)
    if own == other:
        return own, True
    if base is not None and own == getattr(base, name):
        return other, True
    return own, base is not None and other == getattr(base, name)


def _text(base: str | None, mine: str, theirs: str) -> str | None:
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    if base is None:
        return None
    # A body has no line end at its end; with one, a line put after the last is no edit of it.
    merged = merge_text(f"{base}\n", f"{mine}\n", f"{theirs}\n")
    return None if merged is None else merged.removesuffix("\n")


def _items(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """A set changed by both sides: what either added is there, what either removed is not."""
    removed = (set(base) - set(mine)) | (set(base) - set(theirs))
    return [item for item in dict.fromkeys([*mine, *theirs]) if item not in removed]
