"""A rule: a literal that the text must contain, a pattern around it, and a check of the value.

To add one, add a line to `tokens` (the value's own format) or to `places` (what stands around it).
A pattern is tried only where its literal stands. It nests no quantifiers and bounds every run, so
that the time stays linear in the text, and its group 1 is the secret.
"""

from __future__ import annotations

import re
from functools import cache

from anamnesis.ground.records import record

# How a value is checked; see `values.CHECKS`.
ANY, MIXED, STRONG, RANDOM = "any", "mixed", "strong", "random"
PLACEHOLDER_START = "[redacted: "
# A token starts where a word does. Letters before it may belong to something else: to a `\n` in
# JSON, to `%3D` in an address, to the colour of a terminal.
EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=[0-9]m))"


@record
class Finding:
    """One secret: `text[start:end]`, and its kind in plain words."""

    kind: str
    start: int
    end: int

    @property
    def placeholder(self) -> str:
        """What stands in the text instead."""
        return f"{PLACEHOLDER_START}{self.kind}]"


@record
class Rule:
    """One kind of secret."""

    kind: str
    literals: tuple[bytes, ...]  # one of them is in every match; no blanks, else nothing finds it
    pattern: str
    check: str = ANY
    before: tuple[int, ...] = (0,)  # how far before its literal a match may start

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when its literal first turns up: all of them would take 20 ms."""
        return compiled(self.pattern)


def token(
    kind: str, literals: str, pattern: str, *,
    check: str = ANY, before: tuple[int, ...] = (0,), inside: bool = False,
) -> Rule:  # fmt: skip
    """A format that an issuer documents; `inside` ones may start in the middle of a word."""
    return Rule(
        kind=kind, literals=tuple(each.encode() for each in literals.split()), check=check,
        pattern=f"{'' if inside else EDGE}({pattern})", before=before,
    )  # fmt: skip


def place(
    kind: str, literals: str, pattern: str, *, check: str = ANY, before: tuple[int, ...] = (0,)
) -> Rule:
    """Where a secret stands: in a header, an address, a command; case does not matter."""
    return Rule(
        kind=kind, literals=tuple(each.encode() for each in literals.split()), check=check,
        pattern=f"(?i){pattern}", before=before,
    )  # fmt: skip


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed."""
    return re.compile(pattern)
