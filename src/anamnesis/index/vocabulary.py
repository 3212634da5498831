"""The words of all notes in a table of their own, for guessing what was meant.

FTS5 can list its words, but walks the notes of each to do so. The table is made when the index is
built and learns the words of later notes. It never forgets one: a word that no note has any more
is a guess that finds nothing, and the next rebuild is without it.
"""

from __future__ import annotations

from anamnesis.index import words
from anamnesis.index.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory

_TABLE = "CREATE TABLE vocabulary (term TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID"
_LISTED = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.listed USING fts5vocab(main, memories_fts, row)"
_FACET = "zq" + "[0-9a-f]" * 8  # the word that stands for a project


def build(db: sqlite3.Connection) -> None:
    """Make the table from the words that the full-text index has."""
    db.execute("DROP TABLE IF EXISTS vocabulary")
    db.execute(_TABLE)
    db.execute(_LISTED)
    db.execute(
        "INSERT INTO vocabulary SELECT term, doc FROM temp.listed WHERE term NOT GLOB ?", (_FACET,)
    )
    db.execute("DROP TABLE temp.listed")


def learn(db: sqlite3.Connection, note: Memory) -> None:
    """Add the words of a note; an index of an earlier version gets the whole table first."""
    if not exists(db):
        build(db)
        return
    text = f"{note.title}\n{note.body}\n{' '.join(note.tags)}"
    said = {*words.tokens(text), *words.tokens(words.parts(text))}
    db.executemany(
        "INSERT OR IGNORE INTO vocabulary VALUES (?, 1)", [(stem(word),) for word in said]
    )


def exists(db: sqlite3.Connection) -> bool:
    """Whether this index has the table."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vocabulary'")
    return found.fetchone() is not None


def between(
    db: sqlite3.Connection, first: str, last: str, *, lengths: tuple[int, int]
) -> Iterable[tuple[str, int]]:
    """The words from `first` up to but without `last`, and in how many notes each is."""
    table = "vocabulary"
    if not exists(db):
        db.execute(_LISTED)
        table = "temp.listed"
    return db.execute(
        f"SELECT term, {'notes' if table == 'vocabulary' else 'doc'} FROM {table} "  # noqa: S608
        "WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
        (first, last, *lengths),
    ).fetchall()


def beginning(db: sqlite3.Connection, start: str, *, most: int) -> list[tuple[str, int]]:
    """The commonest words that begin so, and in how many notes each is; none without the table."""
    if not start or not exists(db):
        return []
    return db.execute(
        "SELECT term, notes FROM vocabulary WHERE term >= ? AND term < ? "
        "ORDER BY notes DESC, term LIMIT ?",
        (start, _after(start), most),
    ).fetchall()


def _after(start: str) -> str:
    """The first text that does not begin so."""
    return start[:-1] + chr(min(ord(start[-1]) + 1, 0x10FFFF))
