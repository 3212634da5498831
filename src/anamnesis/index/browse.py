"""Looking through the notes: filtered pages, how many there are of what, and what belongs together.

Everything here is answered by the index alone; no note file is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.index.curation import PENDING
from anamnesis.index.rows import HEADER, header

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from anamnesis.notes.note import Memory

DIMENSIONS = ("type", "project", "scope", "machine", "source", "state", "review")
_COLUMNS = {
    "type": "m.type",
    "project": "m.project",
    "scope": "m.scope",
    "machine": "m.machine_id",
    "source": "m.prov_source",
    "session": "m.prov_session",
}
_FIELDS = {
    "type": "type",
    "project": "project",
    "scope": "scope",
    "machine": "machine_id",
    "source": "prov_source",
}
_ORDERS = {
    "updated": "m.updated_at DESC, m.id DESC",
    "oldest": "m.updated_at, m.id",
    "created": "m.created_at DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
}
ORDERS = tuple(_ORDERS)
_CELLS = (
    "m.type", "m.project", "m.scope", "m.machine_id", "m.prov_source",
    "CASE m.superseded WHEN 0 THEN 'current' ELSE 'superseded' END",
)  # fmt: skip
_CELL = ", ".join(_CELLS)
_EXCERPT = 240  # characters: two lines of a list


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes to look at; an empty condition is none."""

    type: str = ""
    project: str = ""
    scope: str = ""
    machine: str = ""
    source: str = ""
    tag: str = ""
    session: str = ""
    state: str = "current"  # or superseded, or all
    day: str = ""  # a date, or the start of one: created then
    review: str = ""  # or pending: what no person has looked at yet


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list of notes."""

    note: Memory
    superseded: bool
    excerpt: str


Cube = dict[tuple[str, ...], int]  # a value per dimension -> number of notes


def version(db: sqlite3.Connection) -> tuple[object, ...]:
    """Something that is different after every change of the index."""
    changed = db.execute("PRAGMA data_version").fetchone()[0]
    # Each on its own is one step in an index; both in one statement would read every row.
    latest = db.execute("SELECT max(updated_at) FROM memories").fetchone()[0]
    last = db.execute("SELECT max(rowid) FROM memories").fetchone()[0]
    return id(db), changed, db.total_changes, latest, last


def engine(db: sqlite3.Connection) -> str:
    """The version of SQLite."""
    return str(db.execute("SELECT sqlite_version()").fetchone()[0])


def rows(
    db: sqlite3.Connection,
    shown: NoteFilter,
    *,
    order: str = "updated",
    limit: int | None,
    offset: int = 0,
    excerpts: bool = True,
) -> list[Row]:
    """One page of the notes, or all of them without a limit; excerpts say how each begins."""
    where, values = _condition(shown)
    found = db.execute(
        f"SELECT m.rowid AS place, m.superseded, {HEADER} FROM memories m "  # noqa: S608
        f"WHERE {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
        (*values, -1 if limit is None else limit, offset),
    ).fetchall()
    if not excerpts:
        return [Row(header(row), bool(row["superseded"]), "") for row in found]
    return [_row(db, row) for row in found]


def rows_of(db: sqlite3.Connection, ids: Iterable[str]) -> list[Row]:
    """The lines of some notes, in the order of their ids as given; unknown ids are left out."""
    sql = f"SELECT m.rowid AS place, m.superseded, {HEADER} FROM memories m WHERE m.id = ?"  # noqa: S608
    found = (db.execute(sql, (note_id,)).fetchone() for note_id in ids)
    return [_row(db, row) for row in found if row is not None]


def matching(db: sqlite3.Connection, match: str, shown: NoteFilter, *, limit: int) -> list[str]:
    """The ids of the notes that answer an FTS5 expression best."""
    if not match:
        return []
    where, values = _condition(shown)
    found = db.execute(
        "SELECT m.id FROM memories_fts JOIN memories m ON m.rowid = memories_fts.rowid "  # noqa: S608
        f"WHERE memories_fts MATCH ? AND {where} "
        "ORDER BY bm25(memories_fts), m.updated_at DESC, m.id DESC LIMIT ?",
        (match, *values, limit),
    )
    return [row[0] for row in found]


def count(db: sqlite3.Connection, shown: NoteFilter) -> int:
    """How many notes there are to look at."""
    where, values = _condition(shown)
    found = db.execute(f"SELECT count(*) FROM memories m WHERE {where}", values)  # noqa: S608
    number: int = found.fetchone()[0]
    return number


def cube(db: sqlite3.Connection) -> Cube:
    """How many notes there are of each combination of values: one scan answers every filter."""
    from collections import Counter

    counted: Counter[tuple[str, ...]] = Counter()
    for cell, number in _cells(db).items():
        counted[(*cell, "")] = number
    for cell in db.execute(
        f"SELECT {_CELL} FROM memory_tags t JOIN memories m ON m.id = t.memory_id "  # noqa: S608
        "WHERE t.tag = 'pending'"
    ):
        counted[(*cell, "")] -= 1
        counted[(*cell, PENDING)] += 1
    return dict(+counted)


def _cells(db: sqlite3.Connection) -> dict[tuple[str, ...], int]:
    """The same without what waits.

    SQLite joins the values of all notes into one text: to build a text for each value of each
    note in Python takes twice the time.
    """
    from collections import Counter

    joined = "||char(31)||".join(_CELLS)
    text, number = db.execute(
        f"SELECT group_concat({joined}, char(30)), count(*) FROM memories m"  # noqa: S608
    ).fetchone()
    cells = text.split("\x1e") if text else []
    counted = {tuple(cell.split("\x1f")): times for cell, times in Counter(cells).items()}
    if len(cells) == number and all(len(cell) == len(_CELLS) for cell in counted):
        return counted
    # A value holds one of the separators.
    return Counter(map(tuple, db.execute(f"SELECT {_CELL} FROM memories m")))  # noqa: S608


def facets_of(found: Iterable[Row]) -> dict[str, list[tuple[str, int]]]:
    """How many of some notes have which value, per dimension and for tags."""
    values: dict[str, list[str]] = {name: [] for name in (*DIMENSIONS, "tag")}
    for row in found:
        for name, attribute in _FIELDS.items():
            values[name].append(getattr(row.note, attribute))
        values["state"].append("superseded" if row.superseded else "current")
        values["review"].append(PENDING if PENDING in row.note.tags else "")
        values["tag"] += row.note.tags
    return {name: _most_common(these) for name, these in values.items()}


def _most_common(values: Iterable[str]) -> list[tuple[str, int]]:
    counted: dict[str, int] = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def tags(db: sqlite3.Connection, shown: NoteFilter, *, limit: int) -> list[tuple[str, int]]:
    """The most used tags of the notes to look at."""
    if shown == NoteFilter():
        return _tags_in_force(db)[:limit]
    if shown == NoteFilter(state="all"):
        return _most_used(_all_tags(db))[:limit]
    where, values = _condition(shown)
    found = db.execute(
        "SELECT t.tag, count(*) FROM memories m JOIN memory_tags t ON t.memory_id = m.id "  # noqa: S608
        f"WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (*values, limit),
    )
    return [(tag, number) for tag, number in found]


def _tags_in_force(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """The same without a condition: replaced notes are few, so theirs are subtracted."""
    counted = _all_tags(db)
    for (tag,) in db.execute(
        "SELECT t.tag FROM (SELECT DISTINCT target FROM supersessions) s JOIN memories m "
        "ON m.id = s.target AND m.superseded JOIN memory_tags t ON t.memory_id = m.id"
    ):
        counted[tag] -= 1
    return _most_used(counted)


def _most_used(counted: dict[str, int]) -> list[tuple[str, int]]:
    used = ((tag, number) for tag, number in counted.items() if number)
    return sorted(used, key=lambda pair: (-pair[1], pair[0]))


def _all_tags(db: sqlite3.Connection) -> dict[str, int]:
    from collections import Counter

    text, number = db.execute(
        "SELECT group_concat(tag, char(30)), count(*) FROM memory_tags"
    ).fetchone()
    tags = text.split("\x1e") if text else []
    if len(tags) == number:
        return Counter(tags)
    return dict(db.execute("SELECT tag, count(*) FROM memory_tags GROUP BY 1").fetchall())


def days(db: sqlite3.Connection, shown: NoteFilter, *, since: str) -> dict[str, int]:
    """How many notes were made on each day."""
    where, values = _condition(shown)
    found = db.execute(
        "SELECT substr(m.created_at, 1, 10), count(*) FROM memories m "  # noqa: S608
        f"WHERE m.created_at >= ? AND {where} GROUP BY 1",
        (since, *values),
    )
    return {day: number for day, number in found}  # noqa: C416  rows are not pairs to `dict`


def machines(db: sqlite3.Connection) -> list[tuple[str, int, str, str]]:
    """Each machine with its number of notes, its first and its latest note."""
    found = db.execute(
        "SELECT machine_id, count(*), min(created_at), max(updated_at) FROM memories "
        "GROUP BY 1 ORDER BY 4 DESC"
    )
    return [tuple(row) for row in found]


def replaced_by(db: sqlite3.Connection, note_id: str) -> list[str]:
    """The ids of the notes that replace a note."""
    found = db.execute("SELECT memory_id FROM supersessions WHERE target = ?", (note_id,))
    return [row[0] for row in found]


def sharing_tags(db: sqlite3.Connection, note: Memory, *, limit: int) -> list[str]:
    """The ids of the notes that share most tags with a note, the latest first among equals."""
    marks = ", ".join("?" * len(note.tags)) or "''"
    found = db.execute(
        "SELECT t.memory_id FROM memory_tags t JOIN memories m ON m.id = t.memory_id "  # noqa: S608
        f"WHERE t.tag IN ({marks}) AND t.memory_id <> ? AND m.superseded = 0 "
        "GROUP BY 1 ORDER BY count(*) DESC, m.updated_at DESC LIMIT ?",
        (*note.tags, note.id, limit),
    )
    return [row[0] for row in found]


def _row(db: sqlite3.Connection, row: sqlite3.Row) -> Row:
    text = db.execute(
        f"SELECT substr(body, 1, {_EXCERPT}) FROM memories_fts WHERE rowid = ?",  # noqa: S608
        (row["place"],),
    ).fetchone()
    return Row(header(row), bool(row["superseded"]), text[0] if text else "")


def _condition(shown: NoteFilter) -> tuple[str, Sequence[str]]:
    clauses, values = [], []
    for name, column in _COLUMNS.items():
        if wanted := getattr(shown, name):
            clauses.append(f"{column} = ?")
            values.append(wanted)
    if shown.source and replace(shown, state="") != NoteFilter(source=shown.source, state=""):
        # A plus keeps SQLite from the index of sources: any other condition narrows more.
        clauses[clauses.index("m.prov_source = ?")] = "+m.prov_source = ?"
    if shown.state in ("current", "superseded"):
        clauses.append(f"m.superseded = {int(shown.state == 'superseded')}")
    if shown.tag:
        clauses.append("m.id IN (SELECT memory_id FROM memory_tags WHERE tag = ?)")
        values.append(shown.tag)
    if shown.review == PENDING:  # in so many letters: for these there is an index
        clauses.append("m.id IN (SELECT memory_id FROM memory_tags WHERE tag = 'pending')")
    if shown.day:
        clauses.append("m.created_at >= ? AND m.created_at < ?")
        values += [shown.day, f"{shown.day}~"]  # "~" follows every character of a time
    return " AND ".join(clauses) or "1", values
