"""What the encoded parts of a text say: base64, hexadecimal, escapes, codes of characters, bits.

`views.may_be_encoded` says whether it is worth asking.
"""

from __future__ import annotations

import re
from binascii import Error as BadEncoding
from binascii import a2b_base64, unhexlify
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_DECODED = 40  # encoded parts of a note that are looked into; an attachment has thousands
_DEPTH = 2  # an encoding inside an encoding
_BASE64 = re.compile(r"(?<![\w+/-])[\w+/-]{16,}+(?:\s?[\w+/-]{16,}+)*={0,2}", re.ASCII)
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[\s:,]?){10,}")
_ESCAPES = re.compile(
    r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{2,5};|\\[0-7]{3})+"
)
_CODES = re.compile(r"(?:(?<!\d)(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[\s,;]+){9,}\d{2,3}(?!\d)")
LONG_RUN = b"a" * 16
BASE64_LETTERS = bytes(
    ord("a" if code < 128 and (chr(code).isalnum() or chr(code) in "_+/-") else " ")
    for code in range(256)
)
# Without what may stand between them, digits of every notation stand together.
TWENTY_DIGITS = b"0" * 20
DIGITS = bytes(ord("0" if code in b"0123456789abcdefABCDEF" else " ") for code in range(256))
BETWEEN_DIGITS = bytes([*b" \t\n\r\v\f\x1c\x1d\x1e\x1f:,;?", *range(128, 256)])
_NUMERIC = bytes(
    ord("0" if code in BETWEEN_DIGITS or DIGITS[code] == ord("0") else " ") for code in range(256)
)
ESCAPING = ("\\", "%", "&#")
LEAST_ESCAPES = 2
_MOST_BY_CHANCE = 18  # characters of escapes: six letters; an address has a few
_BITS = re.compile(r"(?<!\d)(?:[01]{8}\s*){6,}")


def decoded(text: str, depth: int = _DEPTH) -> Iterator[str]:
    """What the encoded parts of a text say, where they say anything."""
    for bare in _readable(_parts(text)):
        yield bare
        if depth > 1:
            yield from decoded(bare, depth - 1)


def _parts(text: str) -> Iterator[str]:
    data = text.encode("latin-1", "replace")  # one byte per character: positions stay the same
    for found in islice(_long_runs(text, data), _MOST_DECODED):
        yield _from_base64(found)
    if sum(map(text.count, ESCAPING)) >= LEAST_ESCAPES:
        yield _unescaped(text)
    if TWENTY_DIGITS not in data.translate(DIGITS, delete=BETWEEN_DIGITS):
        return
    places = list(_numeric(data))
    for found in _found(_HEX, text, places):
        yield _from_bytes(_unhexed(found))
    for found in _found(_CODES, text, places):
        yield "".join(chr(int(code)) for code in re.findall(r"\d+", found))
    for found in _found(_BITS, text, places):
        yield "".join(chr(int(bits, 2)) for bits in re.findall("[01]{8}", found))


def _numeric(data: bytes) -> Iterator[tuple[int, int]]:
    """The start and end of each run of digits and what may stand between them."""
    at = 0
    for piece in data.translate(_NUMERIC).split(b" "):
        if len(piece) >= len(TWENTY_DIGITS):
            yield at, at + len(piece)
        at += len(piece) + 1


def _found(pattern: re.Pattern[str], text: str, places: list[tuple[int, int]]) -> Iterator[str]:
    matches = (match[0] for place in places for match in pattern.finditer(text, *place))
    return islice(matches, _MOST_DECODED)


def _long_runs(text: str, data: bytes) -> Iterator[str]:
    classes = data.translate(BASE64_LETTERS)
    at = classes.find(LONG_RUN)  # skips sixteen characters at a time
    while at >= 0:
        found = _BASE64.match(text, at)
        end = found.end() if found else at + len(LONG_RUN)
        yield text[at:end]
        at = classes.find(LONG_RUN, end)


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
    escape = found.group()
    codes = re.findall(r"\\x(..)|\\u(....)|%(..)|&#x([0-9A-Fa-f]+);|&#(\d+);|\\([0-7]{3})", escape)
    values = []
    for *hexed, decimal, octal in codes:
        digits = "".join(hexed)
        values.append(int(digits, 16) if digits else int(decimal) if decimal else int(octal, 8))
    return "".join(chr(value) for value in values if value < 0xD800)
