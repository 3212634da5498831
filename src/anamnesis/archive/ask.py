"""Questions to the archive: which sessions there were, what was said in them, and where."""

from __future__ import annotations

import sqlite3

from anamnesis.aliases import names_of
from anamnesis.archive import database
from anamnesis.ground.records import record, replace
from anamnesis.search import query as queries
from anamnesis.search import rank
from anamnesis.search.excerpts import passage
from anamnesis.search.meaning import is_off
from anamnesis.search.meaning import of as meaning_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.archive.turns import Transcript
    from anamnesis.config import Home
    from anamnesis.search.query import Query, Term

_CANDIDATES = 80  # turns that are ranked; 120 answered no more questions
_MOST_MATCHED = 5_000  # turns that a question may match: each is scored
_MOST_COMMANDS = 5_000  # the latest that differ
_PARTS_WEIGHT = 0.5
_PASSAGE = 1_500  # characters of a turn
_REPLY = 1_500  # characters of the turn after it: an answer follows its question
_TOLD, _TOLD_REPLY = 600, 300  # the same, for a hook: nobody asked for the archive
_TOLD_CANDIDATES = 40
_CHARACTERS_OF_A_WORD = 6
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, turns_fts, row)"
_SESSION = (
    "id", "agent", "project", "machine", "branch", "started", "ended", "title", "note", "turns",
)  # fmt: skip


@record
class SessionFilter:
    """What a question to the archive is narrowed to; an empty field matches anything."""

    project: str = ""
    machine: str = ""
    agent: str = ""
    since: str = ""
    until: str = ""
    kinds: tuple[str, ...] = ()
    failed: bool = False
    but_session: str = ""
    has_note: bool = False
    names: tuple[str, ...] = ()  # all names of the project


@record
class SessionRow:
    """One archived session."""

    id: str
    agent: str
    project: str
    machine: str
    branch: str
    started: str
    ended: str
    title: str
    note: str
    turns: int


@record
class SessionPage:
    """Some of the sessions that were asked for, and what the archive can be narrowed to."""

    rows: tuple[SessionRow, ...] = ()
    total: int = 0
    projects: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


@record
class CommandRow:
    """A command that worked: how often, and when and where last."""

    command: str
    about: str  # what was said before it, and what it printed
    times: int
    at: str
    session: SessionRow
    number: int


@record
class Passage:
    """A place in a session that answers a question."""

    session: SessionRow
    number: int
    who: str
    kind: str
    at: str
    failed: bool
    text: str
    score: float
    strength: float  # its points by words, in units of a word that no other turn has


def sessions(home: Home, session_filter: SessionFilter, *, limit: int) -> list[SessionRow]:
    """The sessions of the archive, the latest first."""
    session_filter = _by_all_names(home, session_filter)
    with database.opened(home) as db:
        return _sessions(db, session_filter, limit=limit)


def page(home: Home, session_filter: SessionFilter, *, limit: int, offset: int) -> SessionPage:
    """Some of the sessions of the archive, the latest first."""
    session_filter = _by_all_names(home, session_filter)
    where, values = _condition(session_filter)
    with database.opened(home) as db:
        (total,) = db.execute(
            f"SELECT count(*) FROM sessions AS s WHERE turns > 0{where}",  # noqa: S608
            values,
        ).fetchone()
        return SessionPage(
            rows=tuple(_sessions(db, session_filter, limit=limit, offset=offset)),
            total=total,
            projects=_values(db, "project"),
            agents=_values(db, "agent"),
        )


def passages(home: Home, text: str, session_filter: SessionFilter, *, limit: int) -> list[Passage]:
    """The places where something was said or run that answers, the best first."""
    session_filter = _by_all_names(home, session_filter)
    with database.opened(home) as db:
        return _passages(
            db, queries.read(text), session_filter, limit=limit, rooms=(_PASSAGE, _REPLY)
        )


def passages_about(
    home: Home, text: str, *, project: str, but_session: str, limit: int
) -> list[Passage]:
    """What was said about a question in earlier sessions of a project that left a note, in short.

    For a hook: nothing is created or waited for, and an unreadable archive gives nothing. Output
    of tools other than a shell is left out: in files of earlier versions no turn is marked as
    foreign.
    """
    db = database.readable(home)
    if db is None:
        return []
    session_filter = SessionFilter(
        project, kinds=database.SPOKEN, but_session=but_session, has_note=True
    )
    session_filter = _by_all_names(home, session_filter)
    rooms, most = (_TOLD, _TOLD_REPLY), _TOLD_CANDIDATES
    try:
        return _passages(
            db, queries.read(text), session_filter, limit=limit, rooms=rooms, most=most
        )
    except sqlite3.Error:
        return []
    finally:
        db.close()


def _passages(
    db: sqlite3.Connection,
    query: Query,
    session_filter: SessionFilter,
    *,
    limit: int,
    rooms: tuple[int, int],
    most: int = _CANDIDATES,
) -> list[Passage]:
    chosen: list[Passage] = []
    texts: set[str] = set()
    for row, hit in _ranked(db, query, session_filter, most=most):
        if row["text"] in texts:
            continue  # said before, or the reply to a passage
        reply = _reply(db, row)
        texts.update((row["text"], reply))
        chosen.append(_passage(row, reply, hit, rooms))
        if len(chosen) >= limit:
            break
    return chosen


def archived(home: Home, session: str) -> Transcript | None:
    """A session word for word, by its id or an unambiguous beginning of it."""
    from anamnesis.archive import files  # late, for hooks: it unpacks and redacts

    whole = files.load(files.path_of(home, session))
    if whole is not None:
        return whole
    with database.opened(home) as db:
        rows = db.execute(
            "SELECT path FROM sessions WHERE substr(id, 1, ?) = ? LIMIT 2", (len(session), session)
        ).fetchall()
    return files.load(rows[0]["path"]) if len(rows) == 1 else None


def commands(home: Home, session_filter: SessionFilter) -> list[CommandRow]:
    """The commands that worked, each once, the latest first."""
    session_filter = _by_all_names(home, session_filter)
    where, values = _condition(session_filter)
    with database.opened(home) as db:
        rows = db.execute(
            "WITH worked AS (SELECT count(*) AS times, max(t.at) AS last, max(t.rowid) AS place "  # noqa: S608
            "FROM turns AS t JOIN sessions AS s ON s.id = t.session "
            f"WHERE t.command IS NOT NULL AND NOT t.failed{where} "
            "GROUP BY t.command ORDER BY last DESC LIMIT ?) "
            "SELECT s.*, t.number, f.text, worked.times, worked.last, "
            "(SELECT b.text FROM turns AS p JOIN turns_fts AS b ON b.rowid = p.rowid "
            "WHERE p.session = t.session AND p.number = t.number - 1 AND p.kind = 'answer') "
            "AS before FROM worked JOIN turns AS t ON t.rowid = worked.place "
            "JOIN turns_fts AS f ON f.rowid = t.rowid "
            "JOIN sessions AS s ON s.id = t.session ORDER BY worked.last DESC",
            (*values, _MOST_COMMANDS),
        ).fetchall()
    return [
        CommandRow(
            command=database.split(row["text"])[0],
            about=f"{row['before'] or ''}\n{database.split(row['text'])[1]}",
            times=row["times"],
            at=row["last"],
            session=_session(row),
            number=row["number"],
        )
        for row in rows
    ]


def failures_before(home: Home, session: str, number: int, *, within: int) -> list[tuple[str, str]]:
    """The commands that failed shortly before a turn and what each printed, the latest first."""
    with database.opened(home) as db:
        rows = db.execute(
            "SELECT f.text FROM turns AS t JOIN turns_fts AS f ON f.rowid = t.rowid "
            "WHERE t.session = ? AND t.number BETWEEN ? AND ? AND t.failed AND t.kind = ? "
            "ORDER BY t.number DESC",
            (session, number - within, number - 1, database.COMMAND),
        ).fetchall()
    return [database.split(row["text"]) for row in rows]


def session_of_note(home: Home, note: str) -> str:
    """The id of the latest archived session that a note was made from; empty if there is none."""
    with database.opened(home) as db:
        row = db.execute(
            "SELECT id FROM sessions WHERE note = ? ORDER BY ended DESC LIMIT 1", (note,)
        ).fetchone()
    return str(row["id"]) if row else ""


def _sessions(
    db: sqlite3.Connection, session_filter: SessionFilter, *, limit: int, offset: int = 0
) -> list[SessionRow]:
    where, values = _condition(session_filter)
    rows = db.execute(
        f"SELECT * FROM sessions AS s WHERE turns > 0{where} "  # noqa: S608
        "ORDER BY ended DESC, id LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [_session(row) for row in rows]


def _values(db: sqlite3.Connection, column: str) -> tuple[str, ...]:
    rows = db.execute(
        f"SELECT DISTINCT {column} FROM sessions WHERE turns > 0 AND {column} > '' ORDER BY 1"  # noqa: S608
    )
    return tuple(value for (value,) in rows)


def _ranked(
    db: sqlite3.Connection, query: Query, session_filter: SessionFilter, *, most: int = _CANDIDATES
) -> list[tuple[sqlite3.Row, rank.Ranked]]:
    """The turns that may answer, the best first by the ranking of notes."""
    selecting = [term for term in query.terms if term.selects]
    terms = [term for term in selecting if term.kind != "light"] or selecting
    if not terms:
        return []
    statistics = _statistics(db, selecting)
    found = _candidates(db, _rarest(terms, statistics), session_filter, most=most)
    rows = {str(row["place"]): row for row in found}
    replies = {place: _reply(db, row) for place, row in rows.items()}
    candidates = [
        rank.Candidate(
            id=place, title="", tags="", parts="", updated_at=row["at"], confidence=1.0,
            body=f"{_said(row['text'])}\n{_said(replies[place])[:_REPLY]}",
        )
        for place, row in rows.items()
    ]  # fmt: skip
    meaning = None if is_off() else meaning_of(query.words)
    hits = rank.ranked(query, candidates, statistics, meaning=meaning)
    return [(rows[hit.candidate.id], hit) for hit in hits]


def _rarest(terms: list[Term], statistics: rank.Statistics) -> list[Term]:
    """The terms to look for: the rarest, as long as they do not match too many turns."""
    ordered = sorted(terms, key=lambda term: statistics.frequencies[term.stem])
    matched = 0
    chosen: list[Term] = []
    for term in ordered:
        matched += statistics.frequencies[term.stem]
        if chosen and matched > _MOST_MATCHED:
            break
        chosen.append(term)
    return chosen


def _statistics(db: sqlite3.Connection, terms: Iterable[Term]) -> rank.Statistics:
    db.execute(_VOCABULARY)
    counts = {
        term.stem: db.execute(
            "SELECT coalesce(max(doc), 0) FROM temp.words WHERE term = ?", (term.stem,)
        ).fetchone()[0]
        for term in terms
    }
    turns, characters = db.execute("SELECT count(*), sum(length) FROM turns").fetchone()
    average = (characters or 0) / max(turns, 1) / _CHARACTERS_OF_A_WORD
    return rank.Statistics(turns, average, counts)


def _reply(db: sqlite3.Connection, row: sqlite3.Row) -> str:
    """The turn after a prompt or an answer, which may be the reply to it."""
    if row["kind"] not in {database.PROMPT, database.ANSWER}:
        return ""
    after = db.execute(
        "SELECT f.text FROM turns AS t JOIN turns_fts AS f ON f.rowid = t.rowid "
        "WHERE t.session = ? AND t.number = ?",
        (row["id"], row["number"] + 1),
    ).fetchone()
    return str(after["text"]) if after else ""


def _candidates(
    db: sqlite3.Connection, terms: Iterable[Term], session_filter: SessionFilter, *, most: int
) -> list[sqlite3.Row]:
    where, values = _condition(session_filter)
    if session_filter.kinds:
        where += f" AND t.kind IN ({', '.join('?' * len(session_filter.kinds))})"
        values += session_filter.kinds
    if session_filter.failed:
        where += " AND t.failed"
    match = " OR ".join(term.match for term in terms)
    return db.execute(
        "SELECT s.*, t.rowid AS place, t.number, t.kind, t.who, t.at, t.failed, t.command, f.text, "  # noqa: S608
        f"bm25(turns_fts, 1.0, {_PARTS_WEIGHT}) AS points FROM turns_fts AS f "
        "JOIN turns AS t ON t.rowid = f.rowid JOIN sessions AS s ON s.id = t.session "
        f"WHERE turns_fts MATCH ?{where} ORDER BY points LIMIT ?",
        (match, *values, most),
    ).fetchall()


def _condition(session_filter: SessionFilter) -> tuple[str, tuple[str, ...]]:
    parts, values = "", list[str]()
    if names := session_filter.names or tuple(filter(None, (session_filter.project,))):
        parts += f" AND s.project IN ({', '.join('?' * len(names))})"
        values += names
    for column in ("machine", "agent"):
        if value := getattr(session_filter, column):
            parts += f" AND s.{column} = ?"
            values.append(value)
    if session_filter.since:
        parts += " AND s.ended >= ?"
        values.append(session_filter.since)
    if session_filter.but_session:
        parts += " AND s.id != ?"
        values.append(session_filter.but_session)
    if session_filter.has_note:
        parts += " AND s.note > ''"
    if session_filter.until:
        parts += " AND s.started <= ?"
        values.append(f"{session_filter.until}~")  # after every moment of that day or month
    return parts, tuple(values)


def _by_all_names(home: Home, session_filter: SessionFilter) -> SessionFilter:
    """The filter with every name that its project has."""
    project = session_filter.project
    return replace(session_filter, names=names_of(home, project)) if project else session_filter


def _said(text: str) -> str:
    return "\n".join(filter(None, database.split(text)))


def _passage(row: sqlite3.Row, reply: str, hit: rank.Ranked, rooms: tuple[int, int]) -> Passage:
    weights = {share.word: share.points for share in hit.why().shares}
    pieces = [
        passage(_said(whole), weights, room=room)
        for whole, room in zip((row["text"], reply), rooms, strict=True)
        if whole
    ]
    return Passage(
        session=_session(row),
        number=row["number"],
        who=row["who"],
        kind=row["kind"],
        at=row["at"],
        failed=bool(row["failed"]),
        text="\n→ ".join(pieces),
        score=hit.score,
        strength=hit.strength,
    )


def _session(row: sqlite3.Row) -> SessionRow:
    return SessionRow(**{name: row[name] for name in _SESSION})
