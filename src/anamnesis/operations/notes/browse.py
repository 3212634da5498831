"""Finding notes for a person who looks through them: filters, ranking, and why a note matched."""

from __future__ import annotations

import re

from anamnesis.ground.records import record
from anamnesis.index import browse
from anamnesis.notes.ids import is_valid_id
from anamnesis.operations.machine import embed
from anamnesis.search import excerpts
from anamnesis.search.filters import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.index.browse import Row, Shown
    from anamnesis.notes.note import Memory
    from anamnesis.search.engine import Hit as Found
    from anamnesis.search.excerpts import Excerpt
    from anamnesis.store import MemoryStore

    Step = Callable[[Row], Iterable[str]]

MOST_HITS = 120  # a person refines the question before looking further
_LONGEST_QUERY = 500


@record
class Hit:
    """A note that answers, and what of it does."""

    row: Row
    excerpt: Excerpt | None = None


@record
class Answer:
    """One page of the notes that answer a text, and what all of them are."""

    hits: tuple[Hit, ...]
    total: int  # at most MOST_HITS
    facets: dict[str, list[tuple[str, int]]]


@record
class Chain:
    """What a note replaces, and what replaces it, each next to the note first."""

    older: tuple[Row, ...]
    newer: tuple[Row, ...]


def page(
    store: MemoryStore, shown: Shown, *, order: str = "updated", limit: int, offset: int = 0
) -> list[Hit]:
    """One page of the notes, without a query."""
    store.headers(limit=0)  # takes in what other programs did to the folders
    found = store.ask(lambda db: browse.rows(db, shown, order=order, limit=limit, offset=offset))
    return [Hit(row) for row in found]


def search(
    store: MemoryStore,
    text: str,
    shown: Shown,
    *,
    limit: int,
    offset: int = 0,
    best: int = MOST_HITS,
) -> Answer:
    """One page of the best notes for a text, as recall ranks them everywhere."""
    text = text[:_LONGEST_QUERY]
    embed.keep_up(str(store.root))
    named = store.ask(lambda db: _named(db, text))
    found = (
        {} if named else {hit.note.id: hit.why.shares for hit in _ranked(store, text, shown, best)}
    )

    def lines(db: sqlite3.Connection) -> Answer:
        rows = [row for row in browse.rows_of(db, named or found) if named or _fits(row, shown)]
        hits = (
            Hit(row, excerpts.excerpt(db, row.note.id, found.get(row.note.id, ())))
            for row in rows[offset : offset + limit]
        )
        return Answer(tuple(hits), len(rows), browse.facets_of(rows))

    return store.ask(lines)


def related(store: MemoryStore, note: Memory, *, limit: int = 6) -> list[Row]:
    """Notes in force that are about the same: by shared tags, then by the words of the title."""

    def find(db: sqlite3.Connection) -> list[Row]:
        shown = browse.Shown(project=note.project)
        by_words = browse.matching(db, _match(note.title), shown, limit=limit + 1)
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


def _ranked(store: MemoryStore, text: str, shown: Shown, best: int) -> Sequence[Found]:
    """The ranking of recall; what its filters do not know is looked at afterwards."""
    filters = Filters(
        projects=(shown.project,) if shown.project else (),
        type=shown.type,
        scope=shown.scope,
        tags=tuple(filter(None, (shown.tag, shown.review))),
        machine=shown.machine,
        source=shown.source,
        include_superseded=shown.state != "current",
    )
    return store.recall(text, filters=filters, k=best)


def _fits(row: Row, shown: Shown) -> bool:
    return (
        (shown.state != "superseded" or row.superseded)
        and row.note.created_at.startswith(shown.day)
        and shown.session in ("", row.note.prov_session)
    )


def _named(db: sqlite3.Connection, text: str) -> list[str]:
    """The note whose id is the text."""
    wanted = filter(is_valid_id, (text.strip(), text.strip().upper()))
    return [row.note.id for row in browse.rows_of(db, dict.fromkeys(wanted))][:1]


def _match(text: str) -> str:
    """Any of the words; the last one may still be in the writing."""
    words = re.findall(r"\w+", text)[:32]
    return " OR ".join(f'"{word}"' for word in words) + ("*" if words else "")
