"""Merging two edits of one text line by line, as diff3 does; pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[str]

_MAX_WORK = 4_000_000  # pairs of equal lines to look at: about a second
FENCE = re.compile(r"\s*(?:```|~~~)")
_ITEM = re.compile(r"[-*+] |(?:\d+|\0)[.)] ")


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `start` to `end` of the base became `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """Unchanged lines, then a place that one side or both rewrote."""

    before: Sequence[str]
    base: Sequence[str]
    mine: Sequence[str]
    theirs: Sequence[str]
    by_mine: bool
    by_theirs: bool

    @property
    def agreed(self) -> Sequence[str] | None:
        """What the place becomes; None where the sides rewrote it differently."""
        if self.by_mine and self.by_theirs and self.mine != self.theirs:
            return None
        return self.mine if self.by_mine else self.theirs


def merge_text(base: str, mine: str, theirs: str) -> str | None:
    """Both edits in one text, or None where they touch the same lines."""
    merged = merge_lines(lines_of(base), lines_of(mine), lines_of(theirs))
    return None if merged is None else "".join(merged)


def marked(base: str, mine: str, theirs: str, *, names: tuple[str, str]) -> str:
    """Both edits in one text, with git's markers around those that touch the same lines."""
    return "".join(_woven(lines_of(base), lines_of(mine), lines_of(theirs), names))


def merge_lines(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]
) -> list[str] | None:
    """Both edits of some lines, or None where they overlap or touch and differ."""
    merged: list[str] = []
    for region in regions(base, mine, theirs):
        if region.agreed is None:
            return None
        merged.extend((*region.before, *region.agreed))
    return merged


def edits(base: Sequence[str], changed: Sequence[str], *, by_blank: bool = True) -> Iterator[Edit]:
    """What turns one list of lines into the other, in order.

    Blank lines are all alike: unless `by_blank`, two of them alone do not count as the same line.
    """
    head = _common(base, changed)
    tail = _common(base[head:][::-1], changed[head:][::-1])
    old, new = base[head : len(base) - tail], changed[head : len(changed) - tail]
    if not old and not new:
        return
    if _work(old, new) > _MAX_WORK:
        yield Edit(head, head + len(old), tuple(new))
        return
    junk = None if by_blank else _is_blank
    for tag, a, b, c, d in SequenceMatcher(junk, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(head + a, head + b, tuple(new[c:d]))


def regions(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[Region]:
    """The places that were rewritten, in order; the last region is the unchanged rest."""
    ours, others = list(edits(base, mine)), list(edits(base, theirs))
    done = 0
    while ours or others:
        left, right = _next_group(ours, others)
        start = min(edit.start for edit in (*left, *right))
        end = max(edit.end for edit in (*left, *right))
        own, other = (rewritten(base, start, end, group) for group in (left, right))
        yield Region(base[done:start], base[start:end], own, other, bool(left), bool(right))
        done = end
    yield Region(base[done:], (), (), (), by_mine=False, by_theirs=False)


def _woven(
    base: Sequence[str], mine: Sequence[str], theirs: Sequence[str], names: tuple[str, str]
) -> Iterator[str]:
    for region in regions(base, mine, theirs):
        yield from region.before
        if region.agreed is not None:
            yield from region.agreed
            continue
        yield f"<<<<<<< {names[0]}\n"
        yield from ended(region.mine)
        yield "=======\n"
        yield from ended(region.theirs)
        yield f">>>>>>> {names[1]}\n"


def ended(lines: Sequence[str]) -> Iterator[str]:
    """The lines, each with an end."""
    return (line if line.endswith("\n") else f"{line}\n" for line in lines)


def _next_group(ours: list[Edit], others: list[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Pop the first edits that overlap or touch one another from both lists."""
    first = ours if not others or (ours and ours[0].start <= others[0].start) else others
    end = first[0].end
    groups: tuple[list[Edit], list[Edit]] = ([], [])
    grown = True
    while grown:
        grown = False
        for waiting, group in zip((ours, others), groups, strict=True):
            while waiting and (waiting[0].start <= end if any(groups) else waiting is first):
                edit = waiting.pop(0)
                group.append(edit)
                end = max(end, edit.end)
                grown = True
    return groups


def rewritten(base: Sequence[str], start: int, end: int, changes: Sequence[Edit]) -> list[str]:
    """What some edits make of the lines `start` to `end` of the base."""
    lines: list[str] = []
    for edit in changes:
        lines.extend(base[start : edit.start])
        lines.extend(edit.lines)
        start = edit.end
    lines.extend(base[start:end])
    return lines


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only LF ends a line, so that joining them gives the text back."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[line] for line in old)


_ALIKE = 0.5  # of both sides' words: an edited sentence keeps more, a different one shares fewer
_MAX_PAIRS = 10_000  # comparisons of two lines: some 50 ms


def are_alike(one: str, other: str) -> bool:
    """Whether a text is an edit of the other: most of the words are in both."""
    return _likeness(_words(one), _words(other)) >= _ALIKE


def pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of line numbers, old and new, that make the most similar matching, in order."""
    if not old or not new or len(old) * len(new) > _MAX_PAIRS:
        return []
    left, right = ([_words(line) for line in lines] for lines in (old, new))
    scores = [[_likeness(a, b) for b in right] for a in left]
    # best[i][j]: what the lines from i and j on can score together.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = scores[i][j] + best[i + 1][j + 1] if scores[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    return _walked(scores, best)


def _walked(scores: list[list[float]], best: list[list[float]]) -> list[tuple[int, int]]:
    paired = []
    i = j = 0
    while i < len(scores) and j < len(scores[0]):
        if scores[i][j] >= _ALIKE and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
            paired.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return paired


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@dataclass(frozen=True, slots=True)
class Place:
    """Some lines as they were, as we have them and as they have them."""

    base: Lines
    mine: Lines
    theirs: Lines


def groups(
    base: Lines, mine: Sequence[Edit], theirs: Sequence[Edit]
) -> Iterator[tuple[list[Edit], ...]]:
    """The edits of both sides in groups that overlap; edits that merely touch stay apart.

    Unless both wrote the same words there: then one side already has the other's edit. Blank lines
    between the two do not count: a paragraph may have been added before or after them.
    """
    rows = [(e.start, e.end, side, e) for side, es in enumerate((mine, theirs)) for e in es]
    rows.sort(key=lambda row: row[:3])
    group: tuple[list[Edit], list[Edit]] = ([], [])
    for (start, end), batch in groupby(rows, key=lambda row: row[:2]):
        tied = list(batch)
        if any(group):
            first, last = span(*group)
            same_place = first == last == start == end
            shared = all(map(_is_blank, base[last:start])) and any(
                _share(group[1 - row[2]], row[3]) for row in tied
            )
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


def shifted_down(base: Lines, changes: Sequence[Edit]) -> Iterator[Edit]:
    """The same edits with each added or removed line as far down as it can be.

    Between equal lines there are several places for it, and both sides must choose the same.
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
    """What both agree on, then the disputed lines, then again what both agree on.

    Lines that both have are agreed; a stretch that one side left unchanged becomes what the other
    made of it. If more than one stretch remains, the whole place is disputed.
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
    here, there = (all(line in known or _is_blank(line) for line in side) for side in (one, other))
    if here and there:
        return None if one and other else ()
    if here or there:
        return other if here else one
    return None


def _disputed(place: Place, lines: Lines) -> list[str]:
    """The base lines that the disputed ones replace."""
    both = set(place.mine) & set(place.theirs) - set(place.base)
    lost = [line for line in place.base if line not in place.mine and line not in place.theirs]
    if len(both) >= len(lost):
        lost = []  # both replaced them by the same lines
    return [line for line in place.base if line in lines or line in lost]


def united(mine: Lines, theirs: Lines, *, mine_first: bool) -> Lines:
    """Two additions at one place, one after the other; what both added appears once."""
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
    # What continues the text above goes next to it, and what leads into the text below likewise.
    ranks = [(_is_blank(side[0]), not _is_blank(side[-1])) for side in (mine, theirs)]
    first, second = (0, 1) if (ranks[0], not mine_first) <= (ranks[1], mine_first) else (1, 0)
    added = [unit for unit in units[second] if _plain(unit) not in known[first]]
    return list(ended([line for unit in (*units[first], *added) for line in unit]))


def longer(one: str, other: str) -> str | None:
    """The text that contains every line of the other, in order; None if neither does."""
    for small, large in ((one, other), (other, one)):
        if _is_within(lines_of(f"{small}\n"), lines_of(f"{large}\n")):
            return large
    return None


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
