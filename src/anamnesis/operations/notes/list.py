"""Listing the notes page by page, for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.index import browse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.index.browse import NoteFilter, Row
    from anamnesis.store import MemoryStore


@dataclass(frozen=True, slots=True)
class NotePage:
    """One page of a list, and where the next one starts."""

    rows: Sequence[Row]
    next_offset: int | None = None


def list_notes(
    store: MemoryStore,
    wanted: NoteFilter,
    *,
    order: str = "updated",
    limit: int | None,
    offset: int = 0,
    excerpts: bool = False,
) -> NotePage:
    """One page of the notes without their bodies; no limit gives all, excerpts how each begins."""
    store.headers(limit=0)  # takes in what other programs did to the folders
    asked = None if limit is None else limit + 1
    rows = store.ask(
        lambda db: browse.rows(
            db, wanted, order=order, limit=asked, offset=offset, excerpts=excerpts
        )
    )
    if limit is None or len(rows) <= limit:
        return NotePage(rows)
    return NotePage(rows[:limit], next_offset=offset + limit)
