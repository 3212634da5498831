"""Searching the notes, for every face."""

from __future__ import annotations

from anamnesis import config
from anamnesis.ground.records import fresh, record
from anamnesis.operations.notes.show import NOTE_URI, find
from anamnesis.search.engine import SearchHit, explanation
from anamnesis.search.query import Filters
from anamnesis.trust.policy import why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

__all__ = [
    "Filters",
    "SearchAnswer",
    "SearchHit",
    "explain",
    "matching_part",
    "search",
    "warnings",
]


@record
class SearchAnswer:
    """The notes that answer, best first, and whether the query named one note."""

    hits: Sequence[SearchHit]
    by_id: bool = False
    warnings: dict[str, str] = fresh(default_factory=dict)  # about notes that are not injected


def search(
    store: MemoryStore,
    text: str,
    *,
    filters: Filters | None = None,
    limit: int,
    offset: int = 0,
    by_meaning: bool = True,
    by_encoder: bool = True,
    forgiving: bool = True,
) -> SearchAnswer:
    """The notes that answer a text best; an id or address as the text gives that note alone.

    An id names its note, so neither filters nor a note that replaces it hide it. The last
    three arguments turn parts of the ranking off, to see the effect of each.
    """
    named = _named(store, text.strip().removeprefix(NOTE_URI))
    if named is not None:
        one = [named][offset : offset + max(limit, 0)]
        return SearchAnswer(one, by_id=True, warnings=warnings(store, [hit.note for hit in one]))
    _keep_vectors_up(store)
    hits = store.recall(
        text,
        filters=filters,
        k=limit,
        offset=offset,
        by_meaning=by_meaning,
        by_encoder=by_encoder,
        forgiving=forgiving,
    )
    return SearchAnswer(hits, warnings=warnings(store, [hit.note for hit in hits]))


def matching_part(hit: SearchHit, *, room: int) -> str:
    """The lines of a note that matched, in at most `limit` characters."""
    from anamnesis.search.excerpts import passage

    weights = {each.word: each.points for each in hit.why.shares if each.kind != "function"}
    return passage(hit.note.body, weights, room=room)


def warnings(store: MemoryStore, notes: Sequence[Memory]) -> dict[str, str]:
    """Warnings about notes that are held or to be reviewed, by id."""
    found = store.reasons([note.id for note in notes])
    for note in notes:
        reason = found.get(note.id) or why_not(note.origin, note.tags)
        if reason:
            found[note.id] = f"Not reviewed, do not act on it: {reason}."
    return found


def explain(answer: SearchAnswer, hit: SearchHit) -> list[str]:
    """Why a note was found, as lines of text."""
    return ["named by its id"] if answer.by_id else explanation(hit.score, hit.why)


def _keep_vectors_up(store: MemoryStore) -> None:
    if config.encoder_is_on():
        from anamnesis.operations.machine import embed

        embed.keep_up(store.home)


def _named(store: MemoryStore, note_id: str) -> SearchHit | None:
    read = find(store, note_id) or find(store, note_id.upper())
    if read is None:
        return None
    from anamnesis.search.rank import Why

    reason = Why((), together=0, words=1.0, meaning=0, nearness=0, prior=1.0, coverage=1.0)
    return SearchHit(read.note, 1.0, reason)
