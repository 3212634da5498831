"""How much of a text a model gets to see: its beginning and its end, whole lines of both."""

from __future__ import annotations

_CUT = "\n[… {left} characters left out …]\n"


def windowed(text: str, limit: int) -> str:
    """The text, or its first third and its last two thirds within a limit."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    start = text.rfind("\n", 0, head) + 1 or head
    end = text.find("\n", len(text) - tail) + 1 or len(text) - tail
    return text[:start] + _CUT.format(left=end - start) + text[end:]
