"""Which notes belong to a note: about the same, before it and after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index import browse

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from anamnesis.index.browse import Row
    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

    Step = Callable[[Row], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Chain:
    """What a note replaces, and what replaces it, each next to the note first."""

    older: tuple[Row, ...]
    newer: tuple[Row, ...]


def related(store: MemoryStore, note: Memory, *, limit: int = 6) -> list[Row]:
    """Active notes that are about the same: by shared tags, then by the words of the title."""

    def find(db: sqlite3.Connection) -> list[Row]:
        wanted = browse.NoteFilter(project=note.project)
        by_words = browse.matching(db, _match(note.title), wanted, limit=limit + 1)
        by_tags = browse.sharing_tags(db, note, limit=limit) if note.tags else []
        ids = dict.fromkeys([*by_tags[: limit // 2], *by_words, *by_tags])
        ids.pop(note.id, None)
        return browse.rows_of(db, list(ids)[:limit])

    return store.ask(find)


def chain(store: MemoryStore, note: Memory, *, most: int = 20) -> Chain:
    """The notes before and after a note in the line of who replaces whom."""

    def find(db: sqlite3.Connection) -> Chain:
        older = _walk(db, note, lambda row: row.note.supersedes_ids, most)
        newer = _walk(db, note, lambda row: browse.replaced_by(db, row.note.id), most)
        return Chain(tuple(older), tuple(newer))

    return store.ask(find)


def _walk(db: sqlite3.Connection, note: Memory, step: Step, most: int) -> list[Row]:
    seen = {note.id}
    found: list[Row] = []
    waiting = browse.rows_of(db, [note.id])
    while waiting and len(found) < most:
        ids = [note_id for row in waiting for note_id in step(row) if note_id not in seen]
        seen.update(ids)
        waiting = browse.rows_of(db, dict.fromkeys(ids))
        found += waiting
    return found[:most]


def _match(text: str) -> str:
    """Any of the words; the last one may still be in the writing."""
    words = re.findall(r"\w+", text)[:32]
    return " OR ".join(f'"{word}"' for word in words) + ("*" if words else "")
