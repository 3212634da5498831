"""All words in use, in a table of their own, for guessing what was meant.

FTS5 can list its words, but visits every note of each to do so. The table is made when the index
is built, and later notes add their words. None is ever removed: a word that no note has any more
is only a guess that finds nothing, and the next rebuild leaves it out.
"""

from __future__ import annotations

from anamnesis.text.words import parts, stem, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory

_TABLE = "CREATE TABLE vocabulary (term TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID"
_LISTED = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.listed USING fts5vocab(main, memories_fts, row)"
MANY = 500  # notes; stemming all of their words costs more than listing those of the index
_FACET = "zq" + "[0-9a-f]" * 8  # the word that stands for a project


def facet(project: str) -> str:
    """A project as one word of the full-text index, so that it narrows a match for free.

    Two projects may share a word; the row's own project decides.
    """
    from binascii import crc32

    return f"zq{crc32(project.encode('utf-8', 'surrogatepass')):08x}"


def build_vocabulary(db: sqlite3.Connection) -> None:
    """Make the table from the words that the full-text index has."""
    drop_vocabulary(db)
    db.execute(_TABLE)
    db.execute(_LISTED)
    db.execute(
        "INSERT INTO vocabulary SELECT term, doc FROM temp.listed WHERE term NOT GLOB ?", (_FACET,)
    )
    db.execute("DROP TABLE temp.listed")


def drop_vocabulary(db: sqlite3.Connection) -> None:
    """Drop the table; it is made again when it is needed."""
    db.execute("DROP TABLE IF EXISTS vocabulary")


def learn_words(db: sqlite3.Connection, notes: Sequence[Memory]) -> None:
    """Add the words of notes; an index of an earlier version gets the whole table first."""
    if not has_vocabulary(db) or len(notes) >= MANY:
        build_vocabulary(db)
        return
    spelled: set[str] = set()
    for note in notes:
        text = f"{note.title}\n{note.body}\n{' '.join(note.tags)}"
        spelled.update(tokens(text), tokens(parts(text)))
    # Each word is stemmed and looked up once, however many of the notes have it.
    db.executemany(
        "INSERT OR IGNORE INTO vocabulary VALUES (?, 1)",
        [(term,) for term in sorted({stem(word) for word in spelled})],
    )


def has_vocabulary(db: sqlite3.Connection) -> bool:
    """Whether this index has the table."""
    table = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'vocabulary'")
    return table.fetchone() is not None


def words_between(
    db: sqlite3.Connection, first: str, last: str, *, lengths: tuple[int, int]
) -> Iterable[tuple[str, int]]:
    """The words from `first` up to but without `last`, and in how many notes each is."""
    table = "vocabulary"
    if not has_vocabulary(db):
        db.execute(_LISTED)
        table = "temp.listed"
    return db.execute(
        f"SELECT term, {'notes' if table == 'vocabulary' else 'doc'} FROM {table} "  # noqa: S608
        "WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
        (first, last, *lengths),
    ).fetchall()


def words_beginning(db: sqlite3.Connection, start: str, *, most: int) -> list[tuple[str, int]]:
    """The commonest words with a prefix, and in how many notes each is; none without the table."""
    if not start or not has_vocabulary(db):
        return []
    return db.execute(
        "SELECT term, notes FROM vocabulary WHERE term >= ? AND term < ? "
        "ORDER BY notes DESC, term LIMIT ?",
        (start, _after(start), most),
    ).fetchall()


def _after(start: str) -> str:
    """The first text, in sorting order, beyond those with a prefix."""
    return start[:-1] + chr(min(ord(start[-1]) + 1, 0x10FFFF))
