"""What curation asks the index: where a note's file is, and which notes carry a tag."""

from __future__ import annotations

from anamnesis.index.rows import HEADER, header
from anamnesis.notes import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory

PENDING = "pending"
_BATCH = 500


def places(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """The files of some notes, relative to the root."""
    wanted = list(ids)
    found: dict[str, str] = {}
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        rows = db.execute(
            f"SELECT id, scope, body_path FROM memories WHERE id IN ({marks})",  # noqa: S608
            batch,
        )
        found.update({row[0]: f"{tree.tree_of(row[1])}/{row[2]}" for row in rows})
    return found


def tagged(db: sqlite3.Connection, tag: str, *, project: str | None = None) -> list[Memory]:
    """The notes with a tag that nothing replaces, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m JOIN memory_tags t ON t.memory_id = m.id "  # noqa: S608
        "WHERE t.tag = ?1 AND m.superseded = 0 AND (?2 IS NULL OR m.project = ?2) "
        "ORDER BY m.created_at, m.id",
        (tag, project),
    )
    return [header(row) for row in rows]


def waiting_sessions(db: sqlite3.Connection, *, project: str | None) -> list[Memory]:
    """Portable episodic notes that were not reflected yet, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.type = 'episodic' AND m.scope = 'portable' "  # noqa: S608
        "AND m.superseded = 0 AND (?1 IS NULL OR m.project = ?1) AND NOT EXISTS ("
        "SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id "
        "AND t.tag IN ('reflected', 'unreflected')) ORDER BY m.created_at, m.id",
        (project,),
    )
    return [header(row) for row in rows]


def in_force(
    db: sqlite3.Connection, *, project: str | None = None, types: tuple[str, ...] = ()
) -> list[Memory]:
    """The notes that nothing replaces, oldest first, without their bodies."""
    marks = ",".join("?" * len(types))
    kinds = f"AND m.type IN ({marks}) " if types else ""
    where = "AND m.project = ? " if project is not None else ""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.superseded = 0 {kinds}{where}"  # noqa: S608
        "ORDER BY m.created_at, m.id",
        (*types, *((project,) if project is not None else ())),
    )
    return [header(row) for row in rows]


def titled(db: sqlite3.Connection, title: str, *, project: str) -> list[str]:
    """The ids of a project's notes with this title."""
    rows = db.execute("SELECT id FROM memories WHERE project = ? AND title = ?", (project, title))
    return [row[0] for row in rows]
