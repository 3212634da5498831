"""Whether a text repeats another: by runs of eight words, in any language and without a word list.

A run is compared without case, punctuation and markup. Where a script puts no spaces between
words, a character counts as a part of one: sixteen Chinese characters or thirty-two Thai ones are
a run. A sentence that is shorter than a run is compared as a whole, unless it is too short to be
anyone's.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain
from unicodedata import category, normalize

from anamnesis.text.spans import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.text.spans import Span

_RUN = 8  # words: of real sessions' sentences, 0 to 3 % share such a run with what was read
_SHORTEST = 3  # words of a sentence that is compared as a whole; "All done." is anyone's
MOST = 500_000  # runs that are kept, about 3 MB of text and 50 MB of memory
_MOST_SEEN = 4_000_000  # characters from here that are kept to be searched
_MOST_SEARCHES = 200  # of those, each a millisecond; after that, what was read is foreign
_UNITS = 4  # of a word; a character of a script without spaces has fewer
_HALVES = re.compile("[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")  # Chinese, Japanese
_QUARTERS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
_UNSPACED = re.compile(f"{_HALVES.pattern}|{_QUARTERS.pattern}")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_LINK = re.compile(r"\]\([^()\s]{1,500}\)")
_ESCAPED = re.compile(r"\\(?:[nrt]|u[0-9a-fA-F]{4})")
_PART = re.compile(r"\S+\s*")
_SENTENCE = re.compile(r"[.!?][\"')\]*`]{0,3}\s+|[\u3002\uff01\uff1f]|\n")


class _Letters(dict[int, str]):
    """What `str.translate` makes of each character, worked out once."""

    def __missing__(self, point: int) -> str:
        """A letter as it is, other characters as nothing or as a space."""
        letter = chr(point)
        if letter == "\n":
            kept = letter
        elif _UNSPACED.match(letter) and letter.isalpha():
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
    """Texts from elsewhere, as hashes of their runs and short sentences."""

    def __init__(self) -> None:
        # Each run or sentence, with how many texts of `_seen` came before it.
        self._read: dict[int, int] = {}
        self._own: set[int] = set()
        self._typed: list[str] = []  # texts that are not in `_own` yet: most sessions read nothing
        self._seen: list[str] = []
        self._plain = ""  # the first of them as words between spaces
        self._places: list[int] = []  # where each begins there
        self._room = _MOST_SEEN
        self._searches = _MOST_SEARCHES
        self._last: tuple[str, bool, list[Span]] = ("", False, [])

    def read(self, text: str) -> None:
        """Take in a text from elsewhere: its runs are foreign from now on."""
        if len(self._read) < MOST:
            before = len(self._seen)
            for each in _hashes(_laid_bare(text)):
                self._read.setdefault(each, before)
            self._disown()

    def own(self, text: str) -> None:
        """Take in a text of the person: none of its runs is foreign, before and after."""
        self._typed.append(text)
        if self._read:
            self._disown()

    def see(self, text: str) -> None:
        """Take in a text from here: its runs are not foreign, unless they were read before."""
        if len(text) <= self._room:
            self._room -= len(text)
            self._seen.append(text)

    def _disown(self) -> None:
        for text in self._typed:
            self._own.update(_hashes(text))
        self._typed.clear()
        for each in self._own & self._read.keys():
            del self._read[each]
        self._last = ("", False, [])

    def spans(self, text: str, *, by_word: bool = False) -> list[Span]:
        """The sentences of a text that repeat a run or a whole sentence, by their place.

        By word, only the words of the run: what a program prints has no sentences.
        """
        if not self._read or not text:
            return []
        if self._last[:2] != (text, by_word):  # a text is asked about for the note and the archive
            self._last = (text, by_word, self._found(text, by_word=by_word))
        return self._last[2]

    def _found(self, text: str, *, by_word: bool) -> list[Span]:
        if self._read.keys().isdisjoint(_hashes(text)):
            return []
        whole = sentences(text)
        spans = [each for each in whole if self._is_foreign(_letters(text[slice(*each)]).split())]
        parts = [each.span() for each in _PART.finditer(text)] if by_word else whole
        words: list[str] = []
        places: list[Span] = []
        for start, end in parts:
            own = _letters(text[start:end]).split()
            words += own
            places += [(start, end)] * len(own)
        for first, last in _runs(words):
            if self._is_foreign(words[first:last], is_run=True):
                spans += places[first:last]
        return _joined(spans)

    def _is_foreign(self, words: list[str], *, is_run: bool = False) -> bool:
        """Whether a run or a sentence was read, and did not stand anywhere before."""
        found = hash(tuple(words)) if is_run else _whole(words)
        if (before := self._read.get(found, -1)) < 0:
            return False
        if before and self._searches and self._stood(words, before):
            del self._read[found]
            return False
        self._read[found] = 0  # it is not searched for again
        return True

    def _stood(self, words: list[str], before: int) -> bool:
        self._searches -= 1
        size, more = len(self._plain), []
        for text in self._seen[len(self._places) : before]:
            self._places.append(size)
            more.append(f" {' '.join(_letters(text).split())} \n")
            size += len(more[-1])
        self._plain += "".join(more)
        end = self._places[before] if before < len(self._places) else len(self._plain)
        return self._plain.find(f" {' '.join(words)} ", 0, end) >= 0

    def without(self, text: str, *, by_word: bool = False) -> str:
        """A text without the sentences, or words, that repeat what was read."""
        return cut(text, self.spans(text, by_word=by_word))


def sentences(text: str) -> list[Span]:
    """The sentences of a text and what follows each, by their place: together the whole text."""
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    starts = [0, *ends]
    return [each for each in zip(starts, [*ends, len(text)], strict=True) if each[0] < each[1]]


def _joined(places: Iterable[Span]) -> list[Span]:
    spans: list[Span] = []
    for start, end in sorted(set(places)):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _laid_bare(text: str) -> str:
    """A page or an answer of a server without its markup and the escapes of JSON."""
    if "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if "<" in text:
        text = _TAG.sub("\n", text)
    if "&" in text:
        from html import unescape

        text = unescape(text)
    return text


def _unescaped(found: re.Match[str]) -> str:
    code = found[0][2:]
    return chr(int(code, 16)) if code else "\n"


def _hashes(text: str) -> Iterable[int]:
    """The hashes of a text's runs, and of its sentences that are shorter than a run."""
    parts = [part.split() for part in _letters(_SENTENCE.sub("\n", text)).split("\n")]
    whole = [found for part in parts if (found := _whole(part))]
    words = [word for part in parts for word in part]
    if text.isascii() or not _UNSPACED.search(text):
        return chain(whole, map(hash, zip(*(words[at:] for at in range(_RUN)), strict=False)))
    return chain(whole, (hash(tuple(words[first:last])) for first, last in _runs(words)))


def _whole(words: list[str]) -> int:
    """The hash of a sentence that is shorter than a run; 0 for any other."""
    if len(words) < _SHORTEST or (len(words) >= _RUN and words[0].isascii()):
        return 0
    size = sum(map(_units, words))
    return hash(("", *words)) if _SHORTEST * _UNITS <= size < _RUN * _UNITS else 0


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


def _letters(text: str) -> str:
    """A text as words between spaces, and its lines."""
    if "](" in text:
        text = _LINK.sub("]", text)
    if not text.isascii():
        text = normalize("NFKC", text)
    return text.casefold().translate(_LETTERS)
