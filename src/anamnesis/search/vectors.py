"""The file of the notes' vectors, made by the encoder: beside the index, and derived like it.

A text is identified by its hash, so none is encoded twice: not after a rebuild of the index, not
when only tags change, not when two notes say the same.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from anamnesis.ground.errors import NotWritable, reason_of
from anamnesis.index.database import compact
from anamnesis.search import encoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId
    from anamnesis.search.encoder import Encoder
    from anamnesis.search.matrix import Matrix, Nearness


_BUSY_SECONDS = 5.0
_TABLES = (
    "CREATE TABLE model (name TEXT NOT NULL)",
    "CREATE TABLE texts (hash TEXT PRIMARY KEY, vectors BLOB NOT NULL)",
    "CREATE TABLE notes (id TEXT PRIMARY KEY, file TEXT NOT NULL, text TEXT NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class EmbeddedNote:
    """A note whose text has vectors."""

    id: str
    file: str  # the hash of its file, which tells whether to look at the note again
    text: str


class Shelf:
    """The vectors of one store, for the one process that adds to them."""

    def __init__(self, home: Home, model: str) -> None:
        self._home, self._path = home, home.vectors_db
        self._db = self._opened(model)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._db.close()
        if isinstance(error, sqlite3.Error):
            raise NotWritable(self._path, reason=str(error)) from error

    def files(self) -> dict[str, str]:
        """The hash of the file that each note had when it was encoded."""
        return dict(self._db.execute("SELECT id, file FROM notes").fetchall())

    def vectors_of(self, text: str) -> bytes | None:
        """The vectors of exactly this text, if it was encoded before."""
        query = "SELECT vectors FROM texts WHERE hash = ?"
        stored = self._db.execute(query, (_hash(text),)).fetchone()
        return None if stored is None else stored[0]

    def keep(self, entries: Sequence[EmbeddedNote], fresh: Mapping[str, bytes]) -> None:
        """Remember some notes, and the vectors of those of their texts that are new."""
        texts = [(_hash(text), content) for text, content in fresh.items()]
        notes = [(entry.id, entry.file, _hash(entry.text)) for entry in entries]
        with _changing(self._db) as db:
            db.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?)", texts)
            db.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", notes)

    def drop(self, gone: Iterable[str]) -> None:
        """Forget notes that are gone, and the texts that no note has any more."""
        _drop(self._db, gone)

    def _opened(self, model: str) -> sqlite3.Connection:
        """The file if it is sound and of this model, else a new one: it can be made again."""
        with suppress(OSError, sqlite3.DatabaseError):
            db = connect(self._home)
            if db.execute("SELECT 1 FROM model WHERE name = ?", (model,)).fetchone():
                return db
            db.close()
        try:
            remove(self._home)
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise NotWritable(self._path, reason=reason_of(error)) from error
        db = connect(self._home)
        db.execute("PRAGMA journal_mode=WAL")  # searches go on while vectors are added
        with _changing(db):
            for table in _TABLES:
                db.execute(table)
            db.execute("INSERT INTO model VALUES (?)", (model,))
        return db


def connect(home: Home) -> sqlite3.Connection:
    """A connection to the vectors of a store; raises OSError if there are none."""
    os.stat(home.vectors_db)  # SQLite would create the file
    return sqlite3.connect(
        home.vectors_db, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def of_notes(db: sqlite3.Connection, model: str) -> list[tuple[str, bytes]]:
    """Each note's vectors, if this model made them; those of another say nothing to it."""
    return db.execute(
        "SELECT id, vectors FROM notes JOIN texts ON hash = text "
        "WHERE EXISTS (SELECT 1 FROM model WHERE name = ?)",
        (model,),
    ).fetchall()


def files_of_notes(index: sqlite3.Connection) -> dict[str, str]:
    """The hash of each note's file as the index knows it, the latest notes first."""
    return dict(
        index.execute(
            "SELECT m.id, f.hash FROM memories m JOIN files f ON f.note_id = m.id "
            "WHERE f.hash IS NOT NULL ORDER BY m.updated_at DESC, m.id, f.path"
        ).fetchall()
    )


def texts_of_notes(index: sqlite3.Connection, ids: Sequence[NoteId]) -> dict[str, str]:
    """What some notes say, as the model reads it."""
    cursor = index.execute(
        "SELECT m.id, f.title, f.body FROM memories m "  # noqa: S608  fixed names
        "CROSS JOIN memories_fts f ON f.rowid = m.rowid "
        f"WHERE m.id IN ({', '.join('?' * len(ids))})",
        ids,
    )
    return {id: f"{title}\n{body}".strip() for id, title, body in cursor}


def count(home: Home) -> int:
    """How many notes have vectors."""
    try:
        with closing(connect(home)) as db:
            number: int = db.execute("SELECT count(*) FROM notes").fetchone()[0]
            return number
    except (OSError, sqlite3.Error):
        return 0


def forget(home: Home, ids: Iterable[NoteId]) -> None:
    """Drop some notes, if there are vectors at all: vectors reveal what a note was about."""
    with suppress(OSError, sqlite3.Error), closing(connect(home)) as db:
        _drop(db, ids)
        compact(db)


def remove(home: Home) -> None:
    """Delete the vectors of a store."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(home.vectors_db + suffix)


def _drop(db: sqlite3.Connection, gone: Iterable[str]) -> None:
    with _changing(db):
        db.executemany("DELETE FROM notes WHERE id = ?", [(id,) for id in gone])
        db.execute("DELETE FROM texts WHERE hash NOT IN (SELECT text FROM notes)")


@contextmanager
def _changing(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    with db:
        db.execute("BEGIN IMMEDIATE")
        yield db


def _hash(text: str) -> str:
    from hashlib import sha256  # late: a store without vectors imports this module too

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_UNREAD = -1


class Semantics:
    """The notes of one store by their vectors, kept in memory between questions."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None
        self._inode = self._version = _UNREAD
        self._matrix: Matrix | None = None

    def close(self) -> None:
        """Close the file of vectors."""
        with self._lock:
            self._let_go()

    def nearness(self, question: str) -> Nearness | None:
        """How near the notes are to a question; None without an encoder or vectors."""
        try:
            model = encoder.load()
        except encoder.EncoderMissing:
            return None  # `status` says so; words are there without it
        matrix = self._current(model)
        return matrix.nearness(model.question(question)) if matrix is not None else None

    def _current(self, model: Encoder) -> Matrix | None:
        """All vectors, read again only if they changed."""
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

        inode = os.stat(self._home.vectors_db).st_ino
        if self._db is None or inode != self._inode:
            self._let_go()
            self._db, self._inode = connect(self._home), inode
        version = self._db.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._matrix = Matrix(of_notes(self._db, model.model), model.dimensions)
            self._version = version

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db, self._version, self._matrix = None, _UNREAD, None
