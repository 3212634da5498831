"""The connection to the index: shared by threads, safe beside other processes."""

from __future__ import annotations

import os
import sqlite3
from _thread import RLock  # what threading.RLock is, without the rest of threading
from contextlib import contextmanager

from anamnesis.index import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# On a full disk, too: WAL needs room beside the file even to read it.
_CLOSED_TO_US = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
)  # fmt: skip


class IndexBroken(Exception):
    """The index cannot be used as it is: missing, damaged, or of another version."""


class Database:
    """One connection and one lock; between two calls no transaction is open."""

    def __init__(
        self,
        path: str,
        *,
        any_version: bool = False,
        connection: sqlite3.Connection | None = None,
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
        with self._usable() as connection:
            return connection.execute(sql, parameters).fetchall()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection for several queries that must see one state."""
        with self._usable() as connection, _transaction(connection, "BEGIN"):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside of a write transaction that is undone on any error."""
        with self._usable() as connection, _transaction(connection, "BEGIN IMMEDIATE"):
            yield connection

    def replace_with(self, path: str) -> None:
        """Take over the content of another database, in one transaction of this one."""
        with self._usable() as connection:
            source = schema.connect(path)
            try:
                source.backup(connection)
            finally:
                source.close()
            # The whole copy stands in the log now; whoever writes next would pay for moving it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _usable(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if not self.read_only and self._was_swapped():
                    self._connection.close()
                    self._open()
                yield self._connection
            except sqlite3.DatabaseError as error:
                if _is_broken(error):
                    raise IndexBroken(str(error)) from error
                raise

    def _was_swapped(self) -> bool:
        """Whether the file at our path is another one than we opened."""
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
            self._connection = self._checked(schema.connect(self.path))
        except sqlite3.OperationalError as error:
            if _primary_code(error) not in _CLOSED_TO_US:
                raise
            self._open_immutable()

    def _open_immutable(self) -> None:
        """Read the file as it stands: WAL needs the right to write beside it."""
        try:
            self._connection = self._checked(schema.connect_immutable(self.path))
        except sqlite3.OperationalError as error:
            raise IndexBroken(str(error)) from error
        self.read_only = True

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            schema.configure(connection)
            current = self._any_version or schema.is_current(connection)
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


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
