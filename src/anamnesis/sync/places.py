"""The places of a text that two sides changed, and what of them is really in dispute; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import Edit, edits, ended

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[str]

FENCE = re.compile(r"\s*(?:```|~~~)")
_ITEM = re.compile(r"[-*+] |\d+[.)] ")


@dataclass(frozen=True, slots=True)
class Place:
    """Some lines before both edits, here and there."""

    base: Lines
    mine: Lines
    theirs: Lines


def groups(mine: Sequence[Edit], theirs: Sequence[Edit]) -> Iterator[tuple[list[Edit], ...]]:
    """The edits of both sides that overlap, together; what merely touches stays apart.

    Unless both wrote the same words there: then one side holds what the other one did already.
    """
    rows = [(e.start, e.end, side, e) for side, es in enumerate((mine, theirs)) for e in es]
    rows.sort(key=lambda row: row[:3])
    group: tuple[list[Edit], list[Edit]] = ([], [])
    for (start, end), batch in groupby(rows, key=lambda row: row[:2]):
        tied = list(batch)
        if any(group):
            first, last = span(*group)
            same_place = first == last == start == end
            shared = start == last and any(_share(group[1 - row[2]], row[3]) for row in tied)
            if not (start < last or same_place or shared):
                yield group
                group = ([], [])
        for _, _, side, edit in tied:
            group[side].append(edit)
    if any(group):
        yield group


def span(mine: Sequence[Edit], theirs: Sequence[Edit]) -> tuple[int, int]:
    """From where to where some edits reach."""
    together = (*mine, *theirs)
    return min(edit.start for edit in together), max(edit.end for edit in together)


def _share(group: Sequence[Edit], edit: Edit) -> bool:
    words = {line for other in group for line in other.lines if line.strip()}
    return not words.isdisjoint(edit.lines)


def settled(base: Lines, changes: Sequence[Edit]) -> Iterator[Edit]:
    """The same edits with each added or removed line as far down as it can be.

    Between equal lines there is more than one place for it, and two sides must find the same.
    """
    for number, edit in enumerate(changes):
        limit = changes[number + 1].start if number + 1 < len(changes) else len(base)
        start, end, lines = edit.start, edit.end, list(edit.lines)
        if start == end:
            while end < limit and base[end] == lines[0]:
                lines.append(lines.pop(0))
                end += 1
            start = end
        elif not lines:
            while end < limit and base[start] == base[end]:
                start, end = start + 1, end + 1
        yield Edit(start, end, tuple(lines))


def narrowed(place: Place, *, mine_first: bool) -> tuple[list[str], Place, list[str]]:
    """What both agree on, then the lines in dispute, then again what both agree on.

    Lines that both have are agreed; a stretch in which one side has only lines from before is
    what the other one made of it. If more than one stretch is left, all from the first to the
    last is in dispute.
    """
    base = place.base
    first, second = (place.mine, place.theirs) if mine_first else (place.theirs, place.mine)
    above: list[str] = []
    below: list[str] = []
    holes: list[tuple[Lines, Lines]] = []
    known = set(base)
    done = 0
    for edit in (*edits(first, second), Edit(len(first), len(first), ())):
        (below if holes else above).extend(first[done : edit.start])
        one, other = first[edit.start : edit.end], edit.lines
        done = edit.end
        made = _made_by_one(one, other, known)
        if made is None:
            if holes:
                return [], place, []
            holes.append((one, other))
        else:
            (below if holes else above).extend(made)
    if not holes:
        return above, Place((), (), ()), []
    mine, theirs = holes[0] if mine_first else holes[0][::-1]
    return above, Place(_disputed(place, (*mine, *theirs)), mine, theirs), below


def _made_by_one(one: Lines, other: Lines, known: set[str]) -> Lines | None:
    """What one side made of lines that the other left as they were; None if both made something."""
    here, there = known.issuperset(one), known.issuperset(other)
    if here and there:
        return None if one and other else ()
    if here or there:
        return other if here else one
    return None


def _disputed(place: Place, lines: Lines) -> list[str]:
    """The lines from before that those in dispute stand for."""
    both = set(place.mine) & set(place.theirs) - set(place.base)
    lost = [line for line in place.base if line not in place.mine and line not in place.theirs]
    if len(both) >= len(lost):
        lost = []  # both made the same of them
    return [line for line in place.base if line in lines or line in lost]


def united(mine: Lines, theirs: Lines, *, mine_first: bool) -> Lines:
    """Two additions at one place, one after the other; what both added is there once."""
    for small, large in ((mine, theirs), (theirs, mine)):
        if _is_within(small, large):
            return large
    by_paragraph = any(map(_is_blank, (*mine, *theirs)))
    units = [_units(side, by_paragraph=by_paragraph) for side in (mine, theirs)]
    known = [{_plain(unit) for unit in side} for side in units]
    if known[0] <= known[1]:
        return theirs
    if known[1] <= known[0]:
        return mine
    # What continues the text above stays with it, and what leads to the text below with that.
    ranks = [(_is_blank(side[0]), not _is_blank(side[-1])) for side in (mine, theirs)]
    first, second = (0, 1) if (ranks[0], not mine_first) <= (ranks[1], mine_first) else (1, 0)
    added = [unit for unit in units[second] if _plain(unit) not in known[first]]
    return list(ended([line for unit in (*units[first], *added) for line in unit]))


def _is_within(small: Lines, large: Lines) -> bool:
    rest = iter(large)
    return all(line in rest for line in small)


def _units(lines: Lines, *, by_paragraph: bool) -> list[tuple[str, ...]]:
    """Paragraphs, items and code blocks, each with the blank lines that set it apart."""
    units: list[list[str]] = []
    fenced = False
    blank_first = _is_blank(lines[0])
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        is_fence = bool(FENCE.match(line))
        if by_paragraph:
            change = _is_blank(line) != _is_blank(before) and _is_blank(line) == blank_first
        else:
            change = is_fence or not line[:1].isspace()
        follows_blank = bool(units) and all(map(_is_blank, units[-1]))
        starts = change or (bool(_ITEM.match(line)) and not follows_blank)
        if not units or (starts and not fenced):
            units.append([])
        units[-1].append(line)
        fenced = fenced != is_fence
    return [tuple(unit) for unit in units]


def _is_blank(line: str) -> bool:
    return not line.strip()


def _plain(unit: Lines) -> str:
    return "".join(unit).strip()
