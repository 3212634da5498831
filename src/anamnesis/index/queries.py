"""Queries for sessions and curation: latest notes, notes with a tag, notes to review."""

from __future__ import annotations

from anamnesis.index.rows import HEADER, header
from anamnesis.notes import tree
from anamnesis.trust import policy
from anamnesis.trust.policy import condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.fields import Memory, NoteId


PENDING = policy.PENDING
_BATCH = 500
# A reflected session is represented by the notes distilled from it.
_SHOWN = (
    "m.superseded = 0 AND NOT (m.type = 'episodic' AND EXISTS ("
    "SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = 'reflected'))"
)
_OPEN_POINTS = "**Open:**"  # the block of a session note that lists them
_MOST_PINNED = 50  # with more, pinning means nothing
_LATEST = "ORDER BY m.updated_at DESC, m.confidence DESC, m.id DESC LIMIT ?"
_COUNTED = 40  # notes of a type; beyond that, the number that may be shown is an estimate
_SAMPLE = 15  # of the latest


def places(db: sqlite3.Connection, ids: Iterable[NoteId]) -> dict[str, str]:
    """The files of some notes, relative to the root."""
    all_ids = list(ids)
    places: dict[str, str] = {}
    for start in range(0, len(all_ids), _BATCH):
        batch = all_ids[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        rows = db.execute(
            f"SELECT id, scope, body_path FROM memories WHERE id IN ({marks})",  # noqa: S608
            batch,
        )
        places.update({row[0]: f"{tree.tree_of(row[1])}/{row[2]}" for row in rows})
    return places


def holds_more_than(db: sqlite3.Connection, number: int) -> bool:
    """Whether there are more notes than this, without counting them all."""
    row = db.execute("SELECT 1 FROM memories LIMIT 1 OFFSET ?", (number,)).fetchone()
    return row is not None


def tagged(db: sqlite3.Connection, tag: str, *, project: str | None = None) -> list[Memory]:
    """The active notes with a tag, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m JOIN memory_tags t ON t.memory_id = m.id "  # noqa: S608
        "WHERE t.tag = ? AND m.superseded = 0 AND (? IS NULL OR m.project = ?) "
        "ORDER BY m.created_at, m.id",
        (tag, project, project),
    )
    return [header(row) for row in rows]


def waiting_sessions(db: sqlite3.Connection, *, project: str | None) -> list[Memory]:
    """Portable episodic notes that were not reflected yet, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.type = 'episodic' AND m.scope = 'portable' "  # noqa: S608
        "AND m.superseded = 0 AND (? IS NULL OR m.project = ?) AND NOT EXISTS ("
        "SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id "
        "AND t.tag IN ('reflected', 'unreflected')) ORDER BY m.created_at, m.id",
        (project, project),
    )
    return [header(row) for row in rows]


def active(
    db: sqlite3.Connection, *, project: str | None = None, types: tuple[str, ...] = ()
) -> list[Memory]:
    """The active notes, oldest first, without their bodies."""
    marks = ",".join("?" * len(types))
    kinds = f"AND m.type IN ({marks}) " if types else ""
    where = "AND m.project = ? " if project is not None else ""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.superseded = 0 {kinds}{where}"  # noqa: S608
        "ORDER BY m.created_at, m.id",
        (*types, *((project,) if project is not None else ())),
    )
    return [header(row) for row in rows]


def anchored(db: sqlite3.Connection, *, projects: set[str]) -> list[Memory]:
    """The active notes of projects that are tied to code, oldest first, without their bodies."""
    marks = ",".join("?" * len(projects))
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.superseded = 0 "  # noqa: S608
        f"AND m.project IN ({marks}) AND m.anchors NOT IN ('', '[]') ORDER BY m.id",
        tuple(projects),
    )
    return [header(row) for row in rows]


def titled(db: sqlite3.Connection, title: str, *, project: str) -> list[str]:
    """The ids of a project's notes with this title."""
    # The index of titles ignores case, so its matches are compared exactly afterwards.
    rows = db.execute(
        "SELECT id FROM memories WHERE title = ? COLLATE NOCASE AND title = ? AND project = ?",
        (title, title, project),
    )
    return [row[0] for row in rows]


def to_review() -> str:
    """Which notes of `memories m` are to review, as SQL: foreign ones and proposals.

    Earlier versions marked native memory too, which is given without a review.
    """
    marked = "m.id IN (SELECT memory_id FROM memory_tags WHERE tag = 'pending')"
    if policy.standing(policy.NATIVE).treatment == policy.REVIEW:
        return marked
    return f"({marked} AND coalesce(m.origin, '') <> '{policy.NATIVE}')"


def written_by_agents(db: sqlite3.Connection, *, since: str, machine: str) -> list[Memory]:
    """The notes that agents wrote or edited on a machine since a time, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.origin GLOB 'agent:*' "  # noqa: S608
        "AND m.updated_at >= ? AND m.machine_id = ?",
        (since, machine),
    )
    return [header(row) for row in rows]


def count_saved_for_all(db: sqlite3.Connection, *, since: str) -> int:
    """How many notes agents saved for all projects since a time."""
    row = db.execute(
        "SELECT count(*) FROM memories WHERE created_at > ? AND project = 'global' "
        "AND origin GLOB 'agent:*'",
        (since,),
    ).fetchone()
    return int(row[0])


def admitted(db: sqlite3.Connection, ids: Iterable[NoteId]) -> set[str]:
    """Which of these notes an agent may be given unasked."""
    where = condition()
    return {
        id
        for id in ids
        if db.execute(f"SELECT 1 FROM memories m WHERE m.id = ? AND {where}", (id,)).fetchone()  # noqa: S608
    }


def waiting(db: sqlite3.Connection, *, project: str | None = None) -> list[Memory]:
    """The notes to review, oldest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.superseded = 0 AND {to_review()} "  # noqa: S608
        "AND (? IS NULL OR m.project = ?) ORDER BY m.created_at, m.id",
        (project, project),
    )
    return [header(row) for row in rows]


def count_waiting(db: sqlite3.Connection) -> int:
    """How many notes are to be reviewed; used at every session start."""
    sql = f"SELECT count(*) FROM memories m WHERE m.superseded = 0 AND {to_review()}"  # noqa: S608
    return int(db.execute(sql).fetchone()[0])


def latest(
    db: sqlite3.Connection, *, project: str, types: Sequence[str], limit: int
) -> list[Memory]:
    """The latest shown notes of some types in a project, without their bodies.

    One type at a time follows an index to the limit; several at once would sort the project.
    """
    rows: list[sqlite3.Row] = []
    where = condition()
    for type in types:
        rows += db.execute(
            f"SELECT {HEADER} FROM memories m WHERE m.project = ? AND m.type = ? AND {_SHOWN} "  # noqa: S608  fixed names
            f"AND {where} {_LATEST}",
            (project, type, limit),
        )
    if len(types) > 1:
        rows.sort(key=_age, reverse=True)
    return [header(row) for row in rows[:limit]]


def _age(row: sqlite3.Row) -> tuple[object, ...]:
    return row["updated_at"], row["confidence"], row["id"]


def of_session(db: sqlite3.Connection, session: str) -> list[Memory]:
    """The notes that were captured from a session and may be shown, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memories m WHERE m.prov_session = ? AND m.type = 'episodic' "  # noqa: S608
        f"AND m.superseded = 0 AND {condition()} {_LATEST}",
        (session, 1),
    )
    return [header(row) for row in rows]


def kept_rules(db: sqlite3.Connection, *, project: str) -> list[Memory]:
    """The rules of a project that wait for no review, latest first, without their bodies."""
    rows = db.execute(
        f"SELECT {HEADER} FROM memory_tags p CROSS JOIN memories m ON m.id = p.memory_id "  # noqa: S608
        f"WHERE p.tag = 'rule' AND m.project = ? AND {_SHOWN} AND {condition()} "
        f"AND NOT EXISTS (SELECT 1 FROM memory_tags w WHERE w.memory_id = m.id "
        f"AND w.tag = 'pending') {_LATEST}",
        (project, _MOST_PINNED),
    )
    return [header(row) for row in rows]


def left_open(db: sqlite3.Connection, *, project: str) -> list[Memory]:
    """The project's latest session if it was reflected and has open points, without its body.

    What was learned is in durable notes, but what is still to do is only there.
    """
    rows = db.execute(
        f"SELECT {HEADER} FROM (SELECT * FROM memories m WHERE m.project = ? "  # noqa: S608
        f"AND m.type = 'episodic' AND m.superseded = 0 AND {condition()} {_LATEST}) m "
        "JOIN memory_tags t ON t.memory_id = m.id AND t.tag = 'reflected' "
        "JOIN memories_fts f ON f.rowid = m.rowid WHERE instr(f.body, ?)",
        (project, 1, _OPEN_POINTS),
    )
    return [header(row) for row in rows]


def on_branch(db: sqlite3.Connection, sessions: Sequence[Memory], *, branch: str) -> list[Memory]:
    """The sessions that worked on a branch, in the same order."""
    marks = ",".join("?" * len(sessions))
    rows = db.execute(
        "SELECT m.id FROM memories m JOIN memories_fts f ON f.rowid = m.rowid "  # noqa: S608
        f"WHERE m.id IN ({marks}) AND instr(f.body || char(10), ?)",
        (*(note.id for note in sessions), f"**Branch:** {branch}\n"),
    )
    on_it = {row[0] for row in rows}
    return [note for note in sessions if note.id in on_it]


def pinned(db: sqlite3.Connection, *, project: str, types: list[str]) -> list[Memory]:
    """The pinned notes of a project that may be shown, latest first, without their bodies."""
    marks = ",".join("?" * len(types))
    rows = db.execute(
        f"SELECT {HEADER} FROM memory_tags p CROSS JOIN memories m ON m.id = p.memory_id "  # noqa: S608
        f"WHERE p.tag = 'pinned' AND m.project = ? AND m.type IN ({marks}) AND {_SHOWN} "
        f"AND {condition()} {_LATEST}",
        (project, *types, _MOST_PINNED),
    )
    return [header(row) for row in rows]


def count_shown(db: sqlite3.Connection, *, projects: set[str], session: str) -> int:
    """How many notes of some projects may be shown, except those of one session.

    Where a type has many, only the latest are checked and the others counted: a hook's time must
    not grow with the store. So the number is exact for few notes, and an estimate beyond that.
    """
    where = condition()
    return sum(
        _count_shown(db, project, type, session, where)
        for project in projects
        for type in types_of(db, project)
    )


def _count_shown(db: sqlite3.Connection, project: str, type: str, session: str, where: str) -> int:
    of_type = "memories WHERE project = ? AND type = ?"
    every = db.execute(f"SELECT count(*) FROM {of_type}", (project, type)).fetchone()[0]  # noqa: S608
    looked_at = every if every <= _COUNTED else _SAMPLE
    latest = f"SELECT rowid FROM {of_type} ORDER BY updated_at DESC LIMIT {looked_at}"  # noqa: S608
    shown = db.execute(
        f"SELECT count(*) FROM memories m WHERE m.rowid IN ({latest}) AND {_SHOWN} "  # noqa: S608
        f"AND {where} AND (m.prov_session IS NULL OR m.prov_session <> ?)",
        (project, type, session),
    ).fetchone()[0]
    return int(shown * every / looked_at)


def every_id(db: sqlite3.Connection) -> list[str]:
    """The ids of all notes."""
    return [row[0] for row in db.execute("SELECT id FROM memories")]


def known_ids(db: sqlite3.Connection, ids: Sequence[NoteId]) -> set[str]:
    """Which of these ids are those of notes."""
    return set(places(db, ids))


def versions(db: sqlite3.Connection) -> dict[str, str]:
    """The hash of each note's file, by id."""
    rows = db.execute("SELECT note_id, hash FROM files WHERE hash IS NOT NULL AND problem IS NULL")
    return {row[0]: row[1] for row in rows}


def count_unreadable(db: sqlite3.Connection) -> int:
    """How many files could not be read as notes."""
    sql = "SELECT count(*) FROM files WHERE problem IS NOT NULL AND note_id IS NULL"
    return int(db.execute(sql).fetchone()[0])


def folders(db: sqlite3.Connection) -> dict[str, int]:
    """The folders that were scanned, and when each was last changed."""
    return {row[0]: row[1] for row in db.execute("SELECT path, mtime_ns FROM folders")}


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


def count_of(db: sqlite3.Connection, project: str) -> int:
    """How many notes a project has."""
    sql = "SELECT count(*) FROM memories WHERE project = ?"
    return int(db.execute(sql, (project,)).fetchone()[0])


def projects(db: sqlite3.Connection) -> list[str]:
    """The projects that have notes, found by jumping through an index."""
    found: list[str] = []
    row = db.execute("SELECT min(project) FROM memories").fetchone()
    while row[0] is not None:
        found.append(row[0])
        row = db.execute(
            "SELECT min(project) FROM memories WHERE project > ?", (found[-1],)
        ).fetchone()
    return found


def sizes(db: sqlite3.Connection, notes: Sequence[Memory]) -> dict[str, int]:
    """How many bytes the files of some notes have, by id."""
    marks = ",".join("?" * len(notes))
    rows = db.execute(
        f"SELECT note_id, size FROM files WHERE note_id IN ({marks})",  # noqa: S608
        [note.id for note in notes],
    )
    return {row[0]: row[1] for row in rows}


def session_note(db: sqlite3.Connection, session: str) -> str | None:
    """The id of the note that was captured from a session; the oldest if there are several."""
    if not session:
        return None
    row = db.execute(
        "SELECT id FROM memories WHERE prov_session = ? AND type = 'episodic' "
        "AND prov_source = 'session-end' ORDER BY created_at, id LIMIT 1",
        (session,),
    ).fetchone()
    return None if row is None else str(row[0])
