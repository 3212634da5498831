"""The three-way merge of a note's text, as a reader would do it; pure.

Neither side loses text to the other: lines that both sides added follow one another, neighbouring
edits are both made, and only where both sides rewrote the same words is a part held. Everything
around it is merged anyway.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import (
    FENCE,
    Edit,
    Place,
    are_alike,
    edits,
    ended,
    groups,
    lines_of,
    narrowed,
    pairs,
    rewritten,
    shifted_down,
    span,
    united,
)
from anamnesis.sync.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Lines = Sequence[str]
    Words = Callable[[str, str, str], str | None]

_NUMBERED = re.compile(r"\s*(?:\d+|\0)[.)]\s")
_SENTENCE_END = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][)\"'\u201d\u2019*_`]*\Z")
_MOST_AGAIN = 16  # different ways to merge a result again; beyond that it may never end


@dataclass(frozen=True, slots=True)
class Woven:
    """One text out of two; where the sides clash, three that differ only in those parts."""

    shared: str  # with the part of the other side
    kept: str  # with our own part
    base: str  # with what both started from
    clean: bool = True


@dataclass(frozen=True, slots=True)
class _Part:
    """A place that both sides changed, and what becomes of it; None where they clash."""

    base: Lines
    mine: Lines
    theirs: Lines
    merged: Lines | None


def weave(base: str, mine: str, theirs: str, *, mine_first: bool) -> Woven:
    """Both edits of a text. Of two additions at one place, ours comes first if `mine_first`.

    Merging the result with either side again changes nothing, so a sync that was killed half-way,
    or that finds its own work at the remote, repeats nothing.
    """
    ends = [_line_end(text) for text in (base, mine, theirs)]
    if len(set(ends)) > 1 and all(ends):  # an editor only converted the line endings
        plain = (text.replace("\r\n", "\n").removesuffix("\r") for text in (base, mine, theirs))
        woven = weave(*plain, mine_first=mine_first)
        return _with_line_end(woven, ends[2] if ends[1] == ends[0] else ends[1])
    # A body has no final newline; with one, adding a line after the last does not edit that line.
    texts = _ended(base), _ended(mine), _ended(theirs)
    for first in (mine_first, not mine_first):
        woven = _weave(*texts, mine_first=first)
        if _is_stable(woven, texts):
            break
    else:
        woven = Woven(texts[2], texts[1], texts[0], clean=False)
    shared, kept, before = (
        text.removesuffix("\n") for text in (woven.shared, woven.kept, woven.base)
    )
    return Woven(shared, kept, before, woven.clean)


def _line_end(text: str) -> str:
    """How all lines of a text end; empty if they end in different ways."""
    if "\r" not in text:
        return "\n"
    lone = text.removesuffix("\r").replace("\r\n", "")
    return "" if "\r" in lone or "\n" in lone else "\r\n"


def _with_line_end(woven: Woven, end: str) -> Woven:
    shared, kept, before = (
        _ended(text).replace("\n", end).removesuffix("\n")
        for text in (woven.shared, woven.kept, woven.base)
    )
    return Woven(shared, kept, before, woven.clean)


def _weave(base: str, mine: str, theirs: str, *, mine_first: bool) -> Woven:
    sides = [lines_of(text) for text in (base, mine, theirs)]
    codes = [_code_lines(side) for side in sides]
    steps = Steps(sides, codes) if _have_steps(sides) else None
    before, own, other = steps.plain if steps else sides
    shared: list[str] = []
    kept: list[str] = []
    common: list[str] = []
    clean = True
    for part in _parts(before, own, other, codes[0], mine_first=mine_first):
        clean = clean and part.merged is not None
        shared += part.theirs if part.merged is None else part.merged
        kept += part.mine if part.merged is None else part.merged
        common += part.base if part.merged is None else part.merged
    first, second, third = (
        "".join(steps.numbered(side) if steps else side) for side in (shared, kept, common)
    )
    return Woven(first, second, third, clean)


def _have_steps(sides: Sequence[Lines]) -> bool:
    return any(map(_NUMBERED.match, chain(*sides))) and "\0" not in "".join(chain(*sides))


def _ended(text: str) -> str:
    return f"{text}\n" if text else ""


def _is_stable(woven: Woven, texts: tuple[str, str, str]) -> bool:
    """Whether merging the result again, as a later sync may have to, changes nothing."""
    base, mine, theirs = texts
    expected = (woven.shared, woven.kept, woven.clean)
    seen: set[tuple[str, str, str]] = set()
    waiting = [
        (base, mine, woven.shared),
        (base, woven.kept, theirs),
        (base, woven.kept, woven.shared),
        (woven.base, woven.kept, woven.shared),
    ]
    while waiting and len(seen) < _MOST_AGAIN:
        sides = waiting.pop()
        if sides in seen:
            continue
        seen.add(sides)
        for first in (True, False):
            result = _weave(*sides, mine_first=first)
            if (result.shared, result.kept, result.clean) != expected:
                return False
            waiting.append((result.base, woven.kept, woven.shared))
    return not waiting or all(sides in seen for sides in waiting)


def _parts(
    base: Lines, mine: Lines, theirs: Lines, in_code: Sequence[bool], *, mine_first: bool
) -> Iterator[_Part]:
    """The whole text, split at the places that were changed."""
    done = 0
    for left, right in groups(base, *(list(_fine_edits(base, side)) for side in (mine, theirs))):
        start, end = span(left, right)
        before = base[start:end]
        own, other = (rewritten(base, start, end, group) for group in (left, right))
        yield _agreed(base[done:start])
        done = end
        if not left or not right or own == other:
            yield _agreed(own if left else other)
        elif start == end:
            yield _agreed(united(own, other, mine_first=mine_first))
        else:
            by_lines = any(in_code[start:end]) or _needs_lines(before, own, other)
            place = Place(before, own, other)
            yield from _rewritten_by_both(place, by_lines=by_lines, mine_first=mine_first)
    yield _agreed(base[done:])


def _agreed(lines: Lines) -> _Part:
    return _Part((), (), (), lines)


def _fine_edits(base: Lines, changed: Lines) -> Iterator[Edit]:
    """One side's edits, line by line where a line is recognisably an edited one."""
    coarse = shifted_down(base, list(edits(base, changed, by_blank=False)))
    # Once more: a line added below an edited one can only be moved after that split.
    return shifted_down(base, [fine for edit in coarse for fine in _line_by_line(base, edit)])


def _line_by_line(base: Lines, edit: Edit) -> Iterator[Edit]:
    old, new = base[edit.start : edit.end], edit.lines
    a = c = 0
    for b, d in (*pairs(old, new), (len(old), len(new))):
        for between in edits(old[a:b], new[c:d]):
            start, end = (edit.start + a + at for at in (between.start, between.end))
            yield Edit(start, end, between.lines)
        if b < len(old):
            yield Edit(edit.start + b, edit.start + b + 1, tuple(new[d : d + 1]))
        a, c = b + 1, d + 1


def _rewritten_by_both(place: Place, *, by_lines: bool, mine_first: bool) -> Iterator[_Part]:
    """The lines that both sides rewrote; only what is new on both sides can clash."""
    whole = None if by_lines else _merged(place, mine_first=mine_first)
    if whole is None and not by_lines and not (place.mine and place.theirs):
        whole = _edited(place.base, place.mine or place.theirs)
    if whole is not None:
        yield _agreed(whole)
        return
    above, hole, below = narrowed(place, mine_first=mine_first)
    if not hole.base and hole.mine and hole.theirs:
        merged: Lines | None = united(hole.mine, hole.theirs, mine_first=mine_first)
    elif not hole.mine or not hole.theirs:
        merged = hole.mine or hole.theirs  # as with whole notes, an edit beats a deletion
    else:
        merged = None if by_lines else _merged(hole, mine_first=mine_first)
    yield _agreed(above)
    yield _Part(hole.base, hole.mine, hole.theirs, merged)
    yield _agreed(below)


def _edited(base: Lines, lines: Lines) -> Lines:
    """The paragraphs that are new, where the other side removed all; all if none is new."""
    removed, left = _paragraphs(base), _paragraphs(lines)
    new = [paragraph for paragraph in left if paragraph not in removed]
    if not new or not removed or len(new) == len(left):
        return lines
    ends = [base[:1] if not base[0].strip() else (), base[-1:] if not base[-1].strip() else ()]
    between = next(line for line in lines if not line.strip())
    inner = chain.from_iterable((between, *paragraph) for paragraph in new)
    return [*ends[0], *islice(inner, 1, None), *ends[1]]


def _paragraphs(lines: Lines) -> list[list[str]]:
    blocks = groupby(lines, key=lambda line: bool(line.strip()))
    return [list(block) for is_text, block in blocks if is_text]


def _merged(place: Place, *, mine_first: bool) -> Lines | None:
    """Both edits of some lines, as items of a list or word by word; None where they clash."""

    def merge_words(*texts: str) -> str | None:
        return _words(*texts, mine_first=mine_first)

    items = merge_items(place, mine_first=mine_first, merge_words=merge_words)
    if items is not None:
        return items
    merged = merge_words(*map("".join, (place.base, place.mine, place.theirs)))
    return None if merged is None else lines_of(merged)


def _words(base: str, mine: str, theirs: str, *, mine_first: bool) -> str | None:
    """Both edits of a few lines, word by word; None where they touch the same words."""
    if not (are_alike(base, mine) and are_alike(base, theirs)):
        return None  # rewritten, not edited: mixing both sides' words would make no sentence
    before, own, other = (re.findall(r"\s+|\S+", text) for text in (base, mine, theirs))
    merged: list[str] = []
    done = 0
    for left, right in groups(before, *(list(edits(before, side)) for side in (own, other))):
        start, end = span(left, right)
        here, there = (rewritten(before, start, end, group) for group in (left, right))
        if left and right and here != there:
            both = "".join(here), "".join(there)
            added = _sentences(both, before[:start], mine_first) if start == end else None
            if added is None:
                return None
            here = [added]
        merged += [*before[done:start], *(here if left else there)]
        done = end
    return "".join((*merged, *before[done:]))


def _sentences(added: tuple[str, str], before: Lines, mine_first: bool) -> str | None:
    """Sentences that both sides added at one place; None if it is less than a sentence."""
    mine, theirs = added
    for small, large in ((mine, theirs), (theirs, mine)):
        if small.strip() in large and _SENTENCE_END.search(large.strip()):
            return large
    start = next((word for word in reversed(before) if not word.isspace()), ".")
    if not all(_SENTENCE_END.search(text.strip()) for text in (start, *added)):
        return None
    return mine + theirs if mine_first else theirs + mine


def _code_lines(lines: Lines) -> list[bool]:
    """Which lines belong to a block of code, its fences included."""
    marks = []
    fenced = False
    for line in lines:
        is_fence = bool(FENCE.match(line))
        marks.append(fenced or is_fence)
        fenced = fenced != is_fence
    return marks


def _needs_lines(*sides: Lines) -> bool:
    """Whether some lines are code or numbered, where half a line from each side is nonsense."""
    return any(_NUMBERED.match(line) or FENCE.match(line) for side in sides for line in side)


_BULLET = re.compile(r"([ \t]*)[-*+] ")


def merge_items(place: Place, *, mine_first: bool, merge_words: Words) -> list[str] | None:
    """A list with what either side added and without what either removed; None if that fails.

    It fails if the lines are not a list, if an item occurs twice, or if both sides gave an item
    different words that cannot be merged.
    """
    lists = [_items(side) for side in (place.base, place.mine, place.theirs)]
    before, own, other = lists
    if before is None or own is None or other is None:
        return None
    if any(len(set(items)) < len(items) for items in (before, own, other)):
        return None
    edited = _edited_by_both(before, own, other, merge_words)
    if edited is None:
        return None
    own, other = ([edited.get(item, item) for item in items] for items in (own, other))
    news = [set(items) - set(before) for items in (own, other)]
    # A side that has everything the other added also knows where it goes.
    leads = (
        mine_first
        if news[0] == news[1]
        else news[0] > news[1] or (mine_first and not news[0] < news[1])
    )
    first, second = (own, other) if leads else (other, own)
    return [line for item in _together(before, first, second) for line in lines_of(item)]


def _edited_by_both(
    base: list[str], mine: list[str], theirs: list[str], merge_words: Words
) -> dict[str, str] | None:
    """The items of either side that edit the same item, each with what both become."""
    fresh = [[item for item in side if item not in base] for side in (mine, theirs)]
    merged: dict[str, str] = {}
    for item in base:
        if item in mine or item in theirs:
            continue
        edits = [next((new for new in side if are_alike(item, new)), None) for side in fresh]
        one, other = edits
        if one is None or other is None or one == other:
            continue
        both = merge_words(item, one, other)
        if both is None:
            return None
        merged[one] = merged[other] = both
        fresh[0].remove(one)
        fresh[1].remove(other)
    return merged


def _together(base: list[str], first: list[str], second: list[str]) -> list[str]:
    """The items of both, each new one after the item that it was put after."""
    removed = {item for item in base if item not in first or item not in second}
    result = [item for item in first if item not in removed]
    added = {item for item in result if item not in base}
    at = 0
    for item in second:
        if item in removed:
            continue
        if item in result:
            at = result.index(item) + 1
            continue
        while at < len(result) and result[at] in added:
            at += 1
        result.insert(at, item)
        at += 1
    return list(dict.fromkeys(result))


def _items(lines: Sequence[str]) -> list[str] | None:
    """The items of a list, each with its continuation lines; None if this is not a list."""
    if not lines:
        return []
    first = _BULLET.match(lines[0])
    if first is None:
        return None
    depth = len(first[1])
    items: list[str] = []
    for line in ended(lines):
        bullet = _BULLET.match(line)
        if bullet is not None and len(bullet[1]) <= depth:
            items.append(line)
        elif line.strip() and not line[: depth + 1].isspace():
            return None
        else:
            items[-1] += line
    return items
