"""Diffs of two texts, by line and by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 3
_MOST_LINES = 4000  # comparing is quadratic; longer texts are shown whole
_MOST_SHOWN = 1500  # lines on a page
_MOST_WORDS = 1000  # in a pair of lines
_ALIKE = 0.4  # share of words in common; with less, highlighting every difference only confuses
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Pieces = tuple[tuple[bool, str], ...]  # whether a piece differs from the other side, and its text


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff."""

    kind: str  # same, removed, added, gap, or rest (the number of lines left out)
    old: int | None
    new: int | None
    pieces: Pieces = ()


def lines(before: str, after: str) -> list[DiffLine]:
    """The changed lines with some context, cut off where the diff is very long."""
    diff = _diff(before.splitlines(), after.splitlines())
    if len(diff) <= _MOST_SHOWN:
        return diff
    rest = f"{len(diff) - _MOST_SHOWN:,} more lines"
    return [*diff[:_MOST_SHOWN], DiffLine("rest", None, None, ((False, rest),))]


def _diff(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    if len(before) + len(after) > _MOST_LINES:
        return [*_all_lines("removed", before), *_all_lines("added", after)]
    result: list[DiffLine] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        if result or group[0][1] > 0:
            result.append(DiffLine("gap", None, None))
        for tag, a, b, c, d in group:
            if tag == "equal":
                result += (
                    DiffLine("same", a + at + 1, c + at + 1, ((False, before[a + at]),))
                    for at in range(b - a)
                )
            else:
                result += _changed_lines(before[a:b], after[c:d], a, c)
    return result


def of_unified(diff: str) -> list[DiffLine]:
    """A unified diff as lines with their changed words."""
    result: list[DiffLine] = []
    old: list[str] = []
    new: list[str] = []
    at = to = 0

    for text in [*diff.splitlines()[2:], "@@ -1 +1 @@"]:  # the first two name the files
        if text.startswith(("-", "+")):
            (old if text[0] == "-" else new).append(text[1:])
            continue
        result += _changed_lines(old, new, at, to)
        at, to = at + len(old), to + len(new)
        old, new = [], []
        if head := _HUNK.match(text):
            if result or int(head[1]) > 1:
                result.append(DiffLine("gap", None, None))
            at, to = (max(0, int(number) - 1) for number in head.groups())
        else:
            result.append(DiffLine("same", at + 1, to + 1, ((False, text[1:]),)))
            at, to = at + 1, to + 1
    return result[:-1] if result else []  # without the gap of the hunk that ends the loop


def side_by_side(left_text: str, right_text: str) -> tuple[list[Pieces], list[Pieces]]:
    """The lines of both texts, each with the words that the other does not have."""
    before, after = left_text.splitlines(), right_text.splitlines()
    result = list(_changed_lines(before[:_MOST_SHOWN], after[:_MOST_SHOWN], 0, 0))
    left = [line.pieces for line in result if line.kind == "removed"]
    return left, [line.pieces for line in result if line.kind == "added"]


def words_of(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Both texts, each with the words that the other does not have."""
    return _changed_words(before.strip(), after.strip())


def _changed_lines(
    before: Sequence[str], after: Sequence[str], before_offset: int, after_offset: int
) -> Iterator[DiffLine]:
    pairs = [_changed_words(old, new) for old, new in zip(before, after, strict=False)]
    for at, text in enumerate(before):
        pieces = pairs[at][0] if at < len(pairs) else ((False, text),)
        yield DiffLine("removed", before_offset + at + 1, None, pieces)
    for at, text in enumerate(after):
        pieces = pairs[at][1] if at < len(pairs) else ((False, text),)
        yield DiffLine("added", None, after_offset + at + 1, pieces)


def _changed_words(before: str, after: str) -> tuple[Pieces, Pieces]:
    old_words, new_words = _WORD.findall(before), _WORD.findall(after)
    # Spaces are in every line; comparing them with each other took most of the time.
    matcher = SequenceMatcher(str.isspace, old_words, new_words, autojunk=False)
    if len(old_words) + len(new_words) > _MOST_WORDS or matcher.quick_ratio() < _ALIKE:
        return ((True, before),), ((True, after),)
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        left.append((tag != "equal", "".join(old_words[a:b])))
        right.append((tag != "equal", "".join(new_words[c:d])))
    return _non_empty(left), _non_empty(right)


def _non_empty(pieces: list[tuple[bool, str]]) -> Pieces:
    return tuple(piece for piece in pieces if piece[1])


def _all_lines(kind: str, texts: Sequence[str]) -> Iterator[DiffLine]:
    for at, text in enumerate(texts, 1):
        old, new = (at, None) if kind == "removed" else (None, at)
        yield DiffLine(kind, old, new, ((False, text),))
