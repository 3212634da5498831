"""Words that the tokenizer alone would not find: the parts of identifiers and paths."""

from __future__ import annotations

import re

_COMPOUND = re.compile(r"\w+(?:[./:-]\w+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def parts(text: str) -> str:
    """The distinct parts of camelCase and snake_case words, separated by spaces."""
    found: dict[str, None] = {}
    for word in _COMPOUND.findall(text):
        if "_" in word or not (word.islower() or word.isupper() or word.istitle()):
            found.update(dict.fromkeys(_PART.findall(word)))
    return " ".join(found)
