"""How much a text reads like an order to an agent: a sum of weights, for each sentence.

It adds the weights of the words, of three to five letters in a row within a word, of two words in
a row, of concepts (`grammar`) and of two concepts near each other. `weights.bin` holds one byte
for each place that a name can be hashed to; `benchmarks/orders.py` makes it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from anamnesis.trust.grammar import PARAGRAPH, letters, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WEIGHTS = os.path.join(os.path.dirname(__file__), "weights.bin")
_STRIPPED = "\"'`*_()[]{}<>.,;:!?|#+=-。、，；：！？।॥؟،…“”‘’«»「」『』（）"
_NEAR = 5  # words with a meaning between two concepts
_IN_A_ROW = (3, 4, 5)  # letters
_LONGEST_WORD = 60  # letters; what is longer is no word
_LONGEST = 30  # words of a sentence; code has no full stops
_WINDOW = 3  # sentences that are added up: an order and what is said about it
_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_SENTENCE_END = re.compile(rf"(?<=[.!?…。！？।॥؟{PARAGRAPH}])\s+")
_REDACTED = re.compile(r"\[redacted: [^\]]{0,40}\]")  # names a secret, and is none
_NOTHING = -1_000_000  # the sum of a view without words
_BEGINNING, _NO_WORD = "^", "#"
_SHOWN = 3  # words that a reason names
_SHORTEST_SHOWN = 4  # letters; "the" explains nothing
_WITHOUT_SIGNS = {ord(sign): None for sign in ".,: "}


def sentences(view: str) -> Iterator[list[str]]:
    """The words of each sentence of a view, as `views.plain` makes it."""
    for sentence in _SENTENCE_END.split(spaced(view)):
        words = sentence.split()
        if len(words) <= _LONGEST:
            yield words
        else:
            yield from (words[at : at + _LONGEST] for at in range(0, len(words), _LONGEST))


def bare(word: str) -> str:
    """A word without the punctuation around it; a placeholder for all but Latin words."""
    core = word.strip(_STRIPPED)
    return core if core.isascii() and core.isalpha() else _NO_WORD


def meanings(words: Iterable[str]) -> str:
    """The letters of the concepts in a sentence, without what means nothing."""
    table = letters()
    concepts = "".join(map(table.__getitem__, words))
    return table.without_descriptions(concepts).translate(_WITHOUT_SIGNS)


@cache
def concepts() -> dict[str, tuple[str, ...]]:
    """What each letter stands for."""
    return letters().concepts()


def within(word: str) -> Iterator[str]:
    """The names of what a word adds by itself: the word, its letters in a row, its concepts."""
    core = word.strip(_STRIPPED)
    if core.isascii() and core.isalpha():
        yield f"W {core}"
    yield from (f"C {each}" for letter in meanings([word]) for each in concepts()[letter])
    if len(core) <= _LONGEST_WORD and not core.isdigit():
        marked = f"<{core}>"
        every = (
            marked[at : at + size] for size in _IN_A_ROW for at in range(len(marked) - size + 1)
        )
        yield from (f"G {each}" for each in set(every))


def between(words: list[str]) -> set[str]:
    """The names of each pair of adjacent words; the first word is paired with the beginning.

    Two placeholders are no pair: they would say no more than that a text is not in English.
    """
    pairs = {*pairwise([_BEGINNING, *map(bare, words)])} - {(_NO_WORD, _NO_WORD)}
    return {f"B {one} {other}" for one, other in pairs}


def near(meant: str) -> set[str]:
    """Letters of concepts near each other, in their order."""
    return {
        first + second
        for gap in range(1, _NEAR + 1)
        for first, second in zip(meant, meant[gap:], strict=False)
    }


class Weights(dict[str, int]):
    """What each word adds to a sum; words are added as they turn up."""

    def __init__(self, saved: bytes) -> None:
        first, _, table = saved.partition(b"\n")
        limits = map(int, first.split())
        self.enough, self.wary, self.sure, self._worth, self.honest, self.honest_if_sure = limits
        self._table = memoryview(table).cast("b")
        self._pairs: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        found = self[word] = self._sum(within(word))
        return found

    def of(self, words: list[str]) -> int:
        """The sum of a sentence; pairs are looked at only if the words alone add up to enough."""
        total = sum(map(self.__getitem__, set(words)))
        if total < self._worth:
            return total
        meant = meanings(words)
        first = concepts()[meant[0]] if meant else ()
        total += self._sum(f"F {each}" for each in first) + self._sum(between(words))
        return total + sum(map(self._pair, near(meant)))

    def _sum(self, names: Iterable[str]) -> int:
        table, size = self._table, len(self._table)
        return sum(table[place(name, size)] for name in names)

    def _pair(self, pair: str) -> int:
        found = self._pairs.get(pair)
        if found is None:
            first, second = (concepts()[letter] for letter in pair)
            found = self._sum(f"P {one} {other}" for one in first for other in second)
            self._pairs[pair] = found
        return found


def place(name: str, size: int) -> int:
    """Where the weight of a name stands in a table of some size."""
    return crc32(name.encode("utf-8", "surrogatepass")) % size


@cache
def weights() -> Weights:
    """The one set of weights, read when it is first needed."""
    with open(_WEIGHTS, "rb") as file:
        return Weights(file.read())


class Sum(NamedTuple):
    """The sum of some sentences in a row."""

    total: int
    sentences: list[list[str]]


def strongest(view: str) -> Sum:
    """The sentences of a view that read most like an order to an agent."""
    every_sentence = list(sentences(_REDACTED.sub(" ", view)))
    sums = list(map(weights().of, every_sentence))
    best, where = _NOTHING, slice(0, 0)
    for first in range(len(sums)):
        total = 0
        for last in range(first, min(first + _WINDOW, len(sums))):
            total += sums[last]
            if total > best:
                best, where = total, slice(first, last + 1)
    return Sum(best, every_sentence[where])


def telling_words(every_sentence: list[list[str]]) -> list[str]:
    """The words that add most by themselves, for the reason."""
    model = weights()
    found = {_shown(word): model[word] for words in every_sentence for word in words}
    long = [word for word, weight in found.items() if len(word) >= _SHORTEST_SHOWN and weight > 0]
    telling = sorted(long, key=lambda word: (-found[word], word))
    return telling[:_SHOWN] or ["its wording"]


def _shown(word: str) -> str:
    core = word.strip(_STRIPPED)
    return core if core.isalpha() else ""
