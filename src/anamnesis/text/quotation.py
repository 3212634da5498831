"""Whether a text repeats another: by runs of eight words, in any language and without a word list.

A run is compared without case, punctuation and markup. Where a script puts no spaces between
words, a character counts as a part of one: sixteen Chinese characters or thirty-two Thai ones are
a run. A sentence that is shorter than a run is compared as a whole, from three words on.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from anamnesis.text.spans import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.text.spans import Span

_RUN = 8  # words: .1 % of the sentences of real sessions share such a run with what was read
_SHORTEST = 3  # words of a sentence that counts; with two, "All done." would be somebody's
MOST = 500_000  # runs that are kept, about 3 MB of text and 50 MB of memory
_MOST_SEARCHES = 200  # a millisecond each; after that, what was read is foreign
_UNITS = 4  # of a word; a character of a script without spaces has fewer
_HALVES = re.compile("[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")  # Chinese, Japanese
_QUARTERS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
_UNSPACED = re.compile(f"{_HALVES.pattern}|{_QUARTERS.pattern}")
_INLINE = re.compile(
    r"</?(?:a|b|code|em|i|mark|small|span|strong|u)(?:\s[^<>\n]{0,300})?>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z!][^<>\n]{0,300}>")
_LINK = re.compile(r"\]\([^()\s]{1,500}\)")
_ESCAPED = re.compile(r"\\(?:[nrt]|u[0-9a-fA-F]{4})")
_PART = re.compile(r"\S+\s*")
_SENTENCE = re.compile(r"[.!?][\"')\]*`]{0,3}\s+|[\u3002\uff01\uff1f]|\n")


class _Letters(dict[int, str]):
    """What `str.translate` makes of each character, worked out once."""

    def __missing__(self, point: int) -> str:
        """A letter as it is, other characters as nothing or as a space."""
        letter = chr(point)
        if _UNSPACED.match(letter) and letter.isalpha():
            kept = f" {letter} "
        elif letter.isalnum() or category(letter) in {"Mn", "Mc"}:
            kept = letter
        elif (
            letter.isspace() or letter == "|" or not (letter.isascii() or category(letter) == "Cf")
        ):
            kept = " "
        else:
            kept = ""  # `don't` is a word, and so are a path and an address
        self[point] = kept
        return kept


_LETTERS = _Letters()


class Quotation:
    """Texts from elsewhere, as hashes of their runs and short sentences.

    Two lists may grow meanwhile: no run of what was `typed` is foreign, and none of what was
    `seen` here before it was read.
    """

    def __init__(self, *, typed: list[str], seen: list[str]) -> None:
        self._read: dict[int, int] = {}  # each with how many texts were seen here before
        self._sizes: dict[str, set[int]] = {}  # of short sentences, by their first word
        self._typed = _Texts(typed)
        self._seen = _Texts(seen)
        self._searches = _MOST_SEARCHES

    def read(self, text: str) -> None:
        """Take in a text from elsewhere: its runs are foreign from now on."""
        if len(self._read) >= MOST:
            return
        words: list[str] = []
        text, before = _laid_bare(text), len(self._seen)
        for start, end in sentences(text):
            part = _words(text[start:end])
            words += part
            if _SHORTEST * _UNITS <= sum(map(_units, part)) < _RUN * _UNITS:
                self._read.setdefault(hash(tuple(part)), before)
                self._sizes.setdefault(part[0], set()).add(len(part))
        for each in islice(_run_hashes(words), max(0, MOST - len(self._read))):
            self._read.setdefault(each, before)

    def spans(self, text: str, *, by_word: bool = False) -> list[Span]:
        """The sentences of a text that repeat a run or a whole sentence, by their place.

        By word, only the words that do: what a program prints has no sentences.
        """
        words = _words(text)
        short = (hash(tuple(words[first:last])) for first, last in self._short(words))
        if self._read.keys().isdisjoint(chain(_run_hashes(words), short)):
            return []
        words.clear()
        places: list[Span] = []
        for part in _PART.finditer(text) if by_word else sentences(text):
            start, end = part if isinstance(part, tuple) else part.span()
            words += (own := _words(text[start:end]))
            places += [(start, end)] * len(own)
        return _joined(
            place
            for first, last in chain(_runs(words), self._short(words))
            if self._is_foreign(words[first:last])
            for place in places[first:last]
        )

    def without(self, text: str, *, by_word: bool = False) -> str:
        """A text without the sentences, or words, that repeat what was read."""
        spans = self.spans(text, by_word=by_word)
        return cut(text, spans) if spans else text

    def _short(self, words: list[str]) -> Iterator[Span]:
        """Where a whole sentence may stand that is shorter than a run."""
        for first in [at for at, word in enumerate(words) if word in self._sizes]:
            for size in self._sizes[words[first]]:
                yield first, first + size

    def _is_foreign(self, words: list[str]) -> bool:
        """Whether a run or a sentence was read, was not typed, and did not stand here before."""
        found = hash(tuple(words))
        if (before := self._read.get(found, -1)) < 0 or self._typed.has(words):
            return False
        if before and self._searches:
            self._searches -= 1
            if self._seen.has(words, first=before):
                del self._read[found]
                return False
        self._read[found] = 0  # it is not searched for again
        return True


class _Texts:
    """Texts in which words can be looked up; they are prepared when the first is."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._plain = ""
        self._places: list[int] = []  # where each text begins in the plain one

    def __len__(self) -> int:
        return len(self._texts)

    def has(self, words: list[str], *, first: int | None = None) -> bool:
        """Whether the words stand in one of the texts, or of the first ones."""
        size, more = len(self._plain), []
        for text in self._texts[len(self._places) : first]:
            self._places.append(size)
            more.append(f" {' '.join(_words(text))} \n")
            size += len(more[-1])
        self._plain += "".join(more)
        end = self._places[first] if first is not None and first < len(self._places) else size
        return self._plain.find(f" {' '.join(words)} ", 0, end) >= 0


def sentences(text: str) -> list[Span]:
    """The sentences of a text and what follows each, by their place: together the whole text."""
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    places = zip([0, *ends], [*ends, len(text)], strict=True)
    return [(start, end) for start, end in places if start < end]


def _joined(places: Iterable[Span]) -> list[Span]:
    spans: list[Span] = []
    for start, end in sorted(set(places)):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _laid_bare(text: str) -> str:
    """A page or an answer of a server without its markup and the escapes of JSON."""
    if "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if "<" in text:
        text = _TAG.sub("\n", _INLINE.sub("", text))
    if "&" in text:
        from html import unescape

        text = unescape(text)
    return text


def _unescaped(found: re.Match[str]) -> str:
    code = found[0][2:]
    return chr(int(code, 16)) if code else "\n"


def _run_hashes(words: list[str]) -> Iterator[int]:
    if not _UNSPACED.search("".join(words)):
        return map(hash, zip(*(words[at:] for at in range(_RUN)), strict=False))
    return (hash(tuple(words[first:last])) for first, last in _runs(words))


def _runs(words: list[str]) -> Iterator[Span]:
    """Where each run begins and ends: at the first word that makes it long enough."""
    sizes = [0, *accumulate(map(_units, words))]
    last = 0
    for first, before in enumerate(sizes):
        while last < len(sizes) and sizes[last] - before < _RUN * _UNITS:
            last += 1
        if last == len(sizes):
            return
        yield first, last


def _units(word: str) -> int:
    if len(word) > 1 or word.isascii():
        return _UNITS
    return _UNITS // 2 if _HALVES.match(word) else _UNITS // 4 if _QUARTERS.match(word) else _UNITS


def _words(text: str) -> list[str]:
    if "](" in text:
        text = _LINK.sub("]", text)
    if not text.isascii():
        text = normalize("NFKC", text)
    return text.casefold().translate(_LETTERS).split()
