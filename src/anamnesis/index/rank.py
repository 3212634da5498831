"""Which notes answer a query best."""

from __future__ import annotations

from anamnesis.index.query import _fts_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping


def ranked_paths(
    db: sqlite3.Connection, query: str, *, where: Mapping[str, str], limit: int
) -> list[tuple[str, str]]:
    """The scope and path of the best notes: best overlap first, then the latest."""
    match = _fts_query(query)
    if not match or limit <= 0:
        return []
    filters = "".join(f" AND m.{column} = ?" for column in where)
    found = db.execute(
        "SELECT m.scope, m.body_path FROM memories_fts JOIN memories m "  # noqa: S608  fixed names
        "ON m.rowid = memories_fts.rowid WHERE memories_fts MATCH ? AND m.superseded = 0"
        f"{filters} ORDER BY bm25(memories_fts), m.updated_at DESC, m.id DESC LIMIT ?",
        (match, *where.values(), limit),
    )
    return [(scope, path) for scope, path in found]
