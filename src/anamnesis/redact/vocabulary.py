"""Which words developers use when they name things and write about them.

Names are made of such words, passwords that people choose of others: `access-token-v2` and
`pelican-grove-7` are built alike, and only the words tell them apart. `words.txt` holds the words
that most programs and their documentation use, written by `benchmarks/likely.py`; `remarks.txt`
holds what is said of passwords in many languages.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

_WORDS = Path(__file__).with_name("words.txt")
_REMARKS = Path(__file__).with_name("remarks.txt")
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{3,}(?![a-z])")
_SHORTEST = 3
_LONGEST_ENDING = 5
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ly")


@lru_cache(maxsize=5000)
def share_of_known_words(value: str) -> str:
    """How many of the words that a value is made of are known: `all`, `some` or `none`.

    Empty if it is made of no words at all.
    """
    pieces = words_in(value)
    if not pieces:
        return ""
    known = sum(not stems(piece.lower()).isdisjoint(_words()) for piece in pieces)
    return "all" if known == len(pieces) else "some" if known else "none"


def words_in(text: str) -> list[str]:
    """The words of a text; those of a name that is written as one word are separate."""
    return _WORD.findall(text)


def stems(word: str) -> set[str]:
    """A word and what is left of it without an ending."""
    found = {word[: -len(end)] for end in _ENDINGS if word.endswith(end)}
    return {word, *(stem for stem in found if len(stem) >= _SHORTEST)}


@cache
def _words() -> frozenset[str]:
    return frozenset(_WORDS.read_text("utf-8").split())


@lru_cache(maxsize=5000)
def is_remark(word: str) -> bool:
    """Whether a word is what people say of a password instead of giving it: "wrong", "falsch"."""
    word = word.lower()
    said, stems_said = _remarks()
    if word in said or word.endswith(("ly", "mente")):
        return True
    shortest = max(_SHORTEST, len(word) - _LONGEST_ENDING)
    return any(word[:length] in stems_said for length in range(shortest, len(word) + 1))


@cache
def _remarks() -> tuple[frozenset[str], frozenset[str]]:
    lines = _REMARKS.read_text("utf-8").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    stems_said = frozenset(word[:-1] for word in words if word.endswith("*"))
    return frozenset(word for word in words if not word.endswith("*")), stems_said
