"""What a text says once it is unveiled: invisible, look-alike, split and encoded letters read out.

The first view is the text as a model reads it. Others are added only where something was hidden,
so that an ordinary note is looked at once.
"""

from __future__ import annotations

import re
from binascii import Error as BadEncoding
from binascii import a2b_base64, unhexlify
from enum import Flag, auto
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_DECODED = 40  # encoded parts of a note that are looked into; an attachment has thousands
_TURNED_WORDS = 2  # one may be chance
_DEPTH = 2  # an encoding inside of an encoding

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_ACCENTS = re.compile("[\u0300-\u036f]")
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
)  # of small letters: views are in small letters

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS_ONLY = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
LEAST_LETTERS = 4  # different ones; fewer spell no order
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

_BASE64 = re.compile(r"(?<![\w+/-])[\w+/-]{16,}+(?:\s?[\w+/-]{16,}+)*={0,2}", re.ASCII)
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[\s:,]?){10,}")
_ESCAPES = re.compile(
    r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{2,5};|\\[0-7]{3})+"
)
_CODES = re.compile(r"(?:(?<!\d)(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[\s,;]+){9,}\d{2,3}(?!\d)")
_LONG_RUN = b"a" * 16
_BASE64_DIGITS = bytes(
    ord("a" if code < 128 and (chr(code).isalnum() or chr(code) in "_+/-") else " ")
    for code in range(256)
)
# Without what may stand between them, digits of every notation stand together.
_TWENTY_DIGITS = b"0" * 20
_DIGITS = bytes(ord("0" if code in b"0123456789abcdefABCDEF" else " ") for code in range(256))
_BETWEEN_DIGITS = bytes([*b" \t\n\r\v\f\x1c\x1d\x1e\x1f:,;?", *range(128, 256)])
_NUMERIC = bytes(
    ord("0" if code in _BETWEEN_DIGITS or _DIGITS[code] == ord("0") else " ") for code in range(256)
)
_LEAST_ESCAPES = 2
_MOST_BY_CHANCE = 18  # characters of escapes: six letters; an address has a few
_BITS = re.compile(r"(?<!\d)(?:[01]{8}\s*){6,}")


class Ways(Flag):
    """How telling words of a view may be hidden, as far as its words show."""

    SPELLED = auto()  # letter by letter
    HALVED = auto()
    MIXED = auto()  # with other signs in between
    TURNED = auto()  # backwards, or each letter for another


NO_WAY = Ways(0)


def hidden(text: str) -> str:
    """How a text hides letters from the person who reviews it, or nothing."""
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
    """The text in small letters, one space between words, without what cannot be seen."""
    return " ".join(plain_words(text))


def plain_words(text: str) -> list[str]:
    """The words of the text in small letters, with their signs, without what cannot be seen."""
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


def disguised(view: str, ways: Ways, telling: Telling) -> Iterator[str]:
    """The view with telling words put together again, where somebody took them apart."""
    if looks_alike(view):
        other = view.translate(_LOOK_ALIKES)
        if not telling.words.isdisjoint(words(other)):
            yield other
    put = _put_together(view, ways, telling)
    if put:
        for token, joined in put.items():
            view = view.replace(token, joined)
        yield telling.respaced(view)


def _put_together(view: str, ways: Ways, telling: Telling) -> dict[str, str]:
    """What stands for telling words: letters apart, halves apart, other signs in between."""
    put: dict[str, str] = {}
    if Ways.SPELLED in ways and _FIVE_ALONE in "".join(map(chr, map(len, words(view)))):
        for found in _LETTERS_APART.findall(view):
            put[found] = "".join(_WORD.findall(found))
    if Ways.MIXED in ways:
        put |= _without_signs(view, telling)
    if Ways.HALVED in ways:
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
    """Where a word, or several, stand by themselves."""
    at = view.find(word)
    while at >= 0:
        end = at + len(word)
        if not (view[at - 1 : at].isalpha() or view[end : end + 1].isalpha()):
            yield at
        at = view.find(word, end)


def may_be_disguised(token: str, telling: Telling) -> bool:
    """Whether a word of a view, whatever stands around it, may be put together to a telling one."""
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


def turned(view: str, ways: Ways, telling: Telling) -> Iterator[str]:
    """The view read backwards or by rot13, if that brings telling words to light."""
    if Ways.TURNED not in ways:
        return
    spoken = frozenset(words(view))
    if len(telling.turned & spoken) < _TURNED_WORDS:
        return
    if len(telling.backwards & spoken) >= _TURNED_WORDS:
        yield view[::-1]
        yield " ".join(word[::-1] for word in view.split())
    if len(telling.rotated & spoken) >= _TURNED_WORDS:
        yield view.translate(_ROT13)


class Telling:
    """The words that somebody would hide, and how they look taken apart or turned."""

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
        """Whether what is left of a word without its signs is one of these, and was none before."""
        return joined in self.words and joined not in token and not _PATH.match(token)

    def respaced(self, view: str) -> str:
        """A view in which telling words that ran together are words again."""
        for run in words(view):
            if len(run) > _LONGEST_WORD and run not in self.words:
                view = view.replace(run, self._known.sub(r" \1 ", run))
        return " ".join(view.split())


def _halves(whole: frozenset[str]) -> dict[str, frozenset[str]]:
    """What may stand before an end of these words, without being one of them itself."""
    found: dict[str, list[str]] = {}
    for word in whole:
        for middle in range(1, len(word)):
            if word[:middle] not in whole:
                found.setdefault(word[middle:], []).append(word[:middle])
    return {second: frozenset(firsts) for second, firsts in found.items()}


def decoded(text: str, depth: int = _DEPTH) -> Iterator[str]:
    """What the encoded parts of a text say, where they say anything."""
    for bare in _readable(_parts(text)):
        yield bare
        if depth > 1:
            yield from decoded(bare, depth - 1)


def _parts(text: str) -> Iterator[str]:
    data = text.encode("latin-1", "replace")  # one byte per character: positions stay the same
    for found in islice(_long_runs(text, data), MOST_DECODED):
        yield _from_base64(found)
    if sum(map(text.count, ("\\", "%", "&#"))) >= _LEAST_ESCAPES:
        yield _unescaped(text)
    if _TWENTY_DIGITS not in data.translate(_DIGITS, delete=_BETWEEN_DIGITS):
        return
    places = list(_numeric(data))
    for found in _found(_HEX, text, places):
        yield _from_bytes(_unhexed(found))
    for found in _found(_CODES, text, places):
        yield "".join(chr(int(code)) for code in re.findall(r"\d+", found))
    for found in _found(_BITS, text, places):
        yield "".join(chr(int(bits, 2)) for bits in re.findall("[01]{8}", found))


def _numeric(data: bytes) -> Iterator[tuple[int, int]]:
    """From where to where a text has only digits and what may stand between them."""
    at = 0
    for piece in data.translate(_NUMERIC).split(b" "):
        if len(piece) >= len(_TWENTY_DIGITS):
            yield at, at + len(piece)
        at += len(piece) + 1


def _found(pattern: re.Pattern[str], text: str, places: list[tuple[int, int]]) -> Iterator[str]:
    matches = (match[0] for place in places for match in pattern.finditer(text, *place))
    return islice(matches, MOST_DECODED)


def _long_runs(text: str, data: bytes) -> Iterator[str]:
    classes = data.translate(_BASE64_DIGITS)
    at = classes.find(_LONG_RUN)  # skips sixteen characters at a time
    while at >= 0:
        found = _BASE64.match(text, at)
        end = found.end() if found else at + len(_LONG_RUN)
        yield text[at:end]
        at = classes.find(_LONG_RUN, end)


def _readable(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        if len(part) >= 8 and sum(c.isalpha() or c.isspace() for c in part) >= 0.7 * len(part):
            yield part


def _from_base64(found: str) -> str:
    packed = "".join(found.split()).rstrip("=").replace("-", "+").replace("_", "/")
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    try:
        return _from_bytes(a2b_base64(packed + "=" * (-len(packed) % 4)))
    except BadEncoding:
        return ""


def _unhexed(found: str) -> bytes:
    digits = re.sub(r"[\s:,]", "", found)
    try:
        return unhexlify(digits[: len(digits) // 2 * 2])
    except BadEncoding:
        return b""


def _from_bytes(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    wide = raw.decode("utf-16-le", "replace")
    return wide if wide.isascii() else ""


def _unescaped(text: str) -> str:
    escaped = sum(map(len, _ESCAPES.findall(text)))
    return _ESCAPES.sub(_character, text) if escaped >= _MOST_BY_CHANCE else ""


def _character(found: re.Match[str]) -> str:
    said = found.group()
    codes = re.findall(r"\\x(..)|\\u(....)|%(..)|&#x([0-9A-Fa-f]+);|&#(\d+);|\\([0-7]{3})", said)
    values = []
    for *hexed, decimal, octal in codes:
        digits = "".join(hexed)
        values.append(int(digits, 16) if digits else int(decimal) if decimal else int(octal, 8))
    return "".join(chr(value) for value in values if value < 0xD800)
