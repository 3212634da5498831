"""Rows of the index: a note's and its header, whether it has a secret, what replaces it.

A note is hidden as soon as another note replaces it. In a cycle, where every note is replaced, the
one that was updated last stays visible, unless a note outside the cycle replaces it.
"""

from __future__ import annotations

from anamnesis.ground import quickjson
from anamnesis.notes.fields import FIELDS, WORDS, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from anamnesis.notes.fields import NoteId

_STORED = [row for row in FIELDS.values() if row.column]
_LISTS = tuple(row.name for row in _STORED if row.kind == WORDS)  # stored as JSON
_PLAIN = tuple(row.name for row in _STORED if row.always and row.kind != WORDS)
# Empty is stored as NULL.
_OPTIONAL = {row.name: row.default for row in _STORED if not row.always and row.kind != WORDS}
_COLUMNS = (*_PLAIN, *_OPTIONAL, *_LISTS, "body_path")
_FIELDS = list(FIELDS.values())
# The columns in the order of a note's fields, so that a row becomes a note without names.
HEADER = ", ".join(
    f"ifnull(m.{row.name}, '') AS {row.name}" if row.name in _OPTIONAL else f"m.{row.name}"
    for row in _FIELDS
    if row.column
)
_WIDTH = len(_STORED)
_LISTS_AT = [at for at, row in enumerate(_STORED) if row.kind == WORDS]
_NOT_STORED = [(at, row.default or "") for at, row in enumerate(_FIELDS) if not row.column]
_INSERT = (
    f"INSERT INTO memories (rowid, {', '.join(_COLUMNS)}) "  # noqa: S608  constants only
    f"VALUES (?, {', '.join('?' * len(_COLUMNS))})"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{column} = ?' for column in _COLUMNS)} "  # noqa: S608
    "WHERE rowid = ?"
)
_INSERT_TEXT = (
    "INSERT INTO memories_fts (rowid, id, title, body, tags, parts, facets) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_TAG = "INSERT INTO memory_tags VALUES (?, ?)"
_KNOWN = (  # the last seven are what a note is counted by
    "SELECT rowid, updated_at, type, project, scope, machine_id, prov_source, superseded, "
    "substr(created_at, 1, 10) FROM memories WHERE id = ?"
)
_REPLACING = (  # in the words of `trust.policy`, apart from what is set on this machine
    "SELECT s.memory_id FROM supersessions s JOIN memories m ON m.id = s.memory_id "
    "WHERE s.target = ? "
    "AND NOT (coalesce(m.origin, '') NOT IN ('', 'import:claude-code') "
    "AND m.id IN (SELECT memory_id FROM memory_tags WHERE tag = 'pending'))"
)
_COUNT_CELL = (
    "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET notes = notes + excluded.notes"
)
_COUNT_TAG = (
    "INSERT INTO tags VALUES (?, ?) ON CONFLICT DO UPDATE SET notes = notes + excluded.notes"
)
_INSERT_EDGE = "INSERT OR IGNORE INTO supersessions VALUES (?, ?)"


def insert_all(db: sqlite3.Connection, notes: Sequence[tuple[int, Memory, str]]) -> None:
    """Add notes that the index does not have yet, as `(rowid, note, path in its tree)`."""
    db.executemany(_INSERT, [(rowid, *_cells(note, path)) for rowid, note, path in notes])
    db.executemany(_INSERT_TEXT, [_text(rowid, note) for rowid, note, _ in notes])
    tagged = [(note.id, tag) for _, note, _ in notes for tag in _tags(note)]
    db.executemany(_INSERT_TAG, tagged)
    _count(db, _COUNT_CELL, [(_cell(note), 1) for _, note, _ in notes])
    _count(db, _COUNT_TAG, [((tag,), 1) for _, tag in tagged])
    _insert_fixes(db, [note for _, note, _ in notes])
    db.executemany(
        _INSERT_EDGE, [(note.id, old) for _, note, _ in notes for old in note.supersedes_ids]
    )


def upsert(db: sqlite3.Connection, note: Memory, body_path: str) -> None:
    """Add or update a note's rows."""
    known = db.execute(_KNOWN, (note.id,)).fetchone()
    if known is None:
        last = db.execute("SELECT max(rowid) FROM memories").fetchone()[0]
        insert_all(db, [((last or 0) + 1, note, body_path)])
        return
    rowid, _, *cell = known
    # The text's row shares the rowid of the note's row: deleting by rowid is direct, while any
    # other column would scan the whole table.
    _forget_details(db, note.id, rowid)
    db.execute(_UPDATE, (*_cells(note, body_path), rowid))
    _count(db, _COUNT_CELL, [(tuple(cell), -1), (_cell(note, superseded=cell[5]), 1)])
    db.execute(_INSERT_TEXT, _text(rowid, note))
    _change_tags(db, note.id, _tags(note))
    _insert_fixes(db, [note])
    db.executemany(_INSERT_EDGE, [(note.id, old) for old in note.supersedes_ids])


def remove(db: sqlite3.Connection, note_id: str) -> None:
    """Drop a note from the index."""
    known = db.execute(_KNOWN, (note_id,)).fetchone()
    if known is not None:
        _forget_details(db, note_id, known[0])
        _count(db, _COUNT_CELL, [(tuple(known[2:]), -1)])
        _change_tags(db, note_id, ())
        db.execute("DELETE FROM memories WHERE rowid = ?", (known[0],))


def header(row: sqlite3.Row) -> Memory:
    """A note without its body, from a row that begins with the columns of `HEADER`."""
    values: list[Any] = list(row[:_WIDTH])
    for at in _LISTS_AT:
        values[at] = _items(values[at])
    for at, default in _NOT_STORED:
        values.insert(at, default)
    return Memory(*values)


def _items(text: str) -> list[str]:
    """The items of a column that `_cells` wrote; most lists are a few plain words."""
    if text == "[]":
        return []
    if "\\" in text or text[:2] != '["':
        items: list[str] = quickjson.loads(text)
        return items
    return text[2:-2].split('", "')


def _insert_fixes(db: sqlite3.Connection, notes: Sequence[Memory]) -> None:
    telling = [note for note in notes if note.type == "episodic" and "→" in note.body]
    if telling:
        from anamnesis.index import fixes  # only writing needs it; a hook reads

        rows = [row for note in telling for row in fixes.of_note(note)]
        db.executemany("INSERT INTO fixes VALUES (?, ?, ?)", rows)


def _cell(note: Memory, superseded: int = 0) -> tuple[Any, ...]:
    """What a note is counted by."""
    place = (note.type, note.project, note.scope, note.machine_id, note.prov_source)
    return (*place, superseded, note.created_at[:10])


def _count(
    db: sqlite3.Connection, sql: str, changes: Iterable[tuple[tuple[Any, ...], int]]
) -> None:
    """Update the stored numbers of notes; changes that cancel out are not written."""
    total: dict[tuple[Any, ...], int] = {}
    for what, number in changes:
        total[what] = total.get(what, 0) + number
    db.executemany(sql, [(*what, number) for what, number in total.items() if number])


def _change_tags(db: sqlite3.Connection, note_id: str, tags: Iterable[str]) -> None:
    """Give a note these tags; most edits change none."""
    rows = db.execute("SELECT tag FROM memory_tags WHERE memory_id = ?", (note_id,)).fetchall()
    before, after = {row[0] for row in rows}, set(tags)
    gone = [(note_id, tag) for tag in before - after]
    new = [(note_id, tag) for tag in after - before]
    db.executemany("DELETE FROM memory_tags WHERE memory_id = ? AND tag = ?", gone)
    db.executemany(_INSERT_TAG, new)
    _count(db, _COUNT_TAG, [*(((tag,), -1) for _, tag in gone), *(((tag,), 1) for _, tag in new)])


def _forget_details(db: sqlite3.Connection, note_id: str, rowid: int) -> None:
    db.execute("DELETE FROM memories_fts WHERE rowid = ?", (rowid,))
    db.execute("DELETE FROM meanings WHERE rowid = ?", (rowid,))
    db.execute("DELETE FROM supersessions WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM secret_notes WHERE memory_id = ?", (note_id,))
    db.execute("DELETE FROM fixes WHERE memory_id = ?", (note_id,))


def _cells(note: Memory, body_path: str) -> tuple[object, ...]:
    return (
        *[getattr(note, column) for column in _PLAIN],
        *[getattr(note, column) or None for column in _OPTIONAL],
        *[quickjson.dumps(getattr(note, column)) for column in _LISTS],
        body_path,
    )


def _text(rowid: int, note: Memory) -> tuple[object, ...]:
    from anamnesis.index import vocabulary  # only writing needs it; a hook reads
    from anamnesis.text import words  # only writing needs it; a hook reads

    parts = words.parts(f"{note.title}\n{note.body}")
    tags = " ".join(_tags(note))
    return rowid, note.id, note.title, note.body, tags, parts, vocabulary.facet(note.project)


def _tags(note: Memory) -> list[str]:
    return [tag for tag in dict.fromkeys(note.tags) if tag]


def flag_secrets(db: sqlite3.Connection, notes: Sequence[Memory]) -> None:
    """Record which of some notes have a value in the form of a secret, so that no hook looks."""
    from anamnesis.secrets import findings  # only writing needs it; a hook reads

    texts = [f"{note.title}\n\n{note.body}" for note in notes]
    if not findings("\n\n".join(texts)):
        return  # one look at many notes costs less than many
    flagged = [(note.id,) for note, text in zip(notes, texts, strict=True) if findings(text)]
    db.executemany("INSERT OR IGNORE INTO secret_notes VALUES (?)", flagged)


def have_secrets(db: sqlite3.Connection, ids: Iterable[NoteId]) -> bool:
    """Whether one of these notes has a value in the form of a secret, allowed or not."""
    sql = "SELECT 1 FROM secret_notes WHERE memory_id = ?"
    return any(db.execute(sql, (id,)).fetchone() for id in ids)


def hidden(edges: Iterable[tuple[str, str]], updated_at: Mapping[str, str]) -> set[str]:
    """The replaced ids among `(note, replaced note)` pairs; ids without a note are harmless."""
    named_by: dict[str, set[str]] = {}
    for note, target in edges:
        if note in updated_at and note != target:
            named_by.setdefault(target, set()).add(note)
    circular = _circular(named_by)
    return {
        target
        for target in named_by
        if target not in circular or not _leads_its_cycle(target, named_by, updated_at)
    }


def _circular(named_by: Mapping[str, set[str]]) -> set[str]:
    """The notes in a cycle or replaced from one; a chain, however long, is not a cycle."""
    targets_of: dict[str, list[str]] = {}
    for target, notes in named_by.items():
        for note in notes:
            targets_of.setdefault(note, []).append(target)
    unresolved = {target: len(notes) for target, notes in named_by.items()}
    free = [note for note in targets_of if note not in unresolved]
    while free:
        for target in targets_of.get(free.pop(), ()):
            unresolved[target] -= 1
            if not unresolved[target]:
                del unresolved[target]
                free.append(target)
    return set(unresolved)


def _leads_its_cycle(
    note: str, named_by: Mapping[str, set[str]], updated_at: Mapping[str, str]
) -> bool:
    """Whether every note that replaces this one, directly or not, is replaced by it and older."""
    above = _reach(note, named_by)
    if note not in above:
        return False
    cycle = {other for other in above if note in _reach(other, named_by)}
    newest = max(cycle, key=lambda other: (updated_at.get(other, ""), other))
    return cycle == above and newest == note


def _reach(start: str, named_by: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for note in named_by.get(waiting.pop(), ()):
            if note not in seen:
                seen.add(note)
                waiting.append(note)
    return seen


def superseded_by(db: sqlite3.Connection, notes: Iterable[str]) -> set[str]:
    """The ids that some notes replace, as the index has it."""
    return {
        row[0]
        for note in notes
        for row in db.execute("SELECT target FROM supersessions WHERE memory_id = ?", (note,))
    }


def mark_superseded(db: sqlite3.Connection, changed: Iterable[str], *, released: set[str]) -> None:
    """Bring the `superseded` flags up to date after some notes changed.

    `released` are the ids that these notes replaced before the change. A note that no agent is
    given replaces nothing yet.
    """
    if not released and db.execute("SELECT 1 FROM supersessions LIMIT 1").fetchone() is None:
        return
    group = released | _linked(db, [*changed, *released])
    edges = [(note, old) for old in group for (note,) in db.execute(_REPLACING, (old,))]
    known = {note: row for note in group if (row := db.execute(_KNOWN, (note,)).fetchone())}
    replaced = hidden(edges, {note: row["updated_at"] for note, row in known.items()})
    for note, (rowid, _, *cell) in known.items():
        is_replaced = int(note in replaced)
        if cell[5] != is_replaced:
            db.execute("UPDATE memories SET superseded = ? WHERE rowid = ?", (is_replaced, rowid))
            turned = (*cell[:5], is_replaced, cell[6])
            _count(db, _COUNT_CELL, [(tuple(cell), -1), (turned, 1)])


def _linked(db: sqlite3.Connection, start: Iterable[str]) -> set[str]:
    """All notes connected to some notes by supersession."""
    group: set[str] = set()
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        note = waiting.pop()
        if note in seen:
            continue
        seen.add(note)
        neighbours = db.execute(
            "SELECT target FROM supersessions WHERE memory_id = ? "
            "UNION ALL SELECT memory_id FROM supersessions WHERE target = ?",
            (note, note),
        ).fetchall()
        if neighbours:
            group.add(note)
            waiting.extend(row[0] for row in neighbours)
    return group
