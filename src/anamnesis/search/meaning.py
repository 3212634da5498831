"""How near two texts are in meaning, by the vectors of their words.

The table beside this file gives each of 28,000 English words and word pieces a vector of small
whole numbers (benchmarks/word_vectors.py makes it, meaning.LICENSE.txt says whose it is). A text
is the sum of its words. A vector is kept as one big integer with 32 bits for each dimension:
adding two texts is then one addition, fast without any library and equal on every machine. What
a note means is kept in the index as 256 signed bytes: computing it costs more than a lookup.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from mmap import ACCESS_READ, mmap
from operator import mul

from anamnesis.config import is_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE = os.path.join(os.path.dirname(__file__), "meaning.bin")
_ZERO = 7  # four bits hold -7..7, stored from 0 up
_BORDERS = struct.Struct("<II")
_LANE = 4  # bytes: room for the words of a long note
_MOST_WORDS = 256  # words of a text; an even sample of this size represents the whole
_LONGEST_WORD = 40
_CACHED_WORDS = 3_500  # 1.1 KB each; a server keeps them for as long as it runs
_CACHED_PIECES = 2048
_CACHED_SPLITS = 8_192  # 0.2 KB each: taking a word apart costs more than adding its pieces
_LARGEST = 127  # of a signed byte
_NIBBLES = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


def _number(header: bytes, key: bytes) -> int:
    """A number from the table's header; loading JSON for two of them would slow every prompt."""
    return int(header.partition(b'"%s": ' % key)[2].rstrip(b"}").partition(b",")[0])


class Table(dict[str, int]):
    """The vector of every word met so far, as a big integer; an unknown word is 0.

    The file holds a line about itself, the borders between words, the words in the order of
    their bytes, and their rows. It is mapped, not read: a prompt needs about a hundred rows.
    """

    def __init__(self, content: mmap, *, pieces: bool = True) -> None:
        first = content.find(b"\n")
        header = content[:first]
        self._count = _number(header, b"words")
        self.dimensions = _number(header, b"dimensions")
        self._borders = first + 1
        self._words = self._borders + _LANE * (self._count + 1)
        self._width = 1 + self.dimensions // 2
        self._rows = len(content) - self._count * self._width
        self._content, self._in_pieces = content, pieces
        _, last = _BORDERS.unpack_from(content, self._words - 2 * _LANE)
        if self._words + last != self._rows:
            raise ValueError("the parts of the table do not fit together")
        # Splitting a word looks up a dozen prefixes of it: that is worth a table in memory.
        self._places = self._all_places() if pieces else {}
        self._lanes = struct.Struct(f"<{self.dimensions + 1}I")
        self.packed = struct.Struct(f"{self.dimensions}b")
        self._piece = lru_cache(maxsize=_CACHED_PIECES)(self._vector)
        self._pieces = lru_cache(maxsize=_CACHED_SPLITS)(self._split)

    def __missing__(self, word: str) -> int:
        places = self._pieces(word)
        vector = self._vector(places[0]) if len(places) == 1 else sum(map(self._piece, places))
        if len(self) < _CACHED_WORDS:  # the common words come first; they stay
            self[word] = vector
        return vector

    def sum_of(self, words: Sequence[str]) -> list[int]:
        """The sum of some words."""
        total = sum(map(self.__getitem__, words))
        *lanes, zero = self._lanes.unpack(total.to_bytes(self._lanes.size, "little"))
        return [lane - zero for lane in lanes]

    def has(self, word: str) -> bool:
        """Whether the table has a vector for this word as a whole."""
        return self._place(word) is not None

    def _split(self, word: str) -> list[int]:
        """The longest known pieces of a word, from the left; none if a rest is unknown."""
        places: list[int] = []
        if not word.isalpha():  # numbers, versions and hashes mean nothing here
            return places
        if not self._in_pieces:
            place = self._place(word)
            return places if place is None else [place]
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                place = self._place(mark + word[start:end])
                if place is not None:
                    places.append(place)
                    start = end
                    break
            else:
                return []
        return places

    def _place(self, word: str) -> int | None:
        """Where the row of a word begins."""
        if self._places:
            return self._places.get(word)
        wanted = word.encode()
        at: int = bisect_left(range(self._count), wanted, key=self._word)
        if at == self._count or self._word(at) != wanted:
            return None
        return int(self._rows + at * self._width)

    def _all_places(self) -> dict[str, int]:
        borders = struct.unpack_from(f"<{self._count + 1}I", self._content, self._borders)
        joined = self._content[self._words : self._rows]
        names = [joined[start:end].decode() for start, end in pairwise(borders)]
        rows = range(self._rows, self._rows + self._count * self._width, self._width)
        return dict(zip(names, rows, strict=True))

    def _word(self, at: int) -> bytes:
        start, end = _BORDERS.unpack_from(self._content, self._borders + _LANE * at)
        return self._content[self._words + start : self._words + end]

    def _vector(self, place: int) -> int:
        row = self._content[place : place + self._width]
        lanes = bytearray(self._lanes.size)
        lanes[0:-_LANE:_LANE] = row[1:].hex().encode().translate(_NIBBLES)
        lanes[-_LANE] = _ZERO
        return int.from_bytes(lanes, "little") * row[0]


class Meaning:
    """What a question means, to compare notes with."""

    def __init__(self, table: Table, words: Sequence[str]) -> None:
        self._table = table
        self._question = table.sum_of(_sample(words))
        self._length = sqrt(sum(map(mul, self._question, self._question)))

    def vector(self, words: Sequence[str]) -> bytes:
        """What a text means, as it is kept; nothing if no word of it means anything."""
        lanes = self._table.sum_of(_sample(words))
        largest = max(map(abs, lanes))
        if not largest:
            return b""
        scale = _LARGEST / largest
        return self._table.packed.pack(*[round(lane * scale) for lane in lanes])

    def nearness(self, vector: bytes) -> float:
        """The cosine between the question and a text: 1 for the same, 0 for nothing in common."""
        if len(vector) != self._table.packed.size or not self._length:
            return 0.0
        lanes = self._table.packed.unpack(vector)
        square = sum(map(mul, lanes, lanes))
        product: int = sum(map(mul, lanes, self._question))
        return float(product / (sqrt(square) * self._length)) if square else 0.0


def _sample(words: Sequence[str]) -> Sequence[str]:
    if len(words) <= _MOST_WORDS:
        return words
    return [words[at * len(words) // _MOST_WORDS] for at in range(_MOST_WORDS)]


def of(words: Sequence[str], *, pieces: bool = True) -> Meaning | None:
    """The meaning of a question; None where meaning is switched off or its table unusable.

    Without `pieces`, words that the table does not have as a whole mean nothing; splitting them
    is what costs most.
    """
    table = None if is_off() else _table(pieces=pieces)
    return None if table is None else Meaning(table, words)


def knows(word: str) -> bool:
    """Whether a word in lower case is an English one, and not a made-up name."""
    table = _table(pieces=False)
    return table is not None and table.has(word)


def is_off() -> bool:
    """Whether you switched recall by meaning off."""
    return not is_on("meaning", default=True)


def problem() -> str:
    """Why notes are not found by meaning although they should be, for `status`."""
    if is_off() or _table(pieces=False) is not None:
        return ""
    return f"{_FILE} is missing or damaged; notes are found by their words alone"


@lru_cache(maxsize=2)
def _table(*, pieces: bool) -> Table | None:
    try:
        with open(_FILE, "rb") as stream:
            return Table(mmap(stream.fileno(), 0, access=ACCESS_READ), pieces=pieces)
    except (OSError, ValueError, LookupError, struct.error):
        return None
