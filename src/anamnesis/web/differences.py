"""Two texts, line by line and word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 3
_MOST_LINES = 4000  # comparing costs the product of both; longer texts are shown as they are
_MOST_SHOWN = 1500  # lines of a page
_MOST_WORDS = 1000  # of a pair of lines
_ALIKE = 0.4  # share of words in common; in lines that have less, marks would be confetti
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Pieces = tuple[tuple[bool, str], ...]  # whether it differs within its line, and the text


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a comparison."""

    kind: str  # same, removed, added, gap, or rest: how many more there are
    old: int | None
    new: int | None
    pieces: Pieces = ()


def lines(before: str, after: str) -> list[DiffLine]:
    """What changed, with a few lines around it; of a very long one the first lines."""
    lines_shown = _compared(before.splitlines(), after.splitlines())
    if len(lines_shown) <= _MOST_SHOWN:
        return lines_shown
    rest = f"{len(lines_shown) - _MOST_SHOWN:,} more lines"
    return [*lines_shown[:_MOST_SHOWN], DiffLine("rest", None, None, ((False, rest),))]


def _compared(one: Sequence[str], other: Sequence[str]) -> list[DiffLine]:
    if len(one) + len(other) > _MOST_LINES:
        return [*_whole("removed", one), *_whole("added", other)]
    result: list[DiffLine] = []
    for group in SequenceMatcher(None, one, other, autojunk=False).get_grouped_opcodes(_CONTEXT):
        if result or group[0][1] > 0:
            result.append(DiffLine("gap", None, None))
        for tag, a, b, c, d in group:
            if tag == "equal":
                result += (
                    DiffLine("same", a + at + 1, c + at + 1, ((False, one[a + at]),))
                    for at in range(b - a)
                )
            else:
                result += _changed(one[a:b], other[c:d], a, c)
    return result


def of_unified(diff: str) -> list[DiffLine]:
    """A unified diff, line by line and word by word."""
    result: list[DiffLine] = []
    old: list[str] = []
    new: list[str] = []
    at = to = 0

    for text in [*diff.splitlines()[2:], "@@ -1 +1 @@"]:  # the first two name the files
        if text.startswith(("-", "+")):
            (old if text[0] == "-" else new).append(text[1:])
            continue
        result += _changed(old, new, at, to)
        at, to = at + len(old), to + len(new)
        old, new = [], []
        if head := _HUNK.match(text):
            if result or int(head[1]) > 1:
                result.append(DiffLine("gap", None, None))
            at, to = (max(0, int(number) - 1) for number in head.groups())
        else:
            result.append(DiffLine("same", at + 1, to + 1, ((False, text[1:]),)))
            at, to = at + 1, to + 1
    return result[:-1] if result else []  # without the gap of the head that ends the loop


def side_by_side(one: str, other: str) -> tuple[list[Pieces], list[Pieces]]:
    """The lines of two texts, with the words that the other one does not have."""
    result = list(_changed(one.splitlines()[:_MOST_SHOWN], other.splitlines()[:_MOST_SHOWN], 0, 0))
    left = [line.pieces for line in result if line.kind == "removed"]
    return left, [line.pieces for line in result if line.kind == "added"]


def _changed(one: Sequence[str], other: Sequence[str], a: int, c: int) -> Iterator[DiffLine]:
    paired = [_words(old, new) for old, new in zip(one, other, strict=False)]
    for at, text in enumerate(one):
        pieces = paired[at][0] if at < len(paired) else ((False, text),)
        yield DiffLine("removed", a + at + 1, None, pieces)
    for at, text in enumerate(other):
        pieces = paired[at][1] if at < len(paired) else ((False, text),)
        yield DiffLine("added", None, c + at + 1, pieces)


def _words(before: str, after: str) -> tuple[Pieces, Pieces]:
    one, other = _WORD.findall(before), _WORD.findall(after)
    # Spaces are in every line and would be compared with each other, which took most of the time.
    matcher = SequenceMatcher(str.isspace, one, other, autojunk=False)
    if len(one) + len(other) > _MOST_WORDS or matcher.quick_ratio() < _ALIKE:
        return ((True, before),), ((True, after),)
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        left.append((tag != "equal", "".join(one[a:b])))
        right.append((tag != "equal", "".join(other[c:d])))
    return _filled(left), _filled(right)


def _filled(pieces: list[tuple[bool, str]]) -> Pieces:
    return tuple(piece for piece in pieces if piece[1])


def _whole(kind: str, texts: Sequence[str]) -> Iterator[DiffLine]:
    for at, text in enumerate(texts, 1):
        old, new = (at, None) if kind == "removed" else (None, at)
        yield DiffLine(kind, old, new, ((False, text),))
