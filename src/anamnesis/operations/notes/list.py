"""Listing the notes page by page, for every face."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.index import browse
from anamnesis.index.browse import ORDERS, Row
from anamnesis.index.note_filter import NoteFilter
from anamnesis.index.queries import PENDING
from anamnesis.operations.notes.masking import masked_note
from anamnesis.operations.notes.search import warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from sqlite3 import Connection

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId
    from anamnesis.search.query import Filters
    from anamnesis.store import MemoryStore

__all__ = [
    "ORDERS", "PENDING", "NoteFilter", "NotePage", "Row", "drop_view", "list_notes", "save_view",
    "saved_views", "titles",
]  # fmt: skip

_MOST_VIEWS = 50
_LONGEST_NAME = 60
_VIEWS = "views.json"


@dataclass(frozen=True, slots=True)
class NotePage:
    """One page of a list, and where the next one starts."""

    rows: Sequence[Row]
    next_offset: int | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)  # about notes that are not injected


def list_notes(
    store: MemoryStore,
    wanted: NoteFilter,
    *,
    order: str = "updated",
    limit: int | None,
    offset: int = 0,
    excerpts: bool = False,
    filters: Filters | None = None,
    for_agent: bool = False,
) -> NotePage:
    """One page of the notes without their bodies; all without a limit, and optional excerpts.

    Filters are those of a search; both kinds of conditions have to be met.
    """
    also = ("", ()) if filters is None else store.by_all_names(filters).condition()
    store.headers(limit=0)  # indexes what other programs changed in the folders
    asked = None if limit is None else limit + 1

    def listed(limit: int | None, offset: int) -> Callable[[Connection], list[Row]]:
        return lambda db: browse.rows(
            db, wanted, order=order, limit=limit, offset=offset, excerpts=excerpts, also=also
        )

    theirs = store.beside.ask(listed(None, 0)) if store.beside else []
    if theirs:
        ours = store.ask(listed(None if asked is None else offset + asked, 0))
        rows = _together(store, ours, theirs, order=order)[offset:][:asked]
    else:
        rows = store.ask(listed(asked, offset))
    is_last = limit is None or len(rows) <= limit
    rows = rows[:limit]
    if for_agent:
        rows = [replace(row, note=masked_note(store, row.note)) for row in rows]
    about = warnings([row.note for row in rows], for_agent=for_agent)
    return NotePage(rows, None if is_last else offset + (limit or 0), about)


def _together(
    store: MemoryStore, ours: Sequence[Row], theirs: Sequence[Row], *, order: str
) -> list[Row]:
    """Your notes and those of the repository in one order, no note twice."""
    doubles = store.doubles(row.note.id for row in theirs)
    rows = [row for row in ours if row.note.id not in doubles.shared]
    rows += [row for row in theirs if row.note.id not in doubles.same]
    rows.sort(key=browse.place_in(order), reverse=order in ("updated", "created"))
    return rows


def ids(store: MemoryStore, wanted: NoteFilter) -> list[NoteId]:
    """The ids of all notes that a list would show, in no order."""
    found: list[NoteId] = store.ask(lambda db: browse.ids_of(db, wanted))
    return found


def titles(store: MemoryStore, ids: Iterable[NoteId]) -> dict[str, str]:
    """The titles of some notes by id; ids that name no note are left out."""
    wanted = dict.fromkeys(ids)
    rows = store.ask(lambda db: browse.rows_of(db, wanted))
    return {row.note.id: row.note.title for row in rows}


def saved_views(home: Home) -> dict[str, str]:
    """The lists that were saved under a name, each as the query of its address."""
    views = home.state_file(_VIEWS).record()
    return {str(name): str(query) for name, query in views.items()}


def save_view(home: Home, name: str, query: str) -> str:
    """Save a list under a name, replacing one of the same name; returns the stored name.

    Raises InvalidInput for a name that is empty or too long, and when there are very many views.
    """
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME:
        raise InvalidInput(f"A view needs a name of at most {_LONGEST_NAME} characters.")

    def with_view(views: dict[str, str]) -> dict[str, str]:
        if len(views) >= _MOST_VIEWS and name not in views:
            raise InvalidInput(f"There are {_MOST_VIEWS} saved views already; remove one first.")
        return dict(sorted({**views, name: query}.items()))

    home.state_file(_VIEWS).change(with_view)
    return name


def drop_view(home: Home, name: str) -> None:
    """Remove a saved view; its notes stay."""
    home.state_file(_VIEWS).change(
        lambda views: {key: query for key, query in views.items() if key != name}
    )
