"""Numbered steps without their numbers, so that a new step does not edit those below it; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[str]

_STEP = re.compile(r"([ \t]*)(\d{1,9})(?=[.)]\s)")
_MARK = "\0"  # in the place of a number; no word, so it makes no two steps alike


class Steps:
    """Three versions of some lines without the numbers of steps, which can be put back."""

    def __init__(self, versions: Sequence[Lines], codes: Sequence[Sequence[bool]]) -> None:
        """`codes` says which lines are code: those keep their numbers."""
        self.plain: list[list[str]] = []
        self._numbers: list[dict[str, list[str]]] = []
        for lines, in_code in zip(versions, codes, strict=True):
            numbers: dict[str, list[str]] = {}
            plain = list(lines)
            for at, line in enumerate(lines):
                step = None if in_code[at] else _STEP.match(line)
                if step is not None:
                    plain[at] = f"{step[1]}{_MARK}{line[step.end() :]}"
                    numbers.setdefault(plain[at], []).append(step[2])
            self.plain.append(plain)
            self._numbers.append(numbers)

    def numbered(self, lines: Lines) -> Iterator[str]:
        """Merged lines, each with a number that one of the versions gave it."""
        seen: dict[str, int] = {}
        for line in lines:
            if _MARK not in line:
                yield line
                continue
            at = seen[line] = seen.get(line, -1) + 1
            yield line.replace(_MARK, self._number(line, at), 1)

    def _number(self, line: str, at: int) -> str:
        """The number of one of several equal steps: what a side made of it.

        Of two numbers that both sides changed it to, the higher one has more steps above it.
        """
        known = [numbers.get(line, []) for numbers in self._numbers]
        at = min(at, max(map(len, known)) - 1)
        base, mine, theirs = (numbers[at] if at < len(numbers) else "" for numbers in known)
        if not mine or not theirs:
            return mine or theirs or base
        if base in (mine, theirs):
            return theirs if mine == base else mine
        return max(mine, theirs, key=int)
