"""The part of a note that answers: whole lines or sentences, the most telling ones, in order."""

from __future__ import annotations

import re

from anamnesis.index import words
from anamnesis.index.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST = 20_000  # characters of a body that are looked through, as the ranking does
_LONG_LINE = 240  # characters; a longer line is taken apart into sentences
_SENTENCE_END = "(?<=[.!?;])\\s+|(?<=[\u3002\uff01\uff1f\uff1b])"
_BESIDE = 0.3  # of what a piece is worth goes to its neighbours: an answer follows its question
_GAP = "…"


def passage(body: str, weights: Mapping[str, float], *, room: int) -> str:
    """At most so many characters of a body: all of it, or what says most of some words.

    `weights` gives the points of each word that the note was found by.
    """
    if len(body) <= room:
        return body
    pieces = _pieces(body[:_LONGEST])
    own = [_worth(text, weights) for _, text in pieces]
    worth = [
        value + _BESIDE * max(own[at - 1] if at else 0.0, own[at + 1] if at + 1 < len(own) else 0.0)
        for at, value in enumerate(own)
    ]
    kept: set[int] = set()
    left = room - 2 * len(_GAP)
    for at in sorted(range(len(pieces)), key=lambda at: (-worth[at], at)):
        size = len(pieces[at][1]) + len(_GAP) + 2
        if size <= left and (worth[at] or not kept):
            kept.add(at)
            left -= size
    return _joined(pieces, sorted(kept)) if kept else _cut(pieces, worth, room)


def _pieces(body: str) -> list[tuple[str, str]]:
    """Lines and, of long ones, sentences; each with what stood before it."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines():
        if not line.strip():
            continue
        parts = re.split(_SENTENCE_END, line) if len(line) > _LONG_LINE else [line]
        found += [(" " if at else "\n", part.rstrip()) for at, part in enumerate(parts) if part]
    return found


def _worth(text: str, weights: Mapping[str, float]) -> float:
    said = {stem(word) for word in words.tokens(text)}
    folded = text.lower()
    return sum(
        points
        for word, points in weights.items()
        if stem(word) in said or (word in folded and not word.isdigit())
    )


def _joined(pieces: Sequence[tuple[str, str]], kept: Sequence[int]) -> str:
    text, last = "", -1
    for at in kept:
        before, piece = pieces[at]
        gap = f"{before}{_GAP}{before}" if at > last + 1 else before
        text += gap + piece
        last = at
    return text.strip("\n ") + (f" {_GAP}" if last + 1 < len(pieces) else "")


def _cut(pieces: Sequence[tuple[str, str]], worth: Sequence[float], room: int) -> str:
    """The most telling piece where none fits as a whole."""
    best = max(range(len(pieces)), key=worth.__getitem__, default=-1)
    return pieces[best][1][: room - len(_GAP)].rstrip() + _GAP if best >= 0 else ""
