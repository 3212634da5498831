"""Browsing the notes: filtered pages, counts, and related notes.

Everything here is answered by the index alone; no note file is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from anamnesis.index.note_filter import (
    BY_OTHERS,
    COLUMNS,
    EVERYTHING,
    SOURCE,
    NoteFilter,
    condition,
)
from anamnesis.index.queries import PENDING, to_review
from anamnesis.index.rows import HEADER, header

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anamnesis.notes.fields import Memory, NoteId

DIMENSIONS = ("type", "project", "scope", "machine", "source", "state", "review")
_SOURCE = DIMENSIONS.index("source")
_ORDERS = {
    "updated": "m.updated_at DESC, m.id DESC",
    "oldest": "m.updated_at, m.id",
    "created": "m.created_at DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
}
ORDERS = tuple(_ORDERS)
_PLACES: dict[str, Callable[[Memory], tuple[str, str]]] = {  # the same for notes of two indexes
    "updated": lambda note: (note.updated_at, note.id),
    "oldest": lambda note: (note.updated_at, note.id),
    "created": lambda note: (note.created_at, note.id),
    "title": lambda note: (note.title.lower(), note.id),
}
# From this offset on, notes are chosen before the list is walked: that reads two indexes and no
# rows, while reading each row that is skipped takes 40 to 110 ms among 50,000 notes.
_DEEP = 3000
_CHOSEN = "SELECT m.rowid FROM memories m INDEXED BY idx_mem_cells"
_ACTIVE = (  # replaced notes are few
    "m.rowid NOT IN (SELECT old.rowid FROM supersessions s "
    "JOIN memories old ON old.id = s.target WHERE old.superseded)"
)
_CELL = (
    "m.type, m.project, m.scope, m.machine_id, m.prov_source, "
    "CASE m.superseded WHEN 0 THEN 'current' ELSE 'superseded' END"
)
_CELLS = "m.type, m.project, m.scope, m.machine_id, m.prov_source, m.superseded"
_LATEST_OF_CELL = (  # one step in an index
    "SELECT max(updated_at) FROM memories INDEXED BY idx_mem_cells WHERE type = ? AND project = ? "
    "AND scope = ? AND machine_id = ? AND prov_source = ? AND superseded = ?"
)
_MOST_NAMING = 200  # notes sharing words of a title that are compared
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_EXCERPT = 240  # characters: two lines of a list


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list of notes."""

    note: Memory
    superseded: bool
    excerpt: str


def place_in(order: str) -> Callable[[Row], tuple[str, str]]:
    """What rows are sorted by in an order; backwards for the latest first."""
    return lambda row: _PLACES[order](row.note)


Cube = dict[tuple[str, ...], int]  # a value per dimension -> number of notes


def version(db: sqlite3.Connection) -> tuple[object, ...]:
    """A value that changes with every change of the index."""
    changed = db.execute("PRAGMA data_version").fetchone()[0]
    # Each on its own is one step in an index; both in one statement would read every row.
    latest = db.execute("SELECT max(updated_at) FROM memories").fetchone()[0]
    last = db.execute("SELECT max(rowid) FROM memories").fetchone()[0]
    return id(db), changed, db.total_changes, latest, last


def contents(db: sqlite3.Connection) -> str:
    """A value that changes if, and only if, the content of the files does.

    Touching a file or rebuilding the index does not change it.
    """
    from hashlib import blake2b

    text = db.execute(
        "SELECT group_concat(path || coalesce(hash, problem, '')) "
        "FROM (SELECT path, hash, problem FROM files ORDER BY path)"
    ).fetchone()[0]
    return blake2b((text or "").encode(), digest_size=9).hexdigest()


def engine(db: sqlite3.Connection) -> str:
    """The version of SQLite."""
    return str(db.execute("SELECT sqlite_version()").fetchone()[0])


def ids(db: sqlite3.Connection) -> list[str]:
    """The ids of all notes."""
    return [row[0] for row in db.execute("SELECT id FROM memories")]


def rows(
    db: sqlite3.Connection,
    filter: NoteFilter,
    *,
    order: str = "updated",
    limit: int | None,
    offset: int = 0,
    excerpts: bool = True,
    also: tuple[str, Sequence[str]] = ("", ()),
) -> list[Row]:
    """One page of the notes, or all of them without a limit; excerpts say how each begins.

    `also` is a further condition, with its values, on `memories m` and `memories_fts`.
    """
    where, values = condition(filter)
    if offset >= _DEEP:
        where = _ACTIVE if filter == NoteFilter() else f"+m.rowid IN ({_CHOSEN} WHERE {where})"
    if also[0]:
        where, values = f"{where} AND {also[0]}", (*values, *also[1])
    texts = "JOIN memories_fts ON memories_fts.rowid = m.rowid " if "_fts" in also[0] else ""
    some = f"FROM memories m {texts}WHERE {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?"
    if offset:  # skipped by row number: sorting whole rows takes ten times as long
        some = f"FROM memories m WHERE m.rowid IN (SELECT m.rowid {some}) ORDER BY {_ORDERS[order]}"
    listed = db.execute(
        f"SELECT {HEADER}, m.rowid AS place, m.superseded {some}",
        (*values, -1 if limit is None else limit, offset),
    ).fetchall()
    if not excerpts:
        return [Row(header(row), bool(row["superseded"]), "") for row in listed]
    return [_row(db, row) for row in listed]


def ids_of(db: sqlite3.Connection, filter: NoteFilter) -> list[str]:
    """The ids of the notes that match, in no order."""
    where, values = condition(filter, all_over=True)
    return [row[0] for row in db.execute(f"SELECT m.id FROM memories m WHERE {where}", values)]  # noqa: S608


def rows_of(db: sqlite3.Connection, ids: Iterable[NoteId]) -> list[Row]:
    """The lines of some notes, in the order of their ids as given; unknown ids are left out."""
    sql = f"SELECT {HEADER}, m.rowid AS place, m.superseded FROM memories m WHERE m.id = ?"  # noqa: S608
    listed = (db.execute(sql, (note_id,)).fetchone() for note_id in ids)
    return [_row(db, row) for row in listed if row is not None]


def places_of(db: sqlite3.Connection, ids: Iterable[NoteId]) -> tuple[int, ...]:
    """The rows of some notes."""
    rows = (
        db.execute("SELECT rowid FROM memories WHERE id = ?", (note_id,)).fetchone()
        for note_id in ids
    )
    return tuple(row[0] for row in rows if row is not None)


def matching(db: sqlite3.Connection, match: str, filter: NoteFilter, *, limit: int) -> list[str]:
    """The ids of the notes that answer an FTS5 expression best."""
    if not match:
        return []
    where, values = condition(filter)
    ids = db.execute(
        "SELECT m.id FROM memories_fts JOIN memories m ON m.rowid = memories_fts.rowid "  # noqa: S608
        f"WHERE memories_fts MATCH ? AND {where} "
        "ORDER BY bm25(memories_fts), m.updated_at DESC, m.id DESC LIMIT ?",
        (match, *values, limit),
    )
    return [row[0] for row in ids]


def count(db: sqlite3.Connection, filter: NoteFilter) -> int:
    """How many notes match."""
    where, values = condition(filter, all_over=True)
    counted = db.execute(f"SELECT count(*) FROM memories m WHERE {where}", values)  # noqa: S608
    number: int = counted.fetchone()[0]
    return number


def cube(
    db: sqlite3.Connection,
    filter: NoteFilter = EVERYTHING,
    among: Sequence[int] | None = None,
) -> Cube:
    """How many notes there are of each combination of values: one scan answers every filter.

    Counts the notes that the filter matches, among all or those in some rows.
    """
    from collections import Counter

    where, values = condition(filter, among, all_over=among is None)
    is_kept = among is None and filter == EVERYTHING
    source = "sum(m.notes) FROM cells m" if is_kept else "count(*) FROM memories m"
    counted: Counter[tuple[str, ...]] = Counter()
    for *cell, number in db.execute(  # all of it is in one index
        f"SELECT {_CELL}, {source} WHERE {where} GROUP BY {_CELLS}",
        values,
    ):
        counted[(*cell, "")] += number
    waiting = to_review()
    # Few notes are to review or were written by others as if by you: they are counted again.
    for review, some in (
        (PENDING, f"memories m WHERE {waiting}"),
        ("", f"memories m INDEXED BY idx_mem_origin WHERE {BY_OTHERS} AND NOT {waiting}"),
    ):
        for *cell, source in db.execute(
            f"SELECT {_CELL}, {SOURCE} FROM {some} AND {where}",  # noqa: S608
            values,
        ):
            counted[(*cell, "")] -= 1
            cell[_SOURCE] = source
            counted[(*cell, review)] += 1
    return dict(+counted)


def tags(
    db: sqlite3.Connection,
    filter: NoteFilter,
    *,
    limit: int,
    among: Sequence[int] | None = None,
    every: Mapping[str, int] | None = None,
    are_most: bool | None = None,
) -> list[tuple[str, int]]:
    """The most used tags of the notes that a filter matches, among all or those in some rows.

    `every` counts the tags of all notes, and `are_most` says whether the filter matches more than
    half of all notes; either is computed here if not given.
    """
    if among is not None:
        return _most_used(_tags_where(db, *condition(filter, among)))[:limit]
    every = all_tags(db) if every is None else every
    if filter == NoteFilter():
        return _active_tags(db, every)[:limit]
    if filter == EVERYTHING:
        return _most_used(every)[:limit]
    if are_most is None:
        are_most = 2 * count(db, filter) > count(db, EVERYTHING)
    if are_most:
        # Every note counted takes time, so the smaller group is counted and subtracted.
        where, values = condition(filter, all_over=True)
        counted = dict(every)
        for tag, number in _tags_where(db, f"({where}) IS NOT 1", values).items():
            counted[tag] -= number
    else:
        counted = _tags_where(db, *condition(filter, all_over=True))
    return _most_used(counted)[:limit]


def _tags_where(db: sqlite3.Connection, where: str, values: Sequence[str]) -> dict[str, int]:
    sql = f"SELECT group_concat(m.tags, ' ') FROM memories m WHERE {where}"  # noqa: S608
    return counted_tags(db.execute(sql, values).fetchone()[0] or "")


def counted_tags(lists: str) -> dict[str, int]:
    """How many of some notes have each tag, given their lists of tags joined.

    Rows store tags as JSON: finding the strings in all lists at once costs a fraction of looking
    up the tags of every note.
    """
    from collections import Counter

    # A tag is what stands between two quotes, unless a tag contains one.
    strings = _JSON_STRING.findall(lists) if '\\"' in lists else lists.split('"')[1::2]
    return {json.loads(f'"{string}"'): number for string, number in Counter(strings).items()}


def _active_tags(db: sqlite3.Connection, every: Mapping[str, int]) -> list[tuple[str, int]]:
    """The tags of all active notes: replaced notes are few, so their tags are subtracted."""
    counted = dict(every)
    for (tag,) in db.execute(
        "SELECT t.tag FROM (SELECT DISTINCT target FROM supersessions) s JOIN memories m "
        "ON m.id = s.target AND m.superseded JOIN memory_tags t ON t.memory_id = m.id"
    ):
        counted[tag] -= 1
    return _most_used(counted)


def _most_used(counted: Mapping[str, int]) -> list[tuple[str, int]]:
    used = ((tag, number) for tag, number in counted.items() if number)
    return sorted(used, key=lambda pair: (-pair[1], pair[0]))


def all_tags(db: sqlite3.Connection) -> dict[str, int]:
    """How many notes have each tag."""
    return dict(db.execute("SELECT tag, notes FROM tags WHERE notes > 0").fetchall())


def days(
    db: sqlite3.Connection, filter: NoteFilter, *, by: str, since: str
) -> dict[tuple[str, str], int]:
    """How many notes were created on each day, by the values of a dimension: (day, value).

    `filter` may narrow them by dimensions only.
    """
    where, values = condition(filter)
    counted = db.execute(
        f"SELECT m.day, {COLUMNS[by]}, sum(m.notes) FROM cells m "  # noqa: S608
        f"WHERE m.day >= ? AND {where} GROUP BY 1, 2",
        (since, *values),
    )
    return {(day, value): number for day, value, number in counted if number}


def machines(db: sqlite3.Connection) -> list[tuple[str, int, str]]:
    """Each machine with its number of notes and when one was last changed, the latest first."""
    sql = f"SELECT {_CELLS}, sum(m.notes) FROM cells m GROUP BY {_CELLS}"  # noqa: S608
    counted: dict[str, int] = {}
    latest: dict[str, str] = {}
    for *cell, number in db.execute(sql):
        if number:
            machine = cell[3]
            [last] = db.execute(_LATEST_OF_CELL, cell).fetchone()
            counted[machine] = counted.get(machine, 0) + number
            latest[machine] = max(latest.get(machine, ""), last)
    names = sorted(counted, key=lambda name: latest[name], reverse=True)
    return [(name, counted[name], latest[name]) for name in names]


def naming(db: sqlite3.Connection, note: Memory, *, limit: int) -> list[str]:
    """The ids of the notes that mention a note, by [[title]] or id, latest first."""
    words = _phrase(note.title)
    match = f'"{note.id}" OR {words}' if words else f'"{note.id}"'
    rows = db.execute(
        "SELECT m.id, f.body FROM memories_fts f JOIN memories m ON m.rowid = f.rowid "
        "WHERE memories_fts MATCH ? AND m.id <> ? ORDER BY m.updated_at DESC LIMIT ?",
        (f"body: ({match})", note.id, _MOST_NAMING),
    )
    title = f"[[{note.title.strip().lower()}]]"
    naming = (note_id for note_id, body in rows if note.id in body or title in body.lower())
    return list(islice(naming, limit))


def titled(db: sqlite3.Connection, title: str) -> str:
    """The id of the latest active note with a title, in upper or lower case; empty if none."""
    row = db.execute(
        "SELECT id FROM memories WHERE title = ? COLLATE NOCASE "
        "ORDER BY superseded, updated_at DESC LIMIT 1",
        (title,),
    ).fetchone()
    return str(row[0]) if row else ""


def beside(db: sqlite3.Connection, note: Memory) -> tuple[list[str], list[str]]:
    """The ids of the active notes that were changed next after a note, and next before it."""
    sql = "SELECT id FROM memories WHERE superseded = 0 AND (updated_at, id) {} (?, ?) ORDER BY {}"
    sides = ((">", "updated_at, id"), ("<", "updated_at DESC, id DESC"))
    later, earlier = (
        [row[0] for row in db.execute(sql.format(*side) + " LIMIT 1", (note.updated_at, note.id))]
        for side in sides
    )
    return later, earlier


def _phrase(text: str) -> str:
    """A text as a phrase for FTS5; nothing if it has no words."""
    words = text.replace('"', " ").split()
    return '"{}"'.format(" ".join(words)) if any(map(str.isalnum, text)) else ""


def replaced_by(db: sqlite3.Connection, note_id: str) -> list[str]:
    """The ids of the notes that replace a note."""
    ids = db.execute("SELECT memory_id FROM supersessions WHERE target = ?", (note_id,))
    return [row[0] for row in ids]


def sharing_tags(db: sqlite3.Connection, note: Memory, *, limit: int) -> list[str]:
    """The ids of the notes that share most tags with a note, the latest first among equals."""
    marks = ", ".join("?" * len(note.tags)) or "''"
    ids = db.execute(
        "SELECT t.memory_id FROM memory_tags t JOIN memories m ON m.id = t.memory_id "  # noqa: S608
        f"WHERE t.tag IN ({marks}) AND t.memory_id <> ? AND m.superseded = 0 "
        "GROUP BY 1 ORDER BY count(*) DESC, m.updated_at DESC LIMIT ?",
        (*note.tags, note.id, limit),
    )
    return [row[0] for row in ids]


def _row(db: sqlite3.Connection, row: sqlite3.Row) -> Row:
    text = db.execute(
        f"SELECT substr(body, 1, {_EXCERPT + 1}) FROM memories_fts WHERE rowid = ?",  # noqa: S608
        (row["place"],),
    ).fetchone()
    return Row(header(row), bool(row["superseded"]), _beginning(text[0]) if text else "")


def _beginning(text: str) -> str:
    """The beginning of a text for a list, up to the end of a word."""
    if len(text) <= _EXCERPT:
        return text
    words, blank, _ = text.rpartition(" ")
    return f"{(words if blank else text[:_EXCERPT]).rstrip()} …"
