"""What a text says once it is unveiled: invisible, look-alike, split and encoded letters read out.

The first view is the text as a model reads it. Others are added only where something was hidden,
so that an ordinary note is looked at once.
"""

from __future__ import annotations

import re
from binascii import Error as BadEncoding
from binascii import a2b_base64, unhexlify
from itertools import pairwise

TYPE_CHECKING = False
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
_OVERRIDES = re.compile("[\u202d\u202e]")

# Letters of other alphabets that look like Latin ones, and small capitals.
_LOOK_ALIKES = str.maketrans(
    "абвгдеёзијкмнорԛѕтуԝхѵһԁɡӏіїүαβγεηικνορτυχωϲϳℓʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢс",
    "abbrdee3ujkmhopqstywxvhdgliiyabyenikvoptuxwcjllabcdefghijkmnoprstuvwyzc",
)
_REGIONAL = {0x1F1E6 + n: chr(ord("a") + n) for n in range(26)}
_LEET = str.maketrans("013457@$!", "oieastasi")
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm"
)  # of small letters: views are in small letters

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s._*~|+,/\\-]{1,3}){4,}[^\W\d_](?![^\W_])")
_BROKEN = re.compile(r"\b[a-z]++(?:[-._*~|+/\\`'\u2019]{1,2}[a-z]++)+")
_DISGUISED = re.compile(
    r"(?:\b[a-z]++|(?<!\S)(?=[013457@$!]+[a-z]))[013457@$!]++[a-z][a-z013457@$!]*+"
)

_BASE64 = re.compile(r"(?<![\w+/-])[\w+/-]{16,}+(?:\s?[\w+/-]{16,}+)*={0,2}", re.ASCII)
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[\s:,]?){10,}")
_ESCAPES = re.compile(
    r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{2,5};|\\[0-7]{3})+"
)
_CODES = re.compile(r"(?:(?<!\d)(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[\s,;]+){9,}\d{2,3}(?!\d)")
_MOST_BY_CHANCE = 18  # characters of escapes: six letters; an address has a few
_BITS = re.compile(r"(?<!\d)(?:[01]{8}\s*){6,}")


def hidden(text: str) -> str:
    """How a text hides letters from the person who reviews it, or nothing."""
    if text.isascii():
        return ""
    found = _TAGS.search(text)
    if found and text[max(0, found.start() - 1)] != _FLAG:
        return "it holds invisible letters"
    if _SELECTORS.search(text):
        return "it hides data in invisible characters"
    return "it reverses the direction of its text" if _OVERRIDES.search(text) else ""


def plain(text: str) -> str:
    """The text in small letters, one space between words, without what cannot be seen."""
    if not text.isascii():
        text = _folded(text)
    return " ".join(text.lower().split())


def _folded(text: str) -> str:
    from unicodedata import normalize

    text = _INVISIBLE.sub("", text).translate(_REGIONAL)
    return normalize("NFKC", _ACCENTS.sub("", normalize("NFKD", text)))


def words(view: str) -> list[str]:
    """The words of a view, in order."""
    return _WORD.findall(view)


def disguised(view: str, spoken: list[str], telling: frozenset[str]) -> Iterator[str]:
    """The view with telling words put together again, where somebody took them apart."""
    if not view.isascii():
        other = view.translate(_LOOK_ALIKES)
        if other != view and not telling.isdisjoint(words(other)):
            yield other
    put = _put_together(view, spoken, telling)
    if put:
        for token, joined in put.items():
            view = view.replace(token, joined)
        yield _respaced(view, telling)


def _put_together(view: str, spoken: list[str], telling: frozenset[str]) -> dict[str, str]:
    put: dict[str, str] = {}
    if sum(len(word) == 1 for word in spoken) >= 5:
        for found in _LETTERS_APART.findall(view):
            put[found] = "".join(_WORD.findall(found))
    for token in {*_BROKEN.findall(view), *_DISGUISED.findall(view)}:
        joined = "".join(_WORD.findall(token.translate(_LEET)))
        if joined in telling:
            put[token] = joined
    for first, second in set(pairwise(spoken)):
        if first + second in telling and first not in telling:
            put[f"{first} {second}"] = first + second
    return put


def _respaced(view: str, telling: frozenset[str]) -> str:
    """A view in which telling words that ran together are words again."""
    long = [word for word in words(view) if len(word) > 12 and word not in telling]
    for run in long:
        known = sorted((each for each in telling if len(each) > 2), key=len, reverse=True)
        pattern = "|".join(map(re.escape, known))
        view = view.replace(run, re.sub(f"({pattern})", r" \1 ", run))
    return " ".join(view.split())


def turned(view: str, spoken: frozenset[str], turns: Turns) -> Iterator[str]:
    """The view read backwards or by rot13, if that brings telling words to light."""
    if len(turns.backwards & spoken) >= _TURNED_WORDS:
        yield view[::-1]
    if len(turns.rotated & spoken) >= _TURNED_WORDS:
        yield view.translate(_ROT13)


class Turns:
    """How telling words look when they are turned."""

    def __init__(self, telling: frozenset[str]) -> None:
        long = [word for word in telling if len(word) > 4]
        self.backwards = frozenset(word[::-1] for word in long) - telling
        self.rotated = frozenset(word.translate(_ROT13) for word in long) - telling


def decoded(text: str, depth: int = _DEPTH) -> Iterator[str]:
    """What the encoded parts of a text say, where they say anything."""
    for bare in _readable(_parts(text)):
        yield bare
        if depth > 1:
            yield from decoded(bare, depth - 1)


def _parts(text: str) -> Iterator[str]:
    for number, found in enumerate(_BASE64.findall(text)):
        if number == MOST_DECODED:
            break
        yield _from_base64(found)
    if "\\" in text or "%" in text or "&#" in text:
        yield _unescaped(text)
    for found in _HEX.findall(text)[:MOST_DECODED]:
        yield _from_bytes(_unhexed(found))
    for found in _CODES.findall(text)[:MOST_DECODED]:
        yield "".join(chr(int(code)) for code in re.findall(r"\d+", found))
    for found in _BITS.findall(text)[:MOST_DECODED]:
        yield "".join(chr(int(bits, 2)) for bits in re.findall("[01]{8}", found))


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
