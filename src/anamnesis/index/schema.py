"""The tables of the index, and opening it."""

from __future__ import annotations

import sqlite3

from anamnesis.notes.fields import FIELDS, NUMBER, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.fields import Row

_SCHEMA_VERSION = 1
_BUSY_MILLISECONDS = 5000
# What FTS5 collects before it writes a segment, and how many segments it leaves unmerged.
_USUAL = {"hashsize": 1 << 20, "automerge": 4, "crisismerge": 16}
_BULK = {"hashsize": 1 << 24, "automerge": 0, "crisismerge": 1000}

_LAYOUT = """
CREATE TABLE memories (
  rowid INTEGER PRIMARY KEY,
  {columns},
  body_path TEXT NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE memory_tags (
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (memory_id, tag)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE memories_fts USING fts5(
  id UNINDEXED, title, body, tags, parts, facets, tokenize='porter unicode61'
);
CREATE TABLE supersessions (
  memory_id TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (memory_id, target)
) WITHOUT ROWID;
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  checked_ns INTEGER NOT NULL,
  hash TEXT,
  note_id TEXT,
  problem TEXT
) WITHOUT ROWID;
CREATE TABLE held (
  memory_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE folders (
  path TEXT PRIMARY KEY,
  mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;
"""
_INDEXES = """
CREATE INDEX IF NOT EXISTS idx_mem_scope ON memories(project, type, updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_recency ON memories(updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_prov ON memories(prov_source, updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_title ON memories(title);
CREATE INDEX IF NOT EXISTS idx_mem_session ON memories(prov_session) WHERE prov_session IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_tag_pending ON memory_tags(memory_id) WHERE tag = 'pending';
CREATE INDEX IF NOT EXISTS idx_tag_pinned ON memory_tags(memory_id) WHERE tag = 'pinned';
CREATE INDEX IF NOT EXISTS idx_superseded ON supersessions(target);
CREATE INDEX IF NOT EXISTS idx_files_note ON files(note_id) WHERE note_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_files_problem ON files(path) WHERE problem IS NOT NULL;
"""


def _column(row: Row) -> str:
    """The column of a field: of one that is not always set, NULL says that it is empty."""
    column = f"{row.name} {'REAL' if row.kind == NUMBER else 'TEXT'}"
    if row.name == "id":
        return f"{column} NOT NULL UNIQUE"
    if row.kind == WORDS:
        return f"{column} NOT NULL DEFAULT '[]'"
    if not row.always:
        return column
    return f"{column} NOT NULL DEFAULT {row.default!r}" if row.default else f"{column} NOT NULL"


_TABLES = _LAYOUT.replace(
    "{columns}", ",\n  ".join(_column(row) for row in FIELDS.values() if row.column)
)
_SCHEMA = _TABLES + _INDEXES
# Tells this index from one of other tables: another program's, or another version's.
# The remainder by the second largest prime of 31 bits is a checksum that needs no module.
_APPLICATION_ID = int.from_bytes(_SCHEMA.encode()) % 2_147_483_629


def connect(path: str) -> sqlite3.Connection:
    """A connection that several threads may share and that waits for other processes."""
    connection = sqlite3.connect(
        path, timeout=_BUSY_MILLISECONDS / 1000, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def connect_immutable(path: str) -> sqlite3.Connection:
    """A connection that only reads, takes no lock and leaves nothing beside the file."""
    from urllib.parse import quote

    connection = sqlite3.connect(
        f"file:{quote(path)}?immutable=1", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def configure(connection: sqlite3.Connection) -> None:
    """Settings of a shared index: several sessions read while one writes."""
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
    connection.execute("PRAGMA synchronous=NORMAL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode=WAL")


def create(connection: sqlite3.Connection) -> None:
    """Lay out an empty index, still without what speeds up questions (see `create_indexes`)."""
    connection.executescript(_TABLES)
    connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")


def create_indexes(connection: sqlite3.Connection) -> None:
    """Add what speeds up questions: built at once it costs far less than row by row."""
    connection.executescript(_INDEXES)


def expect_bulk(connection: sqlite3.Connection) -> None:
    """Let the text index collect more before it writes, and merge nothing: it is merged at last."""
    for option, value in _BULK.items():
        _set_up_text(connection, option, value)


def end_bulk(connection: sqlite3.Connection) -> None:
    """Leave the text index as one segment of a high level.

    A bulk load leaves many large ones. Sixteen make FTS5 merge all of them at once: one of the
    next writes would pay a second for that, with the store locked.
    """
    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
    for option, value in _USUAL.items():
        _set_up_text(connection, option, value)


def _set_up_text(connection: sqlite3.Connection, option: str, value: int) -> None:
    connection.execute(
        "INSERT INTO memories_fts(memories_fts, rank) VALUES (?, ?)", (option, value)
    )


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether this index was made by this version; only reads, so it never waits for a writer."""
    identity = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    ]
    return identity == [_APPLICATION_ID, _SCHEMA_VERSION]
