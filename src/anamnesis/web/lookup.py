"""A search as the dashboard shows it: lines with what matched, and how many there are of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index import browse
from anamnesis.operations.notes.search import search
from anamnesis.search import excerpts
from anamnesis.search.filters import Filters

if TYPE_CHECKING:
    import sqlite3

    from anamnesis.index.browse import NoteFilter, Row
    from anamnesis.search.excerpts import Excerpt
    from anamnesis.store import MemoryStore

MOST_HITS = 120  # a person refines the question before looking further


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A line of the list, and what of the note answers the question."""

    row: Row
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class FoundPage:
    """One page of the notes that were asked for, and what all of them are."""

    hits: tuple[FoundNote, ...]
    total: int  # of a search, at most MOST_HITS
    facets: dict[str, list[tuple[str, int]]]


def looked_up(
    store: MemoryStore,
    text: str,
    wanted: NoteFilter,
    *,
    limit: int,
    offset: int = 0,
    best: int = MOST_HITS,
) -> FoundPage:
    """One page of the best notes for a text, as recall ranks them everywhere."""
    answer = search(store, text, filters=_filters(wanted), limit=best)
    reasons = {hit.note.id: hit.why.shares for hit in answer.hits}

    def lines(db: sqlite3.Connection) -> FoundPage:
        rows = browse.rows_of(db, reasons)
        hits = (
            FoundNote(row, excerpts.excerpt(db, row.note.id, reasons[row.note.id]))
            for row in rows[offset : offset + limit]
        )
        return FoundPage(tuple(hits), len(rows), browse.facets_of(rows))

    return store.ask(lines)


def _filters(wanted: NoteFilter) -> Filters:
    """What a list is narrowed by, for a search."""
    return Filters(
        projects=(wanted.project,) if wanted.project else (),
        type=wanted.type,
        scope=wanted.scope,
        tags=tuple(filter(None, (wanted.tag, wanted.review))),
        machine=wanted.machine,
        source=wanted.source,
        session=wanted.session,
        day=wanted.day,
        include_superseded=wanted.state != "current",
        only_superseded=wanted.state == "superseded",
    )
