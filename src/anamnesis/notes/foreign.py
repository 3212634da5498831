"""Front matter that other programs wrote: read as far as it can be, never refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE = re.compile(r"(?m)^[ \t]*([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*\r?$")


def split(text: str) -> tuple[dict[str, Any], str]:
    """The front matter, all values as text, lists or mappings of text, and what follows it."""
    found = _BLOCK.match(text)
    if found is None:
        return {}, text.removeprefix("\ufeff").strip()
    return _mapping(found.group(1)), text[found.end() :].strip()


def text_of(front: dict[str, Any], *names: str) -> str:
    """The first of some values that is there, as one line."""
    for name in names:
        value = front.get(name)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""


def words_of(front: dict[str, Any], name: str) -> list[str]:
    """A list of words, written as a list or separated by commas."""
    value = front.get(name)
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list):
        return []
    return [item.strip(" #\"'[]") for item in items if isinstance(item, str) and item.strip()]


def _mapping(block: str) -> dict[str, Any]:
    import yaml

    try:
        # Without resolvers: `no`, `12:30` and dates stay the words that they are.
        found = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506  builds text only
    except (yaml.YAMLError, RecursionError):
        found = None
    if isinstance(found, dict):
        return {str(key): value for key, value in found.items()}
    return {key: value.strip("\"'") for key, value in _LINE.findall(block)}
