"""The vectors of all notes in memory, and how near they are to a question.

A note has one vector for each part of it; the nearest part speaks for the note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anamnesis.search.encoder.model import Floats

_LARGEST = 127  # of the small integers that a vector is stored as
_BLOCK = 4096  # vectors that are turned into floats at a time
_TELLING = 0.55  # the cosine from which a note is worth a look without a word of the question
_STANDS_OUT = 4.0  # standard deviations above the usual cosine: as near as notes get
_LEAST_SPREAD = 0.01  # of a store with a note or two


class Nearness:
    """How near each note of a store is to one question."""

    def __init__(self, matrix: Matrix, cosines: Floats) -> None:
        self._ids, self._places, self._cosines = matrix.ids, matrix.places, cosines
        self._usual = float(cosines.mean()) if len(cosines) else 0.0
        self._spread = max(float(cosines.std()), _LEAST_SPREAD) if len(cosines) else 1.0

    def of(self, note_id: str) -> float:
        """How far a note stands out from the store: 0 for most, about 1 for the best answers."""
        if note_id not in self._places:
            return 0.0
        deviations = self.deviations(self.cosine(note_id))
        # Squared: where all notes are about one thing, being a little nearer says little.
        return round((max(0.0, deviations) / _STANDS_OUT) ** 2, 6)

    def cosine(self, note_id: str) -> float:
        """How near a note is, whatever the others are."""
        place = self._places.get(note_id)
        return 0.0 if place is None else float(self._cosines[place])

    def deviations(self, cosine: float) -> float:
        """How many standard deviations a cosine is above the usual one."""
        return (cosine - self._usual) / self._spread

    def best_first(self) -> Iterator[str]:
        """The notes that say something near the question, whatever their words."""
        near = np.flatnonzero(self._cosines >= _TELLING)
        order = near[np.argsort(-self._cosines[near], kind="stable")]
        return (self._ids[place] for place in order)


class Matrix:
    """The vectors of all notes of a store."""

    def __init__(self, notes: Sequence[tuple[str, bytes]], dimensions: int) -> None:
        notes = sorted(notes)  # equals come in one order on every machine
        self.ids = [id for id, _ in notes]
        self.places = {id: place for place, id in enumerate(self.ids)}
        parts = [len(content) // dimensions for _, content in notes]
        self._firsts = np.cumsum([0, *parts[:-1]])
        joined = b"".join(content for _, content in notes)
        self._vectors = np.frombuffer(joined, np.int8).reshape(-1, dimensions)
        self._lengths = np.concatenate([_lengths(block) for block in self._blocks()])

    def nearness(self, question: Floats) -> Nearness:
        """How near each note is to a question."""
        if not self.ids:
            return Nearness(self, np.empty(0, np.float32))
        products = np.concatenate([block @ question for block in self._blocks()])
        cosines: Floats = np.maximum.reduceat(products / self._lengths, self._firsts)
        return Nearness(self, cosines)

    def _blocks(self) -> Iterator[Floats]:
        """The vectors as floats, a block at a time: in memory they stay a quarter of that size."""
        for start in range(0, max(len(self._vectors), 1), _BLOCK):
            yield self._vectors[start : start + _BLOCK].astype(np.float32)


def stored(vectors: Sequence[Floats]) -> bytes:
    """Vectors of any length as small integers, one after the other."""
    scaled = [vector * (_LARGEST / max(np.abs(vector).max(), 1e-9)) for vector in vectors]
    content: bytes = np.rint(np.stack(scaled)).astype(np.int8).tobytes()
    return content


def _lengths(block: Floats) -> Floats:
    lengths: Floats = np.maximum(np.linalg.norm(block, axis=1), 1).astype(np.float32)
    return lengths
