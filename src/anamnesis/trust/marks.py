"""What the words of a text could be part of, known of each word once it was met.

A scan asks many things of every text: is one of a hundred literals in it, were words spelled out,
split, turned or mixed with other signs. Each has something that a single word shows. What no word
of a text shows need not be looked for, and most words show nothing at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis.trust import views

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALONE = (1 << len(_LETTERS)) - 1  # a bit for each letter that stands alone
_FIRST, _SECOND, _HALVES, _TURNED, _DISGUISED = (1 << at for at in range(26, 31))
_FIRST_LITERAL = 31  # from this bit on, one for each literal


class Marks(dict[str, int]):
    """What each word shows, as bits; words are added as they are met."""

    def __init__(self, literals: Sequence[str], telling: views.Telling) -> None:
        self._telling = telling
        self._firsts = frozenset[str]().union(*telling.halves.values())
        self._literals = literals
        self._pieces = [
            (_piece(literal), 1 << at) for at, literal in enumerate(literals, _FIRST_LITERAL)
        ]
        self._any_piece = re.compile("|".join(re.escape(piece) for piece, _ in self._pieces))
        self._nothing: set[str] = set()
        self._first: dict[str, str] = {}  # by a word, the half that it ends with
        self._second: dict[str, str] = {}  # by a word, the half that it begins with

    def of(self, words: Iterable[str]) -> int:
        """What some words of a view show, taken together."""
        shown = 0
        telling = set(words) - self._nothing
        for word in telling:
            shown |= self[word]
        if shown & _FIRST and shown & _SECOND and self._are_halves(telling):
            shown |= _HALVES
        return shown

    def literals(self, shown: int) -> list[str]:
        """The literals that a view may have."""
        bits = shown >> _FIRST_LITERAL
        return [each for at, each in enumerate(self._literals) if bits >> at & 1] if bits else []

    def __missing__(self, word: str) -> int:
        if len(self) + len(self._nothing) >= _MOST_WORDS:
            self.clear()
            self._nothing.clear()
            self._first.clear()
            self._second.clear()
        found = self._disguises(word)
        padded = f" {word} "
        if self._any_piece.search(padded):
            for piece, bit in self._pieces:
                found |= bit if piece in padded else 0
        if found:
            self[word] = found
        else:
            self._nothing.add(word)
        return found

    def _disguises(self, word: str) -> int:
        spoken = [word] if word.isalpha() else views.words(word)
        if not spoken:
            return 0
        found = _TURNED if not self._telling.turned.isdisjoint(spoken) else 0
        for each in spoken:
            if len(each) == 1 and each in _LETTERS:
                found |= 1 << _LETTERS.index(each)
        if spoken[-1] in self._firsts and word.endswith(spoken[-1]):
            found |= _FIRST
            self._first[word] = spoken[-1]
        if spoken[0] in self._telling.halves and word.startswith(spoken[0]):
            found |= _SECOND
            self._second[word] = spoken[0]
        return found | (_DISGUISED if views.may_be_disguised(word, self._telling) else 0)

    def _are_halves(self, words: set[str]) -> bool:
        firsts = {self._first[word] for word in words & self._first.keys()}
        seconds = (self._second[word] for word in words & self._second.keys())
        return any(not self._telling.halves[each].isdisjoint(firsts) for each in seconds)


def ways_of(shown: int) -> views.Ways:
    """In which ways a view whose words show this may hide what it says."""
    found = views.NO_WAY
    if shown & _TURNED:
        found |= views.Ways.TURNED
    if shown & _DISGUISED:
        found |= views.Ways.MIXED
    if shown & _HALVES:
        found |= views.Ways.HALVED
    if (shown & _ALONE).bit_count() >= views.LEAST_LETTERS:
        found |= views.Ways.SPELLED
    return found


def _piece(literal: str) -> str:
    """The longest part of a literal without a blank inside, with the blanks at its ends."""
    parts = literal.split(" ")
    last = len(parts) - 1
    return max(
        (f"{' ' * (at > 0)}{part}{' ' * (at < last)}" for at, part in enumerate(parts) if part),
        key=len,
    )
