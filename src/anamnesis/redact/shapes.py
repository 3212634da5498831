"""Secrets that their own shape, or the words around them, betray."""

from __future__ import annotations

import re
from itertools import zip_longest

from anamnesis.redact.finding import Finding
from anamnesis.redact.phrases import PHRASES
from anamnesis.redact.values import is_stand_in, is_words, looks_generated
from anamnesis.redact.vendors import VENDORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.redact.anchors import Anchored
    from anamnesis.redact.shape import Shape

_KEY_BLOCK_LIMIT = 20_000  # a 16k-bit RSA key in PEM is 12,500 characters
_SHORTEST_KEY = 40
_KEY_MARKER = r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# What follows BEGIN when END was cut off: base64 lines, however they are quoted or prefixed.
_BLOCK_LINES = r"(?:[\s\\nr+>|\"',-]{0,8}[A-Za-z0-9+/=]{16,})*+"


def shaped_values(anchored: Anchored) -> Iterator[Finding]:
    """Every value in a text whose shape or surroundings are those of a secret."""
    text = anchored.text
    yield from _key_blocks(text)
    for position, shapes in anchored.tokens(_VENDORS):
        yield from _at(position, text, shapes)
    for position, shapes in anchored.words(_PHRASES):
        yield from _at(position, text, shapes)


def _at(position: int, text: str, shapes: tuple[Shape, ...]) -> Iterator[Finding]:
    for shape in shapes:
        for before in shape.before:
            match = shape.compiled.match(text, position - before) if position >= before else None
            if match and _is_secret(shape, match[1]):
                yield Finding(kind=shape.kind, start=match.start(1), end=match.end(1))
                break


def _by_literal(shapes: Iterable[Shape]) -> tuple[tuple[bytes, tuple[Shape, ...]], ...]:
    found: dict[bytes, tuple[Shape, ...]] = {}
    for shape in shapes:
        for literal in shape.literals:
            found[literal] = (*found.get(literal, ()), shape)
    return tuple(found.items())


_VENDORS, _PHRASES = _by_literal(VENDORS), _by_literal(PHRASES)


def _is_secret(shape: Shape, value: str) -> bool:
    if is_stand_in(value) or (shape.no_words and is_words(value)):
        return False
    return not shape.generated or looks_generated(value)


def _key_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text:
        return
    markers = list(re.finditer(_KEY_MARKER, text))
    for begin, following in zip_longest(markers, markers[1:]):
        if begin["edge"] != "BEGIN":
            continue
        limit = begin.end() + _KEY_BLOCK_LIMIT
        if following and following["edge"] == "END" and following.start() < limit:
            length, end = following.start() - begin.end(), following.end()
        else:
            stop = following.start() if following else limit
            lines = re.compile(_BLOCK_LINES).match(text, begin.end(), stop)
            end = lines.end() if lines else begin.end()
            length = end - begin.end()
        # A BEGIN line that only names the format (in prose or code) carries nothing secret.
        if length > _SHORTEST_KEY:
            yield Finding(kind="private key", start=begin.start(), end=end)
