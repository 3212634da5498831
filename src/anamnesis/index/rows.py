"""Rows of the index: writing one note's, and reading notes' headers back."""

from __future__ import annotations

import json

from anamnesis.index import words
from anamnesis.notes.note import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_TEXT = (
    "id", "type", "title", "project", "machine_id", "scope", "created_at", "updated_at",
    "prov_source",
)  # fmt: skip
_OPTIONAL = ("prov_model", "prov_session", "supersedes")  # empty is stored as NULL
_COLUMNS = (*_TEXT, *_OPTIONAL, "confidence", "tags", "body_path")
_UPSERT = (
    f"INSERT INTO memories ({', '.join(_COLUMNS)}) "  # noqa: S608  constants only
    f"VALUES ({', '.join('?' * len(_COLUMNS))}) ON CONFLICT(id) DO UPDATE SET "
    + ", ".join(f"{column}=excluded.{column}" for column in _COLUMNS[1:])
    + " RETURNING rowid"
)
HEADER = ", ".join(f"m.{column}" for column in _COLUMNS)


def upsert(db: sqlite3.Connection, note: Memory, body_path: str) -> None:
    """Make the index say of this note what its file says."""
    # FTS5 has no upsert. Its row shares the rowid of the note's row: deleting by rowid is
    # direct, while any other column would scan the whole table.
    known = db.execute("SELECT rowid FROM memories WHERE id = ?", (note.id,)).fetchone()
    if known is not None:
        _forget_details(db, note.id, known[0])
    tags = [tag for tag in dict.fromkeys(note.tags) if tag]
    values = (
        *(getattr(note, column) for column in _TEXT),
        *(getattr(note, column) or None for column in _OPTIONAL),
        *(note.confidence, json.dumps(note.tags, ensure_ascii=False), body_path),
    )
    rowid = db.execute(_UPSERT, values).fetchone()[0]
    if tags:
        db.executemany("INSERT INTO memory_tags VALUES (?, ?)", [(note.id, tag) for tag in tags])
    for target in note.supersedes_ids:
        db.execute("INSERT OR IGNORE INTO supersessions VALUES (?, ?)", (note.id, target))
    db.execute(
        "INSERT INTO memories_fts (rowid, id, title, body, tags, parts) VALUES (?, ?, ?, ?, ?, ?)",
        (rowid, note.id, note.title, note.body, " ".join(tags), words.parts(_searchable(note))),
    )


def remove(db: sqlite3.Connection, note_id: str) -> None:
    """Drop a note from the index."""
    known = db.execute("SELECT rowid FROM memories WHERE id = ?", (note_id,)).fetchone()
    if known is not None:
        _forget_details(db, note_id, known[0])
        db.execute("DELETE FROM memories WHERE rowid = ?", (known[0],))


def header(row: sqlite3.Row) -> Memory:
    """A note without its body, from its row."""
    text = {column: row[column] for column in _TEXT}
    optional = {column: row[column] or "" for column in _OPTIONAL}
    tags = json.loads(row["tags"])
    return Memory(**text, **optional, confidence=row["confidence"], tags=tags, body="")


def _forget_details(db: sqlite3.Connection, note_id: str, rowid: int) -> None:
    db.execute("DELETE FROM memories_fts WHERE rowid = ?", (rowid,))
    db.execute("DELETE FROM memory_tags WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM supersessions WHERE memory_id = ?", (note_id,))


def _searchable(note: Memory) -> str:
    return f"{note.title}\n{note.body}"
