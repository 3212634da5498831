"""The three-way merge of a note's text, as a reader would do it; pure.

Neither side loses text to the other: lines that both sides added follow one another, neighbouring
edits are both made, and only where both sides rewrote the same words is a part held. Everything
around it is merged anyway.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import (
    Edit,
    Place,
    are_alike,
    edits,
    groups,
    lines_of,
    narrowed,
    pairs,
    regions,
    rewritten,
    shifted_down,
    span,
    united,
)
from anamnesis.sync.lists import (
    BULLET,
    NUMBERED,
    Steps,
    code_lines,
    flowing,
    is_whole,
    keeps_structure,
    keeps_words,
    merge_items,
    needs_lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Lines = Sequence[str]
    Texts = tuple[str, str, str]

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


if TYPE_CHECKING:
    Merge = Callable[..., Woven]


def weave(base: str, mine: str, theirs: str, *, mine_first: bool) -> Woven:
    """Both edits of a text. Of two additions at one place, ours comes first if `mine_first`.

    Merging the result with either side again changes nothing, so a sync that was killed half-way,
    or that finds its own work at the remote, repeats nothing.
    """
    if base in (mine, theirs) or mine == theirs:
        only = theirs if mine == base else mine
        return Woven(only, only, only)
    ends = [_line_end(text) for text in (base, mine, theirs)]
    # An editor may only have converted the line endings, and another one only some of them.
    if all(ends) and any("\r" in text for text in (base, mine, theirs)):
        plain = (text.replace("\r\n", "\n").removesuffix("\r") for text in (base, mine, theirs))
        woven = weave(*plain, mine_first=mine_first)
        return _with_line_end(woven, ends[2] if ends[1] == ends[0] else ends[1])
    # White space at the end never clashes. With one newline, adding a line after the last does not
    # edit that line.
    bare = [text.rstrip(" \t\n") for text in (base, mine, theirs)]
    tails = [text[len(rest) :] for text, rest in zip((base, mine, theirs), bare, strict=True)]
    tail = tails[2] if tails[1] == tails[0] else tails[1]
    if tails[0] not in tails[1:]:
        tail = max(tails[1:])
    texts = _ended(bare[0]), _ended(bare[1]), _ended(bare[2])
    merge = cache(_weave)
    woven = _settled(texts, mine_first, _trimmed(merge)) or _held(texts, mine_first, merge)
    shared, kept, before = (
        text.removesuffix("\n") + tail for text in (woven.shared, woven.kept, woven.base)
    )
    return Woven(shared, kept, before, woven.clean)


def _line_end(text: str) -> str:
    """How most lines of a text end; empty if a carriage return ends none."""
    if "\r" not in text:
        return "\n"
    lone = text.removesuffix("\r").replace("\r\n", "")
    if "\r" in lone:
        return ""
    return "\r\n" if text.count("\r\n") >= lone.count("\n") else "\n"


def _with_line_end(woven: Woven, end: str) -> Woven:
    shared, kept, before = (
        _ended(text).replace("\n", end).removesuffix("\n")
        for text in (woven.shared, woven.kept, woven.base)
    )
    return Woven(shared, kept, before, woven.clean)


def _weave(base: str, mine: str, theirs: str, *, mine_first: bool) -> Woven:
    if base in (mine, theirs) or mine == theirs:
        only = theirs if mine == base else mine
        return Woven(only, only, only)
    sides = [lines_of(text) for text in (base, mine, theirs)]
    codes = [code_lines(side) for side in sides]
    steps = Steps(sides, codes) if any(map(NUMBERED.search, (base, mine, theirs))) else None
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


def _ended(text: str) -> str:
    return f"{text}\n" if text else ""


def _trimmed(merge: Merge) -> Merge:
    """The same merge of whole texts, whose results end as a text does that is merged again."""

    def trimmed(base: str, mine: str, theirs: str, *, mine_first: bool) -> Woven:
        woven = merge(base, mine, theirs, mine_first=mine_first)
        texts = (woven.shared, woven.kept, woven.base)
        shared, kept, before = (_ended(text.rstrip(" \t\n")) for text in texts)
        return Woven(shared, kept, before, woven.clean)

    return cache(trimmed)


def _settled(texts: Texts, mine_first: bool, merge: Merge) -> Woven | None:
    """Both edits, where the order of additions asked for or else the other one stands."""
    for first in (mine_first, not mine_first):
        woven = merge(*texts, mine_first=first)
        if _stands(woven, texts, merge):
            return woven
    return None


def _held(texts: Texts, mine_first: bool, merge: Merge) -> Woven:
    """Both edits with as little as possible held, at worst all."""
    apart = _trimmed(partial(_apart, merge=merge))
    woven = apart(*texts, mine_first=mine_first)
    base, mine, theirs = texts
    return woven if _stands(woven, texts, apart) else Woven(theirs, mine, base, clean=False)


def _apart(base: str, mine: str, theirs: str, *, mine_first: bool, merge: Merge) -> Woven:
    """Both edits, paragraph by paragraph: one where they cannot be merged is held alone."""
    whole = _settled((base, mine, theirs), mine_first, merge)
    if whole is not None:
        return whole
    parts: list[Woven] = []
    for region in regions(*(_blocks(lines_of(text)) for text in (base, mine, theirs))):
        same = "".join((*region.before, *(region.agreed or ())))
        parts.append(Woven(same, same, same))
        if region.agreed is None:
            before, own, other = map("".join, (region.base, region.mine, region.theirs))
            merged = _settled((before, own, other), mine_first, merge)
            parts.append(merged or Woven(other, own, before, clean=False))
    return Woven(
        "".join(part.shared for part in parts),
        "".join(part.kept for part in parts),
        "".join(part.base for part in parts),
        clean=all(part.clean for part in parts),
    )


def _blocks(lines: Lines) -> list[str]:
    """Paragraphs and items, each with the blank lines below it."""
    blocks: list[str] = []
    above = ""
    for line in lines:
        starts = line.strip() and (not above.strip() or BULLET.match(line) or NUMBERED.match(line))
        if starts or not blocks:
            blocks.append("")
        blocks[-1] += line
        above = line
    return blocks


def _stands(woven: Woven, texts: Texts, merge: Merge) -> bool:
    """Whether merging the result again, as a later sync may have to, changes nothing."""
    base, mine, theirs = texts
    results = woven.shared, woven.kept
    if not (keeps_words(results, texts) and keeps_structure(results, texts, clean=woven.clean)):
        return False
    expected = (woven.shared, woven.kept, woven.clean)
    seen: set[Texts] = set()
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
            result = merge(*sides, mine_first=first)
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
            by_lines = any(in_code[start:end]) or needs_lines(before, own, other)
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
    old = flowing(base[edit.start : edit.end], edit.lines)
    new = flowing(edit.lines, base[edit.start : edit.end])
    start, a, c = edit.start, 0, 0
    for b, d in (
        *pairs(*(["".join(lines) for lines in side] for side in (old, new))),
        (len(old), len(new)),
    ):
        here, there = list(chain(*old[a:b])), list(chain(*new[c:d]))
        for between in edits(here, there):
            yield Edit(start + between.start, start + between.end, between.lines)
        start += len(here)
        if b < len(old):
            yield Edit(start, start + len(old[b]), tuple(new[d]))
            start += len(old[b])
        a, c = b + 1, d + 1


def _rewritten_by_both(place: Place, *, by_lines: bool, mine_first: bool) -> Iterator[_Part]:
    """The lines that both sides rewrote; only what is new on both sides can clash."""
    if not place.mine or not place.theirs:
        merged = _added(place.base, place.mine or place.theirs)
        yield _Part(place.base, place.mine, place.theirs, merged)
        return
    whole = None if by_lines else _merged(place, mine_first=mine_first)
    if whole is not None:
        yield _agreed(whole)
        return
    above, hole, below = narrowed(place, mine_first=mine_first)
    if not hole.base and hole.mine and hole.theirs:
        merged = united(hole.mine, hole.theirs, mine_first=mine_first)
    elif not hole.mine or not hole.theirs:
        merged = None if hole.base else hole.mine or hole.theirs
    else:
        merged = None if by_lines else _merged(hole, mine_first=mine_first)
    yield _agreed(above)
    yield _Part(hole.base, hole.mine, hole.theirs, merged)
    yield _agreed(below)


def _added(base: Lines, lines: Lines) -> Lines | None:
    """What is new among lines that the other side removed.

    None where one of them was changed, or where the new ones need them: a row its table, a line of
    code its fence.
    """
    new: list[str] = []
    in_code: list[bool] = []
    codes, shift = code_lines(lines), 0
    for edit in edits(base, lines):
        if pairs(base[edit.start : edit.end], edit.lines):
            return None
        new += edit.lines
        in_code += codes[edit.start + shift : edit.start + shift + len(edit.lines)]
        shift += len(edit.lines) - (edit.end - edit.start)
    if not any(map(str.strip, new)):
        return ()
    if code_lines(new) != in_code or (is_whole(lines) and not is_whole(new)):
        return None
    if all(map(str.strip, base)):
        return new
    ends = [base[:1] if not base[0].strip() else (), base[-1:] if not base[-1].strip() else ()]
    between = next(line for line in base if not line.strip())
    inner = chain.from_iterable((between, *paragraph) for paragraph in _paragraphs(new))
    return [*ends[0], *islice(inner, 1, None), *ends[1]]


def _paragraphs(lines: Lines) -> list[list[str]]:
    blocks = groupby(lines, key=lambda line: bool(line.strip()))
    return [list(block) for is_text, block in blocks if is_text]


def _merged(place: Place, *, mine_first: bool) -> Lines | None:
    """Both edits of some lines, as items of a list or word by word; None where they clash."""

    def merge_words(*texts: str) -> str | None:
        return _words(*texts, mine_first=mine_first)

    if any(BULLET.match(side[0]) for side in (place.base, place.mine, place.theirs) if side):
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
            if added is None and start < end:
                added = _by_one(Place(before[start:end], here, there), mine_first)
            if added is None:
                return None
            here = [added]
        merged += [*before[done:start], *(here if left else there)]
        done = end
    return "".join((*merged, *before[done:]))


def _by_one(place: Place, mine_first: bool) -> str | None:
    """Words that one side removed beside some that the other added; None where both added."""
    above, hole, below = narrowed(place, mine_first=mine_first)
    return None if hole.mine or hole.theirs else "".join((*above, *below))


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
