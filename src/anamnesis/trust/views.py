"""What a text says once it is unveiled: invisible, look-alike, split and turned letters read out.

The first view is the text as a model reads it. Others are added only where something was hidden,
so that an ordinary note is looked at once. A scan asks many things of every view: is one of a
hundred literals in it, were words spelled out, split, turned or mixed with other signs. Each has
something that a single word shows, and `Marks` knows it of every word that was met before. What no
word of a view shows is not looked for, and most words show nothing at all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from anamnesis.trust import encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TURNED_WORDS = 2  # one may be chance

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
# Beside accents, what many leave out: vowel signs and hamzas of Arabic, the dot of Devanagari.
_ACCENTS = re.compile("[\u0300-\u036f\u0640\u064b-\u0655\u0670\u093c]")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_FLAG = "\U0001f3f4"  # three flags are written with the same invisible letters
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_FIRST_SELECTOR = "\ufe00"
_REVERSING = frozenset("\u202d\u202e")
_LAST_LATIN = "\u024f"
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
# Accented Latin letters, dashes, quotes, arrows and drawings: none joins with its neighbours.
_SINGLE = re.compile("[\x80-\u024f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u2bff]*")

# Letters of other alphabets that look like Latin ones, and small capitals.
_LOOK_ALIKES = str.maketrans(
    "абвгдеёзијкмнорԛѕтуԝхѵһԁɡӏіїүαβγεηικνορτυχωϲϳℓʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢс",
    "abbrdee3ujkmhopqstywxvhdgliiyabyenikvoptuxwcjllabcdefghijkmnoprstuvwyzc",
)
_LOOKING_ALIKE = frozenset(map(chr, _LOOK_ALIKES))
_REGIONAL = {0x1F1E6 + n: chr(ord("a") + n) for n in range(26)}
_LEET = str.maketrans("013457@$!", "oieastasi")
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm"
)  # lower case only, as views are

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS_ONLY = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
_LEAST_LETTERS = 4  # different ones; fewer spell no order
_FIVE_ALONE = "\x01" * 5  # lengths of words, as characters
_LETTERS_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s._*~|+,/\\-]{1,3}){4,}[^\W\d_](?![^\W_])")
_PATH = re.compile(r"[\"'`(]?(?:~|\.{0,2}/|[a-z]:\\)")
_CHAINS = re.compile(r"(?<![\w/.-])[a-z]+(?:[-_.][a-z]+){3,}(?![\w/.-])")
_DIGIT_IN_WORD = re.compile("[013457@$!][a-z]")
_QUOTES = "!\"'.,;:?()[]"
_WITHOUT_SIGNS = {
    code: None for code in (*range(10), *range(11, 128), 0x2019) if not chr(code).isalpha()
}
_LONGEST_WORD = 12  # letters; a longer one may be several that run together

_MOST_WORDS = 50_000  # remembered; some megabytes, forgotten at once when there are more
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALONE = (1 << len(_LETTERS)) - 1  # a bit for each letter that stands alone
_FIRST, _SECOND, _SPELLED, _HALVES, _TURNED, _DISGUISED = (1 << at for at in range(26, 32))
_FIRST_LITERAL = 32  # from this bit on, one for each literal
EVERY_DISGUISE = _SPELLED | _HALVES | _TURNED | _DISGUISED


def hidden(text: str) -> str:
    """How a text hides letters from whoever reviews it; empty if it does not."""
    odd = _odd(text)
    if not odd or (max(odd) < _FIRST_SELECTOR and odd.isdisjoint(_REVERSING)):
        return ""
    found = _TAGS.search(text)
    if found and text[max(0, found.start() - 1)] != _FLAG:
        return "it holds invisible letters"
    if _SELECTORS.search(text):
        return "it hides data in invisible characters"
    return "" if odd.isdisjoint(_REVERSING) else "it reverses the direction of its text"


def plain(text: str) -> str:
    """The text in lower case, one space between words, without invisible characters."""
    return " ".join(plain_words(text))


def plain_words(text: str) -> list[str]:
    """The words of the text in lower case, with their punctuation, without invisible characters."""
    odd = _odd(text)
    if odd and _SINGLE.fullmatch("".join(odd)):
        for character in odd:
            text = text.replace(character, _folded_character(character))
    elif odd:
        text = _folded(text)
    return text.lower().split()


@lru_cache(maxsize=2)  # a text and its view are asked for several times in a row
def _odd(text: str) -> frozenset[str]:
    return frozenset() if text.isascii() else frozenset("".join(_NOT_ASCII.findall(text)))


def _folded(text: str) -> str:
    from unicodedata import normalize

    text = _INVISIBLE.sub("", text).translate(_REGIONAL)
    return normalize("NFKC", _ACCENTS.sub("", normalize("NFKD", text)))


@lru_cache(maxsize=512)
def _folded_character(character: str) -> str:
    return _folded(character)


def is_foreign(view: str) -> bool:
    """Whether a view has letters beyond those of Latin alphabets."""
    return any(character > _LAST_LATIN and character.isalpha() for character in _odd(view))


def words(view: str) -> list[str]:
    """The words of a view, in order."""
    odd = _odd(view)
    if any(map(str.isalnum, odd)):
        return _WORD.findall(view)
    for character in odd:
        view = view.replace(character, " ")
    return view.translate(_LETTERS_ONLY).split()


def disguised(view: str, marks: int, telling: Telling) -> Iterator[str]:
    """The view with telling words joined again, where they were taken apart."""
    if looks_alike(view):
        other = view.translate(_LOOK_ALIKES)
        if not telling.words.isdisjoint(words(other)):
            yield other
    put = _put_together(view, marks, telling)
    if put:
        for token, joined in put.items():
            view = view.replace(token, joined)
        yield telling.respaced(view)


def _put_together(view: str, marks: int, telling: Telling) -> dict[str, str]:
    """What stands for telling words: letters apart, halves apart, other signs in between."""
    put: dict[str, str] = {}
    if marks & _SPELLED and _FIVE_ALONE in "".join(map(chr, map(len, words(view)))):
        for found in _LETTERS_APART.findall(view):
            put[found] = "".join(_WORD.findall(found))
    if marks & _DISGUISED:
        put |= _without_signs(view, telling)
    if marks & _HALVES:
        different = set(words(view))
        for second in telling.halves.keys() & different:
            for first in telling.halves[second] & different:
                apart = f"{first} {second}"
                for at in occurrences(view, apart):
                    before = view[at - 1 : at]
                    put[before + apart] = before + first + second
    return put


def _without_signs(view: str, telling: Telling) -> dict[str, str]:
    """Chains of words, and words with signs or digits inside, that stand for telling words."""
    tokens = [token for token in set(view.split()) if not token.strip(_QUOTES).isalpha()]
    lines = "\n".join(tokens)
    # A chain has no blank inside: what is searched from end to end is a text that has one.
    chains = _CHAINS.findall(view) if _CHAINS.search(lines) else ()
    put = {each: " ".join(_WORD.findall(each)) for each in chains if telling.are_chained(each)}
    return put | {
        token: joined
        for token, joined in _mixed(tokens, lines)
        if telling.stands_for(token, joined)
    }


def occurrences(view: str, word: str) -> Iterator[int]:
    """Where a word or phrase stands by itself."""
    at = view.find(word)
    while at >= 0:
        end = at + len(word)
        if not (view[at - 1 : at].isalpha() or view[end : end + 1].isalpha()):
            yield at
        at = view.find(word, end)


def _may_be_disguised(token: str, telling: Telling) -> bool:
    """Whether a word of a view, whatever stands around it, may be a telling one in disguise."""
    bare = token.strip(_QUOTES)
    if bare.isalpha():
        return False
    if any(telling.are_chained(found) for found in _CHAINS.findall(token)):
        return True
    signless, read = (
        token.translate(_WITHOUT_SIGNS),
        bare.translate(_LEET).translate(_WITHOUT_SIGNS),
    )
    return telling.stands_for(token, signless) or telling.stands_for(bare, read)


def looks_alike(view: str) -> bool:
    """Whether a view has letters that look like Latin ones."""
    return not _odd(view).isdisjoint(_LOOKING_ALIKE)


def _mixed(tokens: list[str], lines: str) -> Iterator[tuple[str, str]]:
    """Words with signs or digits inside, and the letters that they may stand for."""
    if not tokens:
        return
    yield from zip(tokens, lines.translate(_WITHOUT_SIGNS).split("\n"), strict=True)
    if _DIGIT_IN_WORD.search(lines):
        unmarked = [token.strip(_QUOTES) for token in tokens]
        read = "\n".join(unmarked).translate(_LEET).translate(_WITHOUT_SIGNS)
        yield from zip(unmarked, read.split("\n"), strict=True)


def turned(view: str, marks: int, telling: Telling) -> Iterator[str]:
    """The view read backwards or by rot13, if that reveals telling words."""
    if not marks & _TURNED:
        return
    those_of_view = frozenset(words(view))
    if len(telling.turned & those_of_view) < _TURNED_WORDS:
        return
    if len(telling.backwards & those_of_view) >= _TURNED_WORDS:
        yield view[::-1]
        yield " ".join(word[::-1] for word in view.split())
    if len(telling.rotated & those_of_view) >= _TURNED_WORDS:
        yield view.translate(_ROT13)


class Telling:
    """Words worth hiding, and how they look taken apart or turned."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words
        long = [word for word in words if len(word) > 4]
        self.halves = _halves(words)
        self.backwards = frozenset(word[::-1] for word in long) - words
        self.rotated = frozenset(word.translate(_ROT13) for word in long) - words
        self.turned = self.backwards | self.rotated
        known = sorted((word for word in words if len(word) > 2), key=len, reverse=True)
        self._known = re.compile(f"({'|'.join(map(re.escape, known))})")

    def are_chained(self, token: str) -> bool:
        """Whether a chain of words has several of these."""
        return len(self.words & set(_WORD.findall(token))) >= _TURNED_WORDS

    def stands_for(self, token: str, joined: str) -> bool:
        """Whether a word is one of these without its signs, and was not before."""
        return joined in self.words and joined not in token and not _PATH.match(token)

    def respaced(self, view: str) -> str:
        """A view in which telling words that ran together are words again."""
        for run in words(view):
            if len(run) > _LONGEST_WORD and run not in self.words:
                view = view.replace(run, self._known.sub(r" \1 ", run))
        return " ".join(view.split())


def _halves(whole: frozenset[str]) -> dict[str, frozenset[str]]:
    """By the end of each word, its possible beginnings that are not words of the set themselves."""
    found: dict[str, list[str]] = {}
    for word in whole:
        for middle in range(1, len(word)):
            if word[:middle] not in whole:
                found.setdefault(word[middle:], []).append(word[:middle])
    return {second: frozenset(firsts) for second, firsts in found.items()}


class Marks(dict[str, int]):
    """What each word shows, as bits; words are added as they turn up."""

    def __init__(self, literals: Sequence[str], telling: Telling) -> None:
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
        marks = 0
        telling = set(words) - self._nothing
        for word in telling:
            marks |= self[word]
        if (marks & _ALONE).bit_count() >= _LEAST_LETTERS:
            marks |= _SPELLED
        if marks & _FIRST and marks & _SECOND and self._are_halves(telling):
            marks |= _HALVES
        return marks

    def literals(self, marks: int) -> list[str]:
        """The literals that a view may have."""
        bits = marks >> _FIRST_LITERAL
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
        parts = [word] if word.isalpha() else words(word)
        if not parts:
            return 0
        found = _TURNED if not self._telling.turned.isdisjoint(parts) else 0
        for each in parts:
            if len(each) == 1 and each in _LETTERS:
                found |= 1 << _LETTERS.index(each)
        if parts[-1] in self._firsts and word.endswith(parts[-1]):
            found |= _FIRST
            self._first[word] = parts[-1]
        if parts[0] in self._telling.halves and word.startswith(parts[0]):
            found |= _SECOND
            self._second[word] = parts[0]
        return found | (_DISGUISED if _may_be_disguised(word, self._telling) else 0)

    def _are_halves(self, words: set[str]) -> bool:
        firsts = {self._first[word] for word in words & self._first.keys()}
        seconds = (self._second[word] for word in words & self._second.keys())
        return any(not self._telling.halves[each].isdisjoint(firsts) for each in seconds)


def _piece(literal: str) -> str:
    """The longest part of a literal without a space inside, with the spaces around it."""
    parts = literal.split(" ")
    last = len(parts) - 1
    return max(
        (f"{' ' * (at > 0)}{part}{' ' * (at < last)}" for at, part in enumerate(parts) if part),
        key=len,
    )


def may_be_encoded(text: str) -> bool:
    """Whether a text may have an encoded part; most cannot."""
    data = text.encode("latin-1", "replace")
    return (
        encoded.LONG_RUN in data.translate(encoded.BASE64_LETTERS)
        or sum(map(text.count, encoded.ESCAPING)) >= encoded.LEAST_ESCAPES
        or encoded.TWENTY_DIGITS in data.translate(encoded.DIGITS, delete=encoded.BETWEEN_DIGITS)
    )
