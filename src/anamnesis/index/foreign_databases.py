"""SQLite databases of other programs, opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

from anamnesis.ground.errors import InvalidInput

_HEADER = b"SQLite format 3\0"


def is_database(path: str) -> bool:
    """Whether a file is an SQLite database."""
    try:
        with open(path, "rb") as stream:
            return stream.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


def rows(path: str, table: str) -> list[dict[str, object]]:
    """All rows of a table, oldest first; none if there is no such table. Raises InvalidInput."""
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=5)) as db:
            db.row_factory = sqlite3.Row
            db.text_factory = lambda data: data.decode("utf-8", "replace")
            known = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            if known is None:
                return []
            cursor = db.execute(f'SELECT * FROM "{table}" ORDER BY rowid')  # noqa: S608  our names
            return [dict(row) for row in cursor]
    except sqlite3.Error as error:
        raise InvalidInput(f"Cannot read {path}: {error}.") from error
