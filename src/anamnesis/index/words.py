"""Words that the tokenizer alone would not find: the parts of identifiers and paths."""

from __future__ import annotations

import re

_JOINT = re.compile(r"[a-z][A-Z]|_")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def parts(text: str) -> str:
    """The distinct parts of camelCase and snake_case words, separated by spaces."""
    if _JOINT.search(text) is None:
        return ""
    found: dict[str, None] = {}
    for word in dict.fromkeys(re.findall(r"\w+", text)):
        if _JOINT.search(word):
            found.update(dict.fromkeys(_PART.findall(word)))
    return " ".join(found)
