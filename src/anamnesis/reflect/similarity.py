"""Which texts say nearly the same, found without comparing all with all.

A text is the set of its word triples. Texts that share one of their smallest triple hashes are
compared exactly; a triple that very many texts share is boilerplate and makes nobody a candidate.
Texts that differ in a number or a negation are never the same, however alike: `port 8080` and
`port 8443`, `works` and `does not work`. Nor are texts of which one says a word where the other
says another: `transmit` and `receive`. A date that was added makes no difference.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

THRESHOLD = 0.8  # of all word triples are shared; below, paraphrases of different facts appear
_SKETCH = 16  # smallest hashes; two texts at the threshold share none of them once in 10^11
_BOILERPLATE = 40  # texts sharing one triple; with more it is a template, not similarity
_WORD = re.compile(r"\w+")
_DATE = re.compile(r"\(?\b(?:on |since |as of )?\d{4}-\d\d-\d\d\b\)?:?")
_STEM = 6  # letters: enough to tell words apart, few enough to bear an ending
_SHORT_WORD = 2
_DECISIVE = re.compile(
    r"\b(?:\w*\d\w*|no|not|never|none|without|cannot|can't|don't|doesn't|isn't|won't|nicht|kein\w*|nie)\b"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What is compared of a text."""

    triples: array[int]
    decisive: int
    stems: array[int]


def shape(text: str) -> Shape:
    """The shape of a text."""
    lowered = _DATE.sub(" ", text.lower())
    words = _WORD.findall(lowered)
    width = 3 if len(words) >= 3 else max(len(words), 1)
    count = max(len(words) - width + 1, 0)
    hashes = {crc32(" ".join(words[i : i + width]).encode()) for i in range(count)}
    decisive = crc32(" ".join(sorted(_DECISIVE.findall(lowered))).encode())
    stems = {crc32(word[:_STEM].encode()) for word in words if len(word) > _SHORT_WORD}
    return Shape(array("L", sorted(hashes)), decisive, array("L", sorted(stems)))


def likeness(one: Shape, other: Shape) -> float:
    """How much two texts share: 0 nothing, 1 all word triples, numbers and negations."""
    if one.decisive != other.decisive or not one.triples or not other.triples:
        return 0.0
    small, large = sorted((len(one.triples), len(other.triples)))
    if small < large * 0.5:
        return 0.0
    mine, theirs = set(one.stems), set(other.stems)
    if mine - theirs and theirs - mine:  # a word stands where another stood
        return 0.0
    shared = len(set(one.triples).intersection(other.triples))
    return shared / (small + large - shared)


def groups(texts: Iterable[tuple[str, str]], *, threshold: float = THRESHOLD) -> list[list[str]]:
    """Groups of two and more `(key, text)` that are all like the first of the group."""
    shapes: dict[str, Shape] = {}
    buckets: dict[int, list[str]] = {}
    for key, text in texts:
        own_shape = shapes[key] = shape(text)
        for hash in own_shape.triples[:_SKETCH]:
            buckets.setdefault(hash, []).append(key)
    grouped: set[str] = set()
    result = []
    for key, own in shapes.items():
        if key in grouped:
            continue
        near = _near(key, own, shapes, buckets, threshold)
        members = [key, *(other for other in near if other not in grouped)]
        if len(members) > 1:
            grouped.update(members)
            result.append(members)
    return result


def _near(
    key: str,
    own: Shape,
    shapes: Mapping[str, Shape],
    buckets: Mapping[int, Sequence[str]],
    threshold: float,
) -> Iterator[str]:
    sharing = (buckets[hash] for hash in own.triples[:_SKETCH])
    candidates = dict.fromkeys(
        other for bucket in sharing if len(bucket) <= _BOILERPLATE for other in bucket
    )
    for other in candidates:
        if other != key and likeness(own, shapes[other]) >= threshold:
            yield other
