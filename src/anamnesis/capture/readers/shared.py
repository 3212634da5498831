"""Careful access to JSON that other programs wrote."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(content: object, *, kinds: tuple[str, ...] = ("text",)) -> str:
    """The text of a message: a plain string, or its text blocks, one per line."""
    if isinstance(content, str):
        return content
    texts = (block.get("text") for block in mappings(content) if block.get("type") in kinds)
    return "\n".join(text for text in texts if isinstance(text, str))
