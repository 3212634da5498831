"""What a text is about, for comparing and weighing: words, paths and identifiers."""

from __future__ import annotations

import re

# Scripts in which two characters stand in for one word.
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
_TERM = re.compile(r"[^\W_][\w.+#/@:-]*[^\W_]|[^\W_]")
_PLAIN_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")


def terms(text: str) -> list[str]:
    """The words of a text in lower case, with paths and identifiers whole and in parts.

    Where words are not spaced, pairs of characters.
    """
    found = []
    for word in _TERM.findall(text.lower()):
        runs = [] if word.isascii() else UNSPACED.findall(word)
        if not runs:
            found.append(word)
            if not word.isalpha() and len(parts := _PLAIN_WORD.findall(word)) > 1:
                found.extend(part for part in parts if len(part) > 2)
        for run in runs:
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return found
