"""A kind of secret that its own shape betrays: a literal, and a pattern around it."""

from __future__ import annotations

import re
from functools import cache

from anamnesis.ground.records import record

# A token starts where a word does. Letters before it may belong to something else: to a `\n` in
# JSON, to `%3D` in an address, to the colour of a terminal.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=[0-9]m))"


@record
class Shape:
    """What every secret of a kind contains literally, and its pattern (group 1 is the secret)."""

    kind: str
    literals: tuple[bytes, ...]
    pattern: str
    before: tuple[int, ...] = (0,)  # how far before its literal it may start
    generated: bool = False  # the mark alone proves little: the value must look random too
    no_words: bool = False  # likewise, but anything other than plain words will do

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when its literal first turns up: all of them would take 20 ms."""
        return _compiled(self.pattern)


def shape(
    kind: str,
    literals: str,
    pattern: str,
    *,
    before: tuple[int, ...] = (0,),
    generated: bool = False,
    inside: bool = False,
) -> Shape:
    """A kind of token; `inside` ones may start in the middle of a word."""
    return Shape(
        kind=kind, literals=tuple(each.encode() for each in literals.split()),
        pattern=f"{'' if inside else _EDGE}({pattern})", before=before, generated=generated,
    )  # fmt: skip


def phrase(
    kind: str,
    literals: str,
    pattern: str,
    *,
    before: tuple[int, ...] = (0,),
    generated: bool = False,
    no_words: bool = False,
) -> Shape:
    """Words around a secret; the pattern ignores case and its group 1 is the secret."""
    return Shape(
        kind=kind, literals=tuple(each.encode() for each in literals.split()),
        pattern=f"(?i){pattern}", before=before, generated=generated, no_words=no_words,
    )  # fmt: skip


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
