"""Which language some words are in, and what its words have in common."""

from __future__ import annotations

import os
from functools import lru_cache

from anamnesis.ground.records import record
from anamnesis.text.words import FUNCTION_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_HITS = 2  # function words; a single one may be a name
_SHORTEST_STEM = 5  # letters; what is shorter begins too many words


@record
class Language:
    """What is known of a language: its function words and the endings of its words."""

    function_words: frozenset[str]
    endings: tuple[str, ...]  # the longest first

    def stem(self, word: str) -> str:
        """The beginning that a word shares with its other forms; empty if it is too short."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
                return word[: -len(ending)]
        return word if len(word) > _SHORTEST_STEM else ""


@lru_cache
def _languages() -> list[Language]:
    """The languages of the file beside this one, which says how it is written."""
    with open(os.path.join(os.path.dirname(__file__), "languages.txt"), encoding="ascii") as file:
        _comment, *blocks = file.read().split("\n\n")
    read = (block.partition("\n") for block in blocks)
    return [
        Language(frozenset(words.split()), tuple(head.partition(":")[2].split()))
        for head, _, words in read
    ]


def language_of(tokens: Sequence[str]) -> Language | None:
    """The language of some words; None for English and for unknown ones."""
    distinct = {token for token in tokens if len(token) > 1}  # single letters are in every language
    english = distinct & FUNCTION_WORDS
    found, most = None, _LEAST_HITS - 1
    for language in _languages():
        hits = distinct & language.function_words
        own = len(hits - english)  # words that both have do not tell them apart
        if own > most and own > len(english - hits):
            found, most = language, own
    return found
