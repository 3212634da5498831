"""Composing one note from two versions: each field and part from here, there or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.records import replace
from anamnesis.notes.fields import CHOICE, FIELDS, ITEMS, items, of_items
from anamnesis.notes.frontmatter import note_in
from anamnesis.operations.travel.conflicts import BOTH, MINE, THEIRS
from anamnesis.sync.diff3 import Region, edits, ended, lines_of, regions
from anamnesis.sync.merge import merged_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.operations.travel.conflicts import Sides

_PLAIN = (*(name for name, row in FIELDS.items() if row.merge == CHOICE), "extra")
_SETS = tuple(name for name, row in FIELDS.items() if row.merge == ITEMS)  # both can be had
_PICKED = (*_PLAIN, *_SETS, "body")


@dataclass(frozen=True, slots=True)
class Field:
    """A field that differs: its value before both, here and there, and what to take."""

    name: str
    base: str
    mine: str
    theirs: str
    pick: str

    @property
    def picks(self) -> tuple[str, ...]:
        """What can be taken."""
        return (MINE, THEIRS, BOTH) if self.name in _SETS else (MINE, THEIRS)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the text: before both, here and there, and what to take."""

    base: str
    mine: str
    theirs: str
    pick: str

    @property
    def differs(self) -> bool:
        """Whether there is something to choose."""
        return self.mine != self.theirs

    @property
    def taken(self) -> str:
        """What of it is taken."""
        if self.pick == BOTH and self.differs:
            return "".join(ended(lines_of(self.mine))) + self.theirs
        return self.theirs if self.pick == THEIRS else self.mine


@dataclass(frozen=True, slots=True)
class Composition:
    """Two versions taken apart, with what to take of each."""

    base: Memory | None
    mine: Memory
    theirs: Memory
    fields: tuple[Field, ...]
    parts: tuple[Part, ...]

    def note(self) -> Memory:
        """The note that the picks make; what cannot be picked is merged by its rule."""
        merged = merged_fields(self.base, self.mine, self.theirs)
        taken: dict[str, object] = {
            name: value
            for name, value in merged.items()
            if name not in _PICKED and value is not None
        }
        taken["updated_at"] = utcnow()
        for field in self.fields:
            taken[field.name] = _value(self.mine, self.theirs, field)
        body = "".join(part.taken for part in self.parts).removesuffix("\n")
        return replace(self.mine, **taken, body=body)


def composition(sides: Sides, picks: Mapping[str, str]) -> Composition | None:
    """Both versions taken apart; None if one of them is not a readable note.

    `picks` says what to take of `field-<name>` and of `part-<number>`; what it does not name is
    taken from the side that changed it, and from here if both did.
    """
    mine, theirs = note_in(sides.mine or b""), note_in(sides.conflict.theirs)
    if mine is None or theirs is None:
        return None
    base = note_in(sides.conflict.base or b"")
    fields = tuple(_fields(base, mine, theirs, picks))
    texts = (None if base is None else base.body, mine.body, theirs.body)
    return Composition(base, mine, theirs, fields, tuple(_parts(*texts, picks)))


def seal(sides: Sides) -> str:
    """A hash that tells whether both versions are still those that you saw."""
    from hashlib import blake2b

    return blake2b(repr((sides.mine, sides.conflict.theirs)).encode(), digest_size=16).hexdigest()


def _fields(
    base: Memory | None, mine: Memory, theirs: Memory, picks: Mapping[str, str]
) -> Iterator[Field]:
    for name in (*_PLAIN, *_SETS):
        before, own, other = (_text(note, name) for note in (base, mine, theirs))
        if own == other:
            continue
        usual = BOTH if name in _SETS else THEIRS if base is not None and own == before else MINE
        field = Field(name, before, own, other, usual)
        asked = picks.get(f"field-{name}", "")
        yield replace(field, pick=asked) if asked in field.picks else field


def _parts(base: str | None, mine: str, theirs: str, picks: Mapping[str, str]) -> Iterator[Part]:
    # A body has no final line end; with one, a line added at the end does not edit the last.
    own, other = lines_of(f"{mine}\n"), lines_of(f"{theirs}\n")
    found = _two_way(own, other) if base is None else regions(lines_of(f"{base}\n"), own, other)
    number = 0
    for region in found:
        if region.before:
            same = "".join(region.before)
            yield Part(same, same, same, MINE)
        before, here, there = map("".join, (region.base, region.mine, region.theirs))
        if here == there:
            if here:
                yield Part(before, here, there, MINE)
            continue
        number += 1
        usual = MINE if region.by_mine else THEIRS
        asked = picks.get(f"part-{number}", "")
        yield Part(before, here, there, asked if asked in (MINE, THEIRS, BOTH) else usual)


def _two_way(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[Region]:
    """The places that differ where the common ancestor is unknown."""
    done = 0
    for edit in edits(mine, theirs):
        own = mine[edit.start : edit.end]
        yield Region(mine[done : edit.start], (), own, edit.lines, by_mine=True, by_theirs=True)
        done = edit.end
    yield Region(mine[done:], (), (), (), by_mine=False, by_theirs=False)


def _value(mine: Memory, theirs: Memory, field: Field) -> object:
    if field.pick == BOTH:
        together = dict.fromkeys([*items(mine, field.name), *items(theirs, field.name)])
        return of_items(field.name, list(together))
    return getattr(theirs if field.pick == THEIRS else mine, field.name)


def _text(note: Memory | None, name: str) -> str:
    """A field as text to read."""
    if note is None:
        return ""
    return ", ".join(items(note, name)) if name in _SETS else str(getattr(note, name)).strip()
