"""Notes near a question by what they say: the optional part of recall that needs an encoder."""

from __future__ import annotations

import os
import sqlite3
from _thread import allocate_lock

from anamnesis.search import encoder, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.search.encoder import Encoder
    from anamnesis.search.matrix import Matrix, Nearness

_UNREAD = -1


class Semantics:
    """The notes of one store by their vectors, kept in memory between questions."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = allocate_lock()
        self._db: sqlite3.Connection | None = None
        self._inode = self._version = _UNREAD
        self._matrix: Matrix | None = None

    def close(self) -> None:
        """Close the file of vectors."""
        with self._lock:
            self._let_go()

    def nearness(self, question: str) -> Nearness | None:
        """How near the notes are to a question; None where that is switched off or impossible."""
        if not encoder.is_on():
            return None
        try:
            model = encoder.load()
        except encoder.EncoderMissing:
            return None  # `status` says so; words are there without it
        matrix = self._current(model)
        return matrix.nearness(model.question(question)) if matrix is not None else None

    def _current(self, model: Encoder) -> Matrix | None:
        """All vectors, read anew only if somebody changed them."""
        with self._lock:
            try:
                self._notice(model)
            except (
                OSError,
                ValueError,
                sqlite3.Error,
            ):  # none yet, or damaged: the next `embed` makes them
                self._let_go()
            return self._matrix

    def _notice(self, model: Encoder) -> None:
        from anamnesis.search.matrix import Matrix

        inode = os.stat(os.path.join(self._root, vectors.FILE)).st_ino
        if self._db is None or inode != self._inode:
            self._let_go()
            self._db, self._inode = vectors.connect(self._root), inode
        version = self._db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._matrix = Matrix(vectors.of_notes(self._db, model.model), model.dimensions)
            self._version = version

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db, self._version, self._matrix = None, _UNREAD, None
