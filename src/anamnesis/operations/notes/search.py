"""Searching the notes, for every face."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.operations.notes.show import NOTE_URI, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.search.engine import SearchHit
    from anamnesis.search.filters import Filters
    from anamnesis.store import MemoryStore


@record
class SearchAnswer:
    """The notes that answer, best first, and whether that is the one note that was named."""

    hits: Sequence[SearchHit]
    by_id: bool = False


def search(
    store: MemoryStore, text: str, *, filters: Filters | None = None, limit: int, offset: int = 0
) -> SearchAnswer:
    """The notes that answer a text best; an id or address as the text gives that note alone.

    An id names its note, so filters do not hide it, nor does a note that replaces it.
    """
    named = _named(store, text.strip().removeprefix(NOTE_URI))
    if named is not None:
        return SearchAnswer([named][offset : offset + max(limit, 0)], by_id=True)
    _keep_vectors_up(store)
    hits = store.recall(text, filters=filters, k=limit, offset=offset)
    return SearchAnswer(hits)


def _keep_vectors_up(store: MemoryStore) -> None:
    from anamnesis.search import encoder

    if encoder.is_on():
        from anamnesis.operations.machine import embed

        embed.keep_up(store.home)


def _named(store: MemoryStore, note_id: str) -> SearchHit | None:
    read = find(store, note_id) or find(store, note_id.upper())
    if read is None:
        return None
    from anamnesis.search.engine import SearchHit
    from anamnesis.search.rank import Why

    reason = Why((), together=0, words=1.0, meaning=0, nearness=0, prior=1.0, coverage=1.0)
    return SearchHit(read.note, 1.0, reason)
