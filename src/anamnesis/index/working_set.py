"""The notes that may be put before an agent: the latest of a kind, from the index alone."""

from __future__ import annotations

from anamnesis.index.rows import HEADER, header
from anamnesis.trust.policy import condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from anamnesis.notes.note import Memory

# A reflected episode lives on in the notes that were distilled from it.
_SHOWN = (
    "m.superseded = 0 AND NOT (m.type = 'episodic' AND EXISTS ("
    "SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = 'reflected'))"
)
_OPEN_POINTS = "**Open:**"  # the block of a session note that lists them
_MOST_PINNED = 50  # whoever pins everything has pinned nothing
_LATEST = "ORDER BY m.updated_at DESC, m.confidence DESC, m.id DESC LIMIT ?"


def latest_of_type(db: sqlite3.Connection, *, project: str, type: str, limit: int) -> list[Memory]:
    """The latest shown notes of a type in a project, without their bodies.

    One type at a time follows an index to the limit; several at once would sort the project.
    """
    found = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.project = ? AND m.type = ? AND {_SHOWN} "  # noqa: S608  fixed names
        f"AND {condition()} {_LATEST}",
        (project, type, limit),
    )
    return [header(row) for row in found]


def left_open(db: sqlite3.Connection, *, project: str) -> list[Memory]:
    """The project's latest session if it was reflected and has open points, without its body.

    What was learned lives on in durable notes, but what is still to do stands only there.
    """
    found = db.execute(
        f"SELECT {HEADER} FROM (SELECT * FROM memories m WHERE m.project = ? "  # noqa: S608
        f"AND m.type = 'episodic' AND m.superseded = 0 {_LATEST}) m "
        "JOIN memory_tags t ON t.memory_id = m.id AND t.tag = 'reflected' "
        "JOIN memories_fts f ON f.rowid = m.rowid WHERE instr(f.body, ?)",
        (project, 1, _OPEN_POINTS),
    )
    return [header(row) for row in found]


def pinned(db: sqlite3.Connection, *, project: str, types: list[str]) -> list[Memory]:
    """The shown notes of a project that a person pinned, latest first, without their bodies."""
    marks = ",".join("?" * len(types))
    found = db.execute(
        f"SELECT {HEADER} FROM memory_tags p CROSS JOIN memories m ON m.id = p.memory_id "  # noqa: S608
        f"WHERE p.tag = 'pinned' AND m.project = ? AND m.type IN ({marks}) AND {_SHOWN} "
        f"AND {condition()} {_LATEST}",
        (project, *types, _MOST_PINNED),
    )
    return [header(row) for row in found]


def count_shown(db: sqlite3.Connection, *, projects: set[str], session: str) -> int:
    """How many notes of some projects may be shown, but for those of one session.

    No more than a thousand of each are looked at: a hook's time must not grow with the store.
    """
    looked_at = "SELECT rowid FROM memories WHERE project = ? LIMIT 1000"
    return sum(
        db.execute(
            f"SELECT count(*) FROM memories m WHERE m.rowid IN ({looked_at}) AND {_SHOWN} "  # noqa: S608
            f"AND {condition()} "
            "AND (m.prov_session IS NULL OR m.prov_session <> ?)",
            (project, session),
        ).fetchone()[0]
        for project in projects
    )


def types_of(db: sqlite3.Connection, project: str) -> list[str]:
    """The types that a project's notes have, found by jumping through an index."""
    types: list[str] = []
    row = db.execute("SELECT min(type) FROM memories WHERE project = ?", (project,)).fetchone()
    while row[0] is not None:
        types.append(row[0])
        row = db.execute(
            "SELECT min(type) FROM memories WHERE project = ? AND type > ?", (project, types[-1])
        ).fetchone()
    return types


def session_note(db: sqlite3.Connection, session: str) -> str | None:
    """The id of the note that was captured from a session; the oldest, should there be several."""
    if not session:
        return None
    row = db.execute(
        "SELECT id FROM memories WHERE prov_session = ? AND type = 'episodic' "
        "AND prov_source = 'session-end' ORDER BY created_at, id LIMIT 1",
        (session,),
    ).fetchone()
    return None if row is None else str(row[0])
