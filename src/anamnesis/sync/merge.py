"""The three-way merge of one note, field by field; pure.

Two machines that touch different fields, or different words of the body, never cause a conflict.
Where both gave a field, or a part of the body, different values, only you can choose. So that field
or part is held apart, and the rest of the note is merged anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.records import replace
from anamnesis.notes.fields import (
    CHOICE,
    EARLIEST,
    ENTRIES,
    FIELDS,
    ITEMS,
    LATER,
    LATEST,
    LINES,
    SAME,
    WRITER,
    UnreadableNote,
)
from anamnesis.notes.frontmatter import deserialize, first_line, serialize
from anamnesis.sync.diff3 import longer, merge_text
from anamnesis.sync.prose import weave

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from anamnesis.notes.fields import Memory, Rule, Value


@dataclass(frozen=True, slots=True)
class Apart:
    """Both edits of a note, in versions that differ only in what clashes, in writer and in time."""

    shared: bytes  # with the other side's values: what all machines get
    kept: bytes  # with our own: what this machine's file says
    base: bytes | None  # with the values before both edits: the base of the next merge


@dataclass(frozen=True, slots=True)
class Merged:
    """One text out of two, or the names of the fields that both sides changed differently."""

    data: bytes | None
    clashes: tuple[str, ...] = ()
    apart: Apart | None = None  # where there are clashes

    @property
    def shared(self) -> bytes | None:
        """What the other machines get."""
        return self.apart.shared if self.apart else self.data

    @property
    def kept(self) -> bytes | None:
        """What this machine's file becomes."""
        return self.apart.kept if self.apart else self.data


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
    if notes[0].id != notes[1].id:
        return Merged(None, ("id",), Apart(theirs, mine, base))
    return _merge_notes(common, notes, (mine, theirs))


def _merge_plain(base: bytes | None, mine: bytes, theirs: bytes) -> Merged:
    """A file that is not a note, merged by lines; it clashes without a common base."""
    try:
        text = None if base is None else merge_text(base.decode(), mine.decode(), theirs.decode())
    except UnicodeDecodeError:
        text = None
    if text is None:
        return Merged(None, ("file",), Apart(theirs, mine, base))
    return Merged(text.encode())


def _merge_notes(
    base: Memory | None, notes: tuple[Memory, Memory], files: tuple[bytes, bytes]
) -> Merged:
    mine, theirs = notes
    values = merged_fields(base, mine, theirs)
    # The body comes last: it takes the longest to compare.
    rows = sorted(FIELDS.values(), key=lambda row: row.merge == LINES)
    disputed = {
        row.name: [getattr(note, row.name, None) for note in (theirs, mine, base)]
        for row in rows
        if values[row.name] is None
    }
    if base is not None and len({base.body, mine.body, theirs.body}) == 3:
        woven = weave(base.body, mine.body, theirs.body, mine_first=_when(mine) < _when(theirs))
        values["body"] = woven.shared
        disputed.pop("body", None)
        if not woven.clean:
            disputed["body"] = [woven.shared, woven.kept, woven.base]
    if follows := _is_titled_by_text(mine) and _is_titled_by_text(theirs):
        disputed.pop("title", None)
    if not disputed:
        return Merged(_written(_titled(replace(mine, **values), follows), notes, files))
    versions = [
        _titled(
            replace(mine, **{**values, **{name: sides[at] for name, sides in disputed.items()}}),
            follows,
        )
        for at in range(2 if base is None else 3)
    ]
    shared, kept, *before = (_written(version, notes, files) for version in versions)
    if _says_no_more(versions[0], theirs):
        shared = files[1]
    return Merged(None, tuple(disputed), Apart(shared, kept, before[0] if before else None))


def _is_titled_by_text(note: Memory) -> bool:
    return bool(note.body) and note.title == first_line(note.body)


def _titled(note: Memory, follows: bool) -> Memory:
    """A note whose title stays the first line of its text, where it was that on both sides."""
    return replace(note, title=first_line(note.body) or note.title) if follows else note


def _says_no_more(shared: Memory, theirs: Memory) -> bool:
    """Whether the only news for the others is who edited the disputed part last, and when."""
    return all(
        getattr(shared, row.name) == getattr(theirs, row.name)
        for row in FIELDS.values()
        if row.merge not in (WRITER, LATEST)
    )


def _when(note: Memory) -> tuple[str, str, str]:
    """What orders two edits the same way on both machines: time, machine, body."""
    return note.updated_at, note.machine_id, note.body


def _written(merged: Memory, notes: tuple[Memory, Memory], files: tuple[bytes, bytes]) -> bytes:
    """The merged note as bytes; a side that already says all of it keeps its own spelling."""
    for note, data in zip(notes, files, strict=True):
        if merged == note:
            return data
    return serialize(merged).encode()


def merged_fields(base: Memory | None, mine: Memory, theirs: Memory) -> dict[str, Value | None]:
    """What each field becomes by its rule; None where only you can choose."""
    later = max((mine, theirs), key=lambda note: (note.updated_at, note.machine_id))
    values: dict[str, Value | None] = {}
    for name, row in FIELDS.items():
        before, own, other, latest = (
            getattr(note, name, None) for note in (base, mine, theirs, later)
        )
        if own == other:
            values[name] = own
        elif name in LATER and not (own and other):
            # An earlier version drops fields that it does not know: a missing one is not an edit.
            values[name] = own or other
        else:
            values[name] = RULES[row.merge](Edit(before, own, other, latest))
    return values


@dataclass(frozen=True, slots=True)
class Edit:
    """The values of a field that the sides disagree on."""

    before: Any  # None: unknown
    mine: Any
    theirs: Any
    latest: Any


def _choice(edit: Edit) -> Any:
    """The value of the only side that changed the field."""
    if edit.theirs == edit.before:
        return edit.mine
    return edit.theirs if edit.mine == edit.before else None


def _writer(edit: Edit) -> Any:
    chosen = _choice(edit)
    return edit.latest if chosen is None else chosen


def _lines(edit: Edit) -> Any:
    chosen = _choice(edit)
    if edit.before is None:  # a text that has all of the other one, in order, says no less
        return chosen if chosen is not None else longer(edit.mine, edit.theirs)
    return chosen  # what both changed is woven, see `_merge_notes`


def _entries(edit: Edit) -> Any:
    """Lines of YAML, merged by key; new keys follow, in the same order on both machines."""
    before, mine, theirs = (_by_key(text or "") for text in (edit.before, edit.mine, edit.theirs))
    new = sorted([key for key in side if key not in before] for side in (mine, theirs))
    merged = ""
    for key in dict.fromkeys((*before, *new[0], *new[1])):
        was, own, other = (side.get(key, "") for side in (before, mine, theirs))
        chosen = own if own == other else _choice(Edit(was, own, other, None))
        if chosen is None:
            return None
        merged += chosen
    return merged


def _by_key(lines: str) -> dict[str, str]:
    """Each top-level key with its lines; a duplicate key keeps both."""
    entries: dict[str, str] = {}
    key = ""
    for line in lines.splitlines(keepends=True):
        if line[0] not in " \t-#" and ":" in line:
            key = line.partition(":")[0]
        entries[key] = entries.get(key, "") + line
    return entries


def _items(edit: Edit) -> Value:
    """A set changed by both sides: with what either added, without what either removed.

    In the same order on both machines: where both hold the note, each would send its own for ever.
    """
    if edit.before in (edit.mine, edit.theirs):
        only: Value = _choice(edit)
        return only
    base, mine, theirs = map(_separate, (edit.before or [], edit.mine, edit.theirs))
    removed = (set(base) - set(mine)) | (set(base) - set(theirs))
    first, second = sorted([item for item in side if item not in base] for side in (mine, theirs))
    items = [item for item in dict.fromkeys([*base, *first, *second]) if item not in removed]
    return " ".join(items) if isinstance(edit.mine, str) else items


def _separate(several: str | list[str]) -> list[str]:
    return several.split() if isinstance(several, str) else several


RULES: dict[Rule, Callable[[Edit], Value | None]] = {
    SAME: lambda _: None,
    CHOICE: _choice,
    WRITER: _writer,
    ITEMS: _items,
    ENTRIES: _entries,
    LINES: _lines,
    EARLIEST: lambda edit: min(filter(None, (edit.mine, edit.theirs))),
    LATEST: lambda edit: max(edit.mine, edit.theirs),
}
