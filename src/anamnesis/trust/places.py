"""Where in a text a rule can match: where one word of each of its needs stands close together.

Finding a word costs far less than running a pattern, and ordinary notes have many of the words
but hardly ever side by side; so a pattern is tried only where its sign could stand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anamnesis.trust.rules import Rule

_REACH = 400  # characters: the gaps that patterns allow add up to less
_NEAR = 200  # characters between the words that a sign needs; patterns allow gaps of 120
_NOWHERE = 1 << 60
_START = re.compile(r"\b\w|[^\w\s]")  # where a sign can begin: at a word or a mark


class Places:
    """The words of a view and where they stand, looked up once each."""

    def __init__(self, view: str, spoken: Iterable[str]) -> None:
        self.view = view
        self.spoken = frozenset(spoken)
        self._known: dict[str, list[int]] = {}

    def matches(self, rule: Rule, pattern: re.Pattern[str]) -> Iterator[int]:
        """Where the signs of a rule begin, all of whose needs are among the words."""
        if not rule.needs:
            yield from (found.start() for found in pattern.finditer(self.view))
        elif rule.lead is None:
            yield from self._within_reach(rule.needs, pattern)
        else:
            yield from self._beside(rule.needs, pattern, rule.lead)

    def _beside(
        self, needs: Sequence[frozenset[str]], pattern: re.Pattern[str], lead: int
    ) -> Iterator[int]:
        first, *others = map(self._of, needs)
        tried = 0
        for at in _near(first, others, _NEAR):
            for start in _START.finditer(self.view, max(tried, at - lead), at + 1):
                if pattern.match(self.view, start.start()):
                    yield start.start()
            tried = at + 1

    def _within_reach(
        self, needs: Sequence[frozenset[str]], pattern: re.Pattern[str]
    ) -> Iterator[int]:
        for start, end in self._stretches(needs):
            for found in pattern.finditer(self.view, start, end):
                # Where a stretch ends, `$` matches although the text goes on.
                if found.end() < end - 1 or end >= len(self.view):
                    yield found.start()

    def _stretches(self, needs: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
        """The parts of the view, in order and apart, in which every need is met."""
        first, *others = sorted(map(self._of, needs), key=len)
        start = end = -1
        for at in _near(first, others, _REACH):
            if at - _REACH > end:
                if end >= 0:
                    yield start, end
                start = max(0, at - _REACH)
            end = at + _REACH
        if end >= 0:
            yield start, end

    def _of(self, need: frozenset[str]) -> list[int]:
        words = need & self.spoken
        if len(words) == 1:
            return self._at(*words)
        return sorted([at for word in words for at in self._at(word)])

    def _at(self, word: str) -> list[int]:
        places = self._known.get(word)
        if places is None:
            places = self._known[word] = list(_occurrences(self.view, word))
        return places


def _occurrences(view: str, word: str) -> Iterator[int]:
    at = view.find(word)
    while at >= 0:
        end = at + len(word)
        if not (view[at - 1 : at].isalpha() or view[end : end + 1].isalpha()):
            yield at
        at = view.find(word, end)


def _near(first: list[int], others: list[list[int]], reach: int) -> list[int]:
    """The first places that have one of each of the others nearby."""
    for places in others:
        ended = [*places, _NOWHERE]
        first = [at for at in first if ended[bisect_left(ended, at - reach)] <= at + reach]
    return first
