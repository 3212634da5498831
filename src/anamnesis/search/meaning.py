"""How near two texts are in meaning, by the vectors of their words.

The table beside this file gives each of 28,000 English words and word pieces a vector of small
whole numbers (benchmarks/word_vectors.py makes it, meaning.LICENSE.txt says whose it is). A text
is the sum of its words. A vector is kept as one big integer with 32 bits for each dimension:
adding two texts is then one addition, fast without any library and equal on every machine.
"""

from __future__ import annotations

import os
from functools import lru_cache
from math import sqrt
from operator import mul
from struct import Struct

from anamnesis.config import is_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE = os.path.join(os.path.dirname(__file__), "meaning.bin")
_ZERO = 7  # four bits hold -7..7, stored from 0 up
_LANE = 4  # bytes: room for the words of a long note
_MOST_WORDS = 256  # of a text; so many, taken evenly, say what the whole of it is about
_LONGEST_WORD = 40
_CACHED_WORDS = 12_000  # 1.1 KB each
_CACHED_PIECES = 2048
_CACHED_SPLITS = 16_384  # 0.2 KB each: taking a word apart costs more than adding its pieces
_NIBBLES = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


class Table(dict[str, int]):
    """The vector of every word met so far, as a big integer; an unknown word is 0."""

    def __init__(self, content: bytes) -> None:
        import json

        first = content.index(b"\n")
        header = json.loads(content[:first])
        count, self.dimensions = header["words"], header["dimensions"]
        self._width = 1 + self.dimensions // 2
        rows = len(content) - count * self._width
        entries = content[first + 1 : rows].decode().split("\n")[:count]
        self._places = {word: rows + at * self._width for at, word in enumerate(entries)}
        self._content = content
        self._lanes = Struct(f"<{self.dimensions + 1}I")
        self._piece = lru_cache(maxsize=_CACHED_PIECES)(self._vector)
        self._pieces = lru_cache(maxsize=_CACHED_SPLITS)(self._split)

    def __missing__(self, word: str) -> int:
        places = self._pieces(word)
        vector = self._vector(places[0]) if len(places) == 1 else sum(map(self._piece, places))
        if len(self) < _CACHED_WORDS:  # the common words come first; they stay
            self[word] = vector
        return vector

    def unpacked(self, words: Sequence[str]) -> tuple[list[int], int]:
        """The sum of some words as a list, and the zero that it is counted from."""
        total = sum(map(self.__getitem__, words))
        *lanes, zero = self._lanes.unpack(total.to_bytes(self._lanes.size, "little"))
        return lanes, zero

    def _split(self, word: str) -> list[int]:
        """The longest known pieces of a word, from the left; none if a rest is unknown."""
        places: list[int] = []
        if not word.isalpha():  # numbers, versions and hashes mean nothing here
            return places
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                place = self._places.get(mark + word[start:end])
                if place is not None:
                    places.append(place)
                    start = end
                    break
            else:
                return []
        return places

    def _vector(self, place: int) -> int:
        row = self._content[place : place + self._width]
        lanes = bytearray(self._lanes.size)
        lanes[0:-_LANE:_LANE] = row[1:].hex().encode().translate(_NIBBLES)
        lanes[-_LANE] = _ZERO
        return int.from_bytes(lanes, "little") * row[0]


class Meaning:
    """What a question means, to hold notes against."""

    def __init__(self, table: Table, words: Sequence[str]) -> None:
        self._table = table
        lanes, zero = table.unpacked(_sample(words))
        self._question = [lane - zero for lane in lanes]
        self._sum = sum(self._question)
        self._length = sqrt(sum(map(mul, self._question, self._question)))

    def nearness(self, words: Sequence[str]) -> float:
        """The cosine between the question and a text: 1 for the same, 0 for nothing in common."""
        lanes, zero = self._table.unpacked(_sample(words))
        total = sum(lanes)
        square = sum(map(mul, lanes, lanes)) - 2 * zero * total + len(lanes) * zero * zero
        if square <= 0 or self._length == 0:
            return 0.0
        product: int = sum(map(mul, lanes, self._question)) - zero * self._sum
        return float(product / (sqrt(square) * self._length))


def _sample(words: Sequence[str]) -> Sequence[str]:
    if len(words) <= _MOST_WORDS:
        return words
    return [words[at * len(words) // _MOST_WORDS] for at in range(_MOST_WORDS)]


def of(words: Sequence[str]) -> Meaning | None:
    """The meaning of a question, or None where meaning is switched off or cannot be had."""
    table = None if is_off() else _table()
    return None if table is None else Meaning(table, words)


def is_off() -> bool:
    """Whether this person wants recall by words alone."""
    return not is_on("meaning", default=True)


def problem() -> str:
    """Why notes are not found by meaning although they should be, for `status`."""
    if is_off() or _table() is not None:
        return ""
    return f"{_FILE} is missing or damaged; notes are found by their words alone"


@lru_cache(maxsize=1)
def _table() -> Table | None:
    try:
        with open(_FILE, "rb") as stream:
            return Table(stream.read())
    except (OSError, ValueError, LookupError):
        return None
