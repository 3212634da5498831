"""What was found in notes when they were indexed, so that a hook need not look at their text."""

from __future__ import annotations

from anamnesis.index.rows import HEADER, header

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory

_WAITING = (
    "FROM memories m WHERE m.superseded = 0 AND (m.id IN (SELECT memory_id FROM held) OR m.id IN "
    "(SELECT memory_id FROM memory_tags WHERE tag = 'pending'))"
)


def record(db: sqlite3.Connection, home: str, notes: Iterable[Memory]) -> None:
    """Look at the text of notes and remember what was found."""
    from anamnesis.trust.verdict import verdict

    for note in notes:
        found = verdict(home, title=note.title, body=note.body, tags=note.tags)
        db.execute("DELETE FROM held WHERE memory_id = ?", (note.id,))
        if found is not None:
            db.execute("INSERT INTO held VALUES (?, ?, ?)", (note.id, found.kind, found.reason))


def reasons(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """Why some of these notes are held."""
    found: dict[str, str] = {}
    for id in ids:
        row = db.execute("SELECT reason FROM held WHERE memory_id = ?", (id,)).fetchone()
        if row is not None:
            found[id] = str(row[0])
    return found


def origins(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """Who wrote some of these notes, where it is known."""
    found: dict[str, str] = {}
    for id in ids:
        row = db.execute("SELECT origin FROM memories WHERE id = ?", (id,)).fetchone()
        if row is not None and row[0]:
            found[id] = str(row[0])
    return found


def admitted(db: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    """Which of these notes may be put before an agent unasked."""
    from anamnesis.trust.policy import condition

    where = condition()
    return {
        id
        for id in ids
        if db.execute(f"SELECT 1 FROM memories m WHERE m.id = ? AND {where}", (id,)).fetchone()  # noqa: S608
    }


def waiting(db: sqlite3.Connection, *, project: str | None = None) -> list[Memory]:
    """The notes that wait for a person, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} {_WAITING} AND (?1 IS NULL OR m.project = ?1) "
        "ORDER BY m.created_at, m.id",
        (project,),
    )
    return [header(row) for row in rows]


def count_waiting(db: sqlite3.Connection) -> int:
    """How many notes wait for a person; asked at every session start."""
    return int(db.execute(f"SELECT count(*) {_WAITING}").fetchone()[0])
