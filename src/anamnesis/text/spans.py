"""Parts of a text, by their place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Span = tuple[int, int]


def cut(text: str, spans: Sequence[Span]) -> str:
    """A text without some of its parts."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text.strip()
