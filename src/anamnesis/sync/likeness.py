"""Which lines of two texts are the same line, edited; pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALIKE = 0.5  # of the words of both: an edited sentence keeps more, another one shares fewer
_MAX_PAIRS = 10_000  # comparisons of two lines: some 50 ms


def are_alike(one: str, other: str) -> bool:
    """Whether a text is an edit of the other: most of the words are in both."""
    return _likeness(_words(one), _words(other)) >= _ALIKE


def pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Numbers of the lines that became one another, in order; the most alike in total."""
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
    found = []
    i = j = 0
    while i < len(scores) and j < len(scores[0]):
        if scores[i][j] >= _ALIKE and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))
