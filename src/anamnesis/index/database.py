"""The index as a database: its tables, and a connection that threads and processes share."""

from __future__ import annotations

import os

from anamnesis.ground.startup import RLock, sqlite3
from anamnesis.notes.fields import FIELDS, NUMBER, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from anamnesis.notes.fields import Row

SqliteError = sqlite3.Error
OperationalError = sqlite3.OperationalError
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# A full disk too: WAL needs room beside the file even for reading.
_NOT_ACCESSIBLE = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # fmt: skip


class IndexBroken(Exception):
    """The index cannot be used as it is: missing, damaged, or of another version."""


class Database:
    """One connection and one lock; between two calls no transaction is open."""

    def __init__(
        self, path: str, *, any_version: bool = False, connection: sqlite3.Connection | None = None
    ) -> None:
        self.path = path
        self.read_only = connection is not None
        self._lock = RLock()
        self._any_version = any_version
        if connection is None:
            self._open()
        else:
            self._connection, self._inode = connection, 0

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of one query."""
        with _Turn(self) as connection:
            return connection.execute(sql, parameters).fetchall()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """The connection for several queries that must see one state."""
        return _Turn(self, "BEGIN")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """The connection inside a write transaction that is undone on any error."""
        return _Turn(self, "BEGIN IMMEDIATE")

    def replace_with(self, path: str) -> None:
        """Take over the content of another database, in one transaction of this one."""
        with _Turn(self) as connection:
            source = connect(path)
            try:
                source.backup(connection)
            finally:
                source.close()
            # The whole copy is in the log now; the next writer would pay for moving it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def compact(self) -> bool:
        """Rewrite the file without what was deleted; False while another process reads it."""
        with _Turn(self) as connection:
            return compact(connection)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def acquire(self) -> sqlite3.Connection:
        """The connection for this thread alone, opened again if the file was swapped."""
        self._lock.acquire()
        try:
            if not self.read_only and self._was_swapped():
                self._connection.close()
                self._open()
        except BaseException as error:
            self._lock.release()
            _raise_broken(error)
            raise
        return self._connection

    def release(self) -> None:
        """Release the connection to other threads."""
        self._lock.release()

    def _was_swapped(self) -> bool:
        """Whether the file was replaced since it was opened."""
        try:
            return os.stat(self.path).st_ino != self._inode
        except OSError:
            raise IndexBroken("index.db is gone") from None

    def _open(self) -> None:
        try:
            self._inode = os.stat(self.path).st_ino
        except OSError:
            raise IndexBroken("index.db is missing") from None
        try:
            self._connection = self._checked(connect(self.path))
        except sqlite3.OperationalError as error:
            if _primary_code(error) not in _NOT_ACCESSIBLE:
                raise
            self._open_immutable()

    def _open_immutable(self) -> None:
        """Open the file read-only: WAL needs write access to its folder."""
        try:
            self._connection = self._checked(connect_immutable(self.path))
        except sqlite3.OperationalError as error:
            raise IndexBroken(str(error)) from error
        self.read_only = True

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            configure(connection)
            current = self._any_version or is_current(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            if _is_broken(error):
                raise IndexBroken(str(error)) from error
            raise
        if not current:
            connection.close()
            raise IndexBroken("index.db was made by another version")
        return connection


def _is_broken(error: sqlite3.Error) -> bool:
    """Whether an error means that only a rebuild helps."""
    return _primary_code(error) in _BROKEN or str(error).startswith(("no such", "vtable"))


def _primary_code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


class _Turn:
    """One caller's turn with a connection: alone, and in a transaction if it begins one."""

    def __init__(self, database: Database, begin: str = "") -> None:
        self._database, self._begin = database, begin

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._database.acquire()
        try:
            if self._begin:
                self._connection.execute(self._begin)
        except BaseException as error:
            self._database.release()
            _raise_broken(error)
            raise
        return self._connection

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            if self._begin:
                self._end(commit=error is None)
        except BaseException as late:
            _raise_broken(late)
            raise
        finally:
            self._database.release()
        _raise_broken(error)

    def _end(self, *, commit: bool) -> None:
        try:
            if commit:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def _raise_broken(error: BaseException | None) -> None:
    if isinstance(error, sqlite3.DatabaseError) and _is_broken(error):
        raise IndexBroken(str(error)) from error


_SCHEMA_VERSION = 1
_BUSY_MILLISECONDS = 5000
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
-- Notes with a value in the form of a secret: they are given with that value masked.
CREATE TABLE secret_notes (memory_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE fixes (
  signature TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (signature, memory_id)
) WITHOUT ROWID;
-- What notes mean, by table dda5c9c8 of word vectors; filled by searches and behind a rebuild.
CREATE TABLE meanings (
  rowid INTEGER PRIMARY KEY,
  vector BLOB NOT NULL
);
-- How many notes there are of each kind and day, and with each tag: pages show that after every
-- change, and to count 50,000 notes takes most of the time that a page has.
CREATE TABLE cells (
  type TEXT, project TEXT, scope TEXT, machine_id TEXT, prov_source TEXT, superseded INTEGER,
  day TEXT, notes INTEGER NOT NULL,
  PRIMARY KEY (type, project, scope, machine_id, prov_source, superseded, day)
) WITHOUT ROWID;
CREATE TABLE tags (tag TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE folders (
  path TEXT PRIMARY KEY,
  mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;
"""
_INDEXES = """
CREATE INDEX IF NOT EXISTS idx_mem_scope
  ON memories(project, type, updated_at DESC, confidence DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_recency ON memories(updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_prov ON memories(prov_source, updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_mem_title ON memories(title COLLATE NOCASE, id, superseded);
CREATE INDEX IF NOT EXISTS idx_mem_created
  ON memories(created_at DESC, id DESC, project, type, machine_id, superseded);
CREATE INDEX IF NOT EXISTS idx_mem_cells
  ON memories(type, project, scope, machine_id, prov_source, superseded, updated_at, id);
CREATE INDEX IF NOT EXISTS idx_mem_origin
  ON memories(origin, type, project, scope, machine_id, prov_source, superseded, updated_at, id)
  WHERE prov_source = 'human' AND origin IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_mem_session ON memories(prov_session) WHERE prov_session IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_tag_pending ON memory_tags(memory_id) WHERE tag = 'pending';
CREATE INDEX IF NOT EXISTS idx_tag_pinned ON memory_tags(memory_id) WHERE tag = 'pinned';
CREATE INDEX IF NOT EXISTS idx_tag_rule ON memory_tags(memory_id) WHERE tag = 'rule';
CREATE INDEX IF NOT EXISTS idx_superseded ON supersessions(target);
CREATE INDEX IF NOT EXISTS idx_fixes_note ON fixes(memory_id);
CREATE INDEX IF NOT EXISTS idx_files_note ON files(note_id) WHERE note_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_files_problem ON files(path) WHERE problem IS NOT NULL;
"""


def _column(row: Row) -> str:
    """The column of a field; NULL stands for empty where the field is optional."""
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
# Tells this index from one with other tables, of another program or version. The remainder modulo
# the second largest 31-bit prime is a checksum that needs no module.
_APPLICATION_ID = int.from_bytes(_SCHEMA.encode()) % 2_147_483_629


def connect(path: str) -> sqlite3.Connection:
    """A connection that several threads may share and that waits for other processes."""
    connection = sqlite3.connect(
        path, timeout=_BUSY_MILLISECONDS / 1000, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite a database without its free pages and its log, where deleted text stays readable.

    False if another process kept the log open. An index of 50,000 notes takes a third of a second.
    """
    connection.execute("VACUUM")
    is_kept: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not is_kept


def notes_in(path: str) -> int:
    """How many notes an index holds as it stands; 0 if it is missing or unusable."""
    try:
        database = Database(path)
    except (IndexBroken, SqliteError):
        return 0
    try:
        return int(database.rows("SELECT count(*) FROM memories")[0][0])
    except (IndexBroken, SqliteError):
        return 0
    finally:
        database.close()


def connect_immutable(path: str) -> sqlite3.Connection:
    """A read-only connection that takes no lock and leaves nothing beside the file."""
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
    """Create an empty index, without what speeds up queries (see `create_indexes`)."""
    connection.executescript(_TABLES)
    connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")


def create_indexes(connection: sqlite3.Connection) -> None:
    """Add what speeds up queries: building it at once costs far less than row by row."""
    connection.executescript(_INDEXES)


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether this index was made by this version; only reads, so it never waits for a writer."""
    identity = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    ]
    return identity == [_APPLICATION_ID, _SCHEMA_VERSION]
