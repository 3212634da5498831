"""Text as the numbers that the model reads: pieces of words, by byte pair encoding.

The usual library for this brings a client for a model hub and nine more packages with it; this is
the part that is needed, and gives the same numbers (docs/decisions/0014-semantic-recall.md).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Numbers that are no digits: a half, a Roman eight, a circled one.
_COUNTS = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u218b\u2460-\u249b"
_LETTER = rf"[^\W\d_{_COUNTS}]"
_NUMBER = rf"[\d{_COUNTS}]"
_RUN = (
    "{1,200}"  # joining pieces takes the square of a run's length; a key has thousands of letters
)
_WORD = re.compile(
    rf"'(?:[stmd]|re|ve|ll)| ?{_LETTER}{_RUN}| ?{_NUMBER}{_RUN}| ?(?:[^\s\w]|_){_RUN}|\s+(?!\S)|\s+"
)
_CACHED_WORDS = 20_000


class Tokenizer:
    """The vocabulary of a model, and how its pieces are joined."""

    def __init__(self, description: str) -> None:
        model = json.loads(description)["model"]
        self._numbers: dict[str, int] = model["vocab"]
        merges = [
            tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in model["merges"]
        ]
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._never = len(merges)
        self.word = lru_cache(maxsize=_CACHED_WORDS)(self._word)

    def tokens(self, text: str) -> list[int]:
        """The numbers of a text."""
        return [number for word in _WORD.findall(text) for number in self.word(word)]

    def _word(self, word: str) -> list[int]:
        """Join the pair of pieces that was learnt first, again and again, from single bytes."""
        pieces = list(word.encode("utf-8", "replace").decode("latin-1").translate(_LETTERS))
        while len(pieces) > 1:
            ranks = [self._ranks.get(pair, self._never) for pair in pairwise(pieces)]
            first = min(ranks)
            if first == self._never:
                break
            pieces = _joined(pieces, ranks, first)
        return [self._numbers[piece] for piece in pieces]


def _joined(pieces: Sequence[str], ranks: Sequence[int], wanted: int) -> list[str]:
    joined: list[str] = []
    at = 0
    while at < len(pieces):
        both = at < len(ranks) and ranks[at] == wanted
        joined.append(pieces[at] + pieces[at + 1] if both else pieces[at])
        at += 2 if both else 1
    return joined


def _letters() -> dict[int, int]:
    """A visible character for each byte: its own where it has one, else one from 256 up."""
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = (byte for byte in range(256) if byte not in visible)
    return {byte: 256 + at for at, byte in enumerate(others)}


_LETTERS = _letters()
