"""Lists, merged item by item, steps without numbers, and what a merged text must keep; pure."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import FENCE, are_alike, ended, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from anamnesis.sync.diff3 import Place

    Lines = Sequence[str]
    Texts = tuple[str, str, str]  # the base, ours, theirs
    Results = tuple[str, str]  # what all machines get, what this one keeps
    Words = Callable[[str, str, str], str | None]

BULLET = re.compile(r"([ \t]*)[-*+] ")
NUMBERED = re.compile(r"^[ \t]*(?:\d+|\0)[.)]\s", re.MULTILINE)
_STEP = re.compile(r"([ \t]*)(\d{1,9})(?=[.)]\s)")
_ROW = re.compile(r"[ \t]*\|")  # of a table
_RULE = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*$")  # below its head
_MARK = "\0"  # in the place of a number; no word, so it makes no two steps alike


class Steps:
    """Three versions of some lines without the numbers of steps, which can be put back."""

    def __init__(self, versions: Sequence[Lines], codes: Sequence[Sequence[bool]]) -> None:
        """`codes` says which lines are code: those keep their numbers."""
        self.plain: list[list[str]] = []
        self._numbers: list[dict[str, list[str]]] = []
        has_mark = any(_MARK in line for lines in versions for line in lines)
        for lines, in_code in zip(versions, codes, strict=True):
            numbers: dict[str, list[str]] = {}
            plain = list(lines)
            for at, line in enumerate(lines):
                step = None if in_code[at] or has_mark else _STEP.match(line)
                if step is not None:
                    plain[at] = f"{step[1]}{_MARK}{line[step.end() :]}"
                    numbers.setdefault(plain[at], []).append(step[2])
            self.plain.append(plain)
            self._numbers.append(numbers)

    def numbered(self, lines: Lines) -> Iterator[str]:
        """Merged lines, each with a number that one of the versions gave it."""
        seen: dict[str, int] = {}
        for line in lines:
            if not any(line in numbers for numbers in self._numbers):
                yield line
                continue
            at = seen[line] = seen.get(line, -1) + 1
            yield line.replace(_MARK, self._number(line, at), 1)

    def _number(self, line: str, at: int) -> str:
        """The number of one of several equal steps: what a side made of it.

        Of two numbers that both sides changed it to, the higher one has more steps above it.
        """
        known = [numbers.get(line, []) for numbers in self._numbers]
        at = min(at, max(map(len, known)) - 1)
        base, mine, theirs = (numbers[at] if at < len(numbers) else "" for numbers in known)
        if not mine or not theirs:
            return mine or theirs or base
        if base in (mine, theirs):
            return theirs if mine == base else mine
        return max(mine, theirs, key=int)


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
    first = BULLET.match(lines[0])
    if first is None:
        return None
    depth = len(first[1])
    items: list[str] = []
    for line in ended(lines):
        bullet = BULLET.match(line)
        if bullet is not None and len(bullet[1]) <= depth:
            items.append(line)
        elif line.strip() and not line[: depth + 1].isspace():
            return None
        else:
            items[-1] += line
    return items


def code_lines(lines: Lines) -> list[bool]:
    """Which lines belong to a block of code, its fences included."""
    marks = []
    fenced = False
    for line in lines:
        is_fence = bool(FENCE.match(line))
        marks.append(fenced or is_fence)
        fenced = fenced != is_fence
    return marks


def is_whole(lines: Lines) -> bool:
    """Whether every block of code ends, and every table has its head and the rule below it."""
    in_code = code_lines(lines)
    if sum(bool(FENCE.match(line)) for line in lines) % 2:
        return False
    rows = [bool(_ROW.match(line)) and not code for line, code in zip(lines, in_code, strict=True)]
    heads = (at for at, row in enumerate(rows) if row and not (at and rows[at - 1]))
    return all(at + 1 < len(lines) and _RULE.match(lines[at + 1]) for at in heads)


def needs_lines(*sides: Lines) -> bool:
    """Whether some lines are code or numbered, where half a line from each side is nonsense."""
    return any(NUMBERED.match(line) or FENCE.match(line) for side in sides for line in side)


def keeps_words(results: Results, texts: Texts) -> bool:
    """Whether each side keeps its words, but for those the other removed, and has none twice.

    A result that does not is not taken: a wrong guess of which line became which costs a hold,
    never text.

    Only words that a version has once can tell: of others a merge may rightly need more or fewer.
    """
    base, mine, theirs = map(_counted, texts)
    often = {word for counts in (base, mine, theirs) for word, n in counts.items() if n > 1}
    shared, kept = map(_counted, results)
    for words, own, other in ((kept, mine, theirs), (shared, theirs, mine)):
        lost = own.keys() - words.keys() - (base.keys() - other.keys())
        twice = {word for word, count in words.items() if count > 1 and word in base}
        if not lost | twice <= often:
            return False
    return True


def keeps_structure(results: Results, texts: Texts, *, clean: bool) -> bool:
    """Whether what was closed stays closed, and what a side removed and nobody touched is gone.

    Only lines that the base has once can tell.
    """
    base, mine, theirs = map(lines_of, texts)
    shared, kept = map(lines_of, results)
    if is_whole(mine) and is_whole(theirs) and not (is_whole(shared) and is_whole(kept)):
        return False
    back = (set(mine) ^ set(theirs)) & set(base) & set(shared) if clean else ()
    counts = Counter(base)
    return all(counts[line] > 1 or not line.strip() for line in back)


def _counted(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", NUMBERED.sub("", text)))


def flowing(lines: Lines, others: Lines) -> list[list[str]]:
    """The lines, together where the other text has no line break between the same two words."""
    if len(lines) < 2 or not others:
        return [[line] for line in lines]
    within = {pair for line in others for pair in pairwise(line.split())}
    flowing: list[list[str]] = []
    for line in lines:
        words = (flowing[-1][-1].split()[-1:] if flowing else []) + line.split()[:1]
        if tuple(words) in within:
            flowing[-1].append(line)
        else:
            flowing.append([line])
    return flowing
