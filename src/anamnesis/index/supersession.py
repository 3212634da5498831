"""Which notes are hidden because another one replaces them.

A note is hidden as soon as one other note names it. In a circle, where everybody is named, the
note that was updated last stays visible, unless a note outside of the circle replaces it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping


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
        if target not in circular or not _leads_its_circle(target, named_by, updated_at)
    }


def _circular(named_by: Mapping[str, set[str]]) -> set[str]:
    """The notes in a circle or replaced from there: a chain, however long, is none."""
    targets_of: dict[str, list[str]] = {}
    for target, notes in named_by.items():
        for note in notes:
            targets_of.setdefault(note, []).append(target)
    left = {target: len(notes) for target, notes in named_by.items()}
    free = [note for note in targets_of if note not in left]
    while free:
        for target in targets_of.get(free.pop(), ()):
            left[target] -= 1
            if not left[target]:
                del left[target]
                free.append(target)
    return set(left)


def _leads_its_circle(
    note: str, named_by: Mapping[str, set[str]], updated_at: Mapping[str, str]
) -> bool:
    """Whether all that replace this note, directly or not, are replaced by it and older."""
    above = _reach(note, named_by)
    if note not in above:
        return False
    circle = {other for other in above if note in _reach(other, named_by)}
    newest = max(circle, key=lambda other: (updated_at.get(other, ""), other))
    return circle == above and newest == note


def _reach(start: str, named_by: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for note in named_by.get(waiting.pop(), ()):
            if note not in seen:
                seen.add(note)
                waiting.append(note)
    return seen


def targets(db: sqlite3.Connection, notes: Iterable[str]) -> set[str]:
    """The ids that some notes replace, as the index has it."""
    return {
        row[0]
        for note in notes
        for row in db.execute("SELECT target FROM supersessions WHERE memory_id = ?", (note,))
    }


def mark(db: sqlite3.Connection, changed: Iterable[str], *, released: set[str]) -> None:
    """Bring the `superseded` flags up to date after some notes changed.

    `released` are the ids that these notes replaced before the change.
    """
    if not released and db.execute("SELECT 1 FROM supersessions LIMIT 1").fetchone() is None:
        return
    group = released | _linked(db, [*changed, *released])
    edges = [
        (note, target)
        for target in group
        for (note,) in db.execute("SELECT memory_id FROM supersessions WHERE target = ?", (target,))
    ]
    updated_at = {
        note: row[0]
        for note in group
        if (row := db.execute("SELECT updated_at FROM memories WHERE id = ?", (note,)).fetchone())
    }
    replaced = hidden(edges, updated_at)
    db.executemany(
        "UPDATE memories SET superseded = ?1 WHERE id = ?2 AND superseded <> ?1",
        [(int(note in replaced), note) for note in updated_at],
    )


def _linked(db: sqlite3.Connection, start: Iterable[str]) -> set[str]:
    """All notes that hang together with some notes by who replaces whom."""
    group: set[str] = set()
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        note = waiting.pop()
        if note in seen:
            continue
        seen.add(note)
        neighbours = db.execute(
            "SELECT target FROM supersessions WHERE memory_id = ?1 "
            "UNION ALL SELECT memory_id FROM supersessions WHERE target = ?1",
            (note,),
        ).fetchall()
        if neighbours:
            group.add(note)
            waiting.extend(row[0] for row in neighbours)
    return group
