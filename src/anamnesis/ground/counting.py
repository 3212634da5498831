"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: object, one: str, many: str = "") -> str:
    """`1 note`, `2 notes`; with a verb both forms are given: `"note waits", "notes wait"`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
