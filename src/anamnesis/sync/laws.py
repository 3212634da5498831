"""What every merged text must keep; pure.

A result that breaks one of these is not taken: a wrong guess of which line became which costs a
hold, never text.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from anamnesis.sync.diff3 import lines_of
from anamnesis.sync.lists import NUMBERED, is_whole

if TYPE_CHECKING:
    Texts = tuple[str, str, str]  # the base, ours, theirs
    Results = tuple[str, str]  # what all machines get, what this one keeps


def keeps_words(results: Results, texts: Texts) -> bool:
    """Whether each side keeps its words, but for those the other removed, and has none twice.

    Only words that a version has once can tell: of others a merge may rightly need more or fewer.
    """
    base, mine, theirs = map(_counted, texts)
    often = {word for counts in (base, mine, theirs) for word, n in counts.items() if n > 1}
    shared, kept = map(_counted, results)
    for words, own, other in ((kept, mine, theirs), (shared, theirs, mine)):
        lost = own.keys() - words.keys() - (base.keys() - other.keys())
        twice = {word for word, count in words.items() if count > 1 and word in base}
        if not lost | twice <= often:
            return False
    return True


def keeps_structure(results: Results, texts: Texts, *, clean: bool) -> bool:
    """Whether what was closed stays closed, and what a side removed and nobody touched is gone.

    Only lines that the base has once can tell.
    """
    base, mine, theirs = map(lines_of, texts)
    shared, kept = map(lines_of, results)
    if is_whole(mine) and is_whole(theirs) and not (is_whole(shared) and is_whole(kept)):
        return False
    back = (set(mine) ^ set(theirs)) & set(base) & set(shared) if clean else ()
    counts = Counter(base)
    return all(counts[line] > 1 or not line.strip() for line in back)


def _counted(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", NUMBERED.sub("", text)))
