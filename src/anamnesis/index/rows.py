"""Rows of the index: writing one note's, and reading notes' headers back."""

from __future__ import annotations

import json

from anamnesis.notes.fields import FIELDS, WORDS
from anamnesis.notes.note import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_STORED = [row for row in FIELDS.values() if row.column]
_LISTS = tuple(row.name for row in _STORED if row.kind == WORDS)  # stored as JSON
_PLAIN = tuple(row.name for row in _STORED if row.always and row.kind != WORDS)
# Empty is stored as NULL.
_OPTIONAL = {row.name: row.default for row in _STORED if not row.always and row.kind != WORDS}
_COLUMNS = (*_PLAIN, *_OPTIONAL, *_LISTS, "body_path")
HEADER = ", ".join(f"m.{column}" for column in _COLUMNS)
_INSERT = (
    f"INSERT INTO memories (rowid, {', '.join(_COLUMNS)}) "  # noqa: S608  constants only
    f"VALUES (?, {', '.join('?' * len(_COLUMNS))})"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{column} = ?' for column in _COLUMNS)} "  # noqa: S608
    "WHERE rowid = ?"
)
_INSERT_TEXT = (
    "INSERT INTO memories_fts (rowid, id, title, body, tags, parts, facets) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_TAG = "INSERT INTO memory_tags VALUES (?, ?)"
_INSERT_EDGE = "INSERT OR IGNORE INTO supersessions VALUES (?, ?)"


def insert_all(db: sqlite3.Connection, notes: Sequence[tuple[int, Memory, str]]) -> None:
    """Add notes that the index does not have yet, as `(rowid, note, path in its tree)`."""
    db.executemany(_INSERT, [(rowid, *_cells(note, path)) for rowid, note, path in notes])
    db.executemany(_INSERT_TEXT, [_text(rowid, note) for rowid, note, _ in notes])
    db.executemany(_INSERT_TAG, [(note.id, tag) for _, note, _ in notes for tag in _tags(note)])
    db.executemany(
        _INSERT_EDGE, [(note.id, old) for _, note, _ in notes for old in note.supersedes_ids]
    )


def upsert(db: sqlite3.Connection, note: Memory, body_path: str) -> None:
    """Make the index say of this note what its file says."""
    known = db.execute("SELECT rowid FROM memories WHERE id = ?", (note.id,)).fetchone()
    if known is None:
        last = db.execute("SELECT max(rowid) FROM memories").fetchone()[0]
        insert_all(db, [((last or 0) + 1, note, body_path)])
        return
    rowid = known[0]
    # The text's row shares the rowid of the note's row: deleting by rowid is direct, while any
    # other column would scan the whole table.
    _forget_details(db, note.id, rowid)
    db.execute(_UPDATE, (*_cells(note, body_path), rowid))
    db.execute(_INSERT_TEXT, _text(rowid, note))
    db.executemany(_INSERT_TAG, [(note.id, tag) for tag in _tags(note)])
    db.executemany(_INSERT_EDGE, [(note.id, old) for old in note.supersedes_ids])


def remove(db: sqlite3.Connection, note_id: str) -> None:
    """Drop a note from the index."""
    known = db.execute("SELECT rowid FROM memories WHERE id = ?", (note_id,)).fetchone()
    if known is not None:
        _forget_details(db, note_id, known[0])
        db.execute("DELETE FROM memories WHERE rowid = ?", (known[0],))


def header(row: sqlite3.Row) -> Memory:
    """A note without its body, from its row."""
    fields = {column: row[column] for column in _PLAIN}
    for column, default in _OPTIONAL.items():
        fields[column] = row[column] or default
    for column in _LISTS:
        fields[column] = json.loads(row[column])
    return Memory(body="", **fields)


def _forget_details(db: sqlite3.Connection, note_id: str, rowid: int) -> None:
    db.execute("DELETE FROM memories_fts WHERE rowid = ?", (rowid,))
    db.execute("DELETE FROM memory_tags WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM supersessions WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM held WHERE memory_id = ?", (note_id,))


def _cells(note: Memory, body_path: str) -> tuple[object, ...]:
    return (
        *[getattr(note, column) for column in _PLAIN],
        *[getattr(note, column) or None for column in _OPTIONAL],
        *[json.dumps(getattr(note, column), ensure_ascii=False) for column in _LISTS],
        body_path,
    )


def _text(rowid: int, note: Memory) -> tuple[object, ...]:
    from anamnesis.index import words  # only writing needs it; a hook reads

    parts = words.parts(f"{note.title}\n{note.body}")
    tags = " ".join(_tags(note))
    return rowid, note.id, note.title, note.body, tags, parts, words.facet(note.project)


def _tags(note: Memory) -> list[str]:
    return [tag for tag in dict.fromkeys(note.tags) if tag]
