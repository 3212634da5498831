"""The list of notes: live search, facets with several values, and saved views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anamnesis.notes.fields import TYPES
from anamnesis.operations.notes import list as listing
from anamnesis.operations.notes.browse import (
    MOST_HITS,
    NoteLine,
    find_page,
    lines_of,
    rows_matching,
)
from anamnesis.operations.notes.list import ORDERS, NoteFilter, list_notes
from anamnesis.web.dashboard import Notice
from anamnesis.web.request import FACETS, NOT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.notes.fields import NoteId
    from anamnesis.web.request import Visit

PAGE = 50
SEARCH_PAGE = 25  # with excerpts; people refine a search before they page through it
_DEEPEST = 1_000_000
_FACETS = {
    "review": "Review",
    "state": "State",
    "type": "Type",
    "project": "Project",
    "scope": "Scope",
    "machine": "Machine",
    "source": "Source",
    "tag": "Tag",
}
# Labels of values that differ from what the files say.
_LABELS = {
    ("state", "current"): "active",
    ("review", "pending"): "to review",
    ("scope", "portable"): "synced",
    ("scope", "machine-local"): "local only",
    ("source", "human"): "a person",
    ("source", "agent"): "an agent",
    ("source", "session-end"): "a session",
    ("source", "import"): "an import",
}
_VALUES_SHOWN = 8
_ALWAYS = ("state", "review", "tag")  # shown even with a single value
_OTHER_PARAMETERS = ("q", "sort", "day", "since", "until", "session")  # of a saved view
_ORDER_LABELS = {
    "updated": "latest change",
    "oldest": "oldest change",
    "created": "latest created",
    "title": "title",
}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet: its number of notes, and the links that select or exclude it."""

    value: str
    label: str  # as people read it; projects are shortened
    hue: str  # the colour of a project
    count: int
    is_chosen: bool
    is_excluded: bool
    address: str  # the list with this value selected, or no longer selected
    without: str  # the list with this value excluded; empty where that makes no sense


@dataclass(frozen=True, slots=True)
class Facet:
    """A field to filter notes by."""

    name: str
    title: str
    choices: tuple[FacetValue, ...]
    more: tuple[FacetValue, ...]


def show(visit: Visit) -> Response:
    """The list of notes, or only the results when htmx requests them."""
    query, note_filter = visit.parameter("q").strip(), visit.note_filter()
    offset = visit.number("offset", 0, most=_DEEPEST)
    order = visit.parameter("sort") if visit.parameter("sort") in ORDERS else "updated"
    hits = _hits(visit, query, note_filter, order=order, offset=offset)
    matching = rows_matching(visit.store, query) if query else None
    counts = visit.dashboard.counts
    total = max(counts.total(note_filter, matching), offset + len(hits) if hits else 0)
    context: dict[str, Any] = {
        "query": query,
        "note_filter": note_filter,
        "hits": hits,
        "total": total,
        "listed": min(total, MOST_HITS) if query else total,
        "offset": offset,
        "order": order,
        "orders": _ORDER_LABELS,
        "types": TYPES,
        "page_size": SEARCH_PAGE if query else PAGE,
        "facets": _facets(visit, note_filter, counts.facets(note_filter, matching)),
        "fields": _fields(visit),
        "views": listing.saved_views(visit.dashboard.home),
        "view": _view(visit),
        "here": visit.address(),
        "empty": counts.total(NoteFilter(state="all")) == 0,
    }
    is_partial = visit.from_htmx and visit.request.headers.get("hx-target") == "results"
    return visit.page("notes_results.html" if is_partial else "notes.html", **context)


def ids(visit: Visit) -> Response:
    """The ids of all notes in the list, to select them all."""
    query, note_filter = visit.parameter("q").strip(), visit.note_filter()
    note_ids: list[NoteId]
    if query:
        lines = find_page(visit.store, query, note_filter, limit=MOST_HITS)
        note_ids = [line.row.note.id for line in lines]
    else:
        note_ids = listing.ids(visit.store, note_filter)
    return visit.json_response({"ids": note_ids})


def save_view(visit: Visit) -> Response:
    """Save the filters and the query under a name, or remove a view."""
    home, view = visit.dashboard.home, visit.value("view")
    if visit.value("drop"):
        listing.drop_view(home, visit.value("drop"))
        return visit.redirect(
            visit.return_address("/notes"), Notice("View removed. Its notes are unchanged.")
        )
    name = listing.save_view(home, visit.value("name"), view)
    return visit.redirect(f"/notes?{view}", Notice(f"Saved as view “{name}”."))


def _view(visit: Visit) -> str:
    """The query string as a view: without the position in the list."""
    names = {*_FACETS, *_OTHER_PARAMETERS, *(f"{NOT_PREFIX}{name}" for name in FACETS)}
    pairs = visit.request.query_params.multi_items()
    return urlencode([(name, value) for name, value in pairs if name in names and value])


def _fields(visit: Visit) -> list[tuple[str, str]]:
    """The filters in the query as form fields."""
    names = {
        *_FACETS,
        "session",
        "day",
        "since",
        "until",
        *(f"{NOT_PREFIX}{name}" for name in FACETS),
    }
    pairs = visit.request.query_params.multi_items()
    return [(name, value) for name, value in pairs if name in names and value]


def _hits(
    visit: Visit, query: str, note_filter: NoteFilter, *, order: str, offset: int
) -> list[NoteLine]:
    if query:
        return find_page(visit.store, query, note_filter, limit=SEARCH_PAGE, offset=offset)
    page = list_notes(
        visit.store, note_filter, order=order, limit=PAGE, offset=offset, excerpts=True
    )
    return lines_of(page)


def _facets(
    visit: Visit, note_filter: NoteFilter, counts: Mapping[str, Sequence[tuple[str, int]]]
) -> list[Facet]:
    def label(name: str, value: str) -> str:
        if name == "project":
            return visit.short_project(value)
        return _LABELS.get((name, value), value)

    facets = []
    for name, title in _FACETS.items():
        requested = {*note_filter.values_of(name), *note_filter.excluded(name)} - {"all"}
        values = [(value, count) for value, count in counts[name] if value or name != "review"]
        known = {value for value, _ in values}
        values = [*((value, 0) for value in sorted(requested - known)), *values]
        choices = [
            _facet_value(visit, note_filter, name, value, count, label=label(name, value))
            for value, count in values
        ]
        if len(choices) > 1 or (choices and (requested or name in _ALWAYS)):
            first = [
                each
                for at, each in enumerate(choices)
                if at < _VALUES_SHOWN or each.is_chosen or each.is_excluded
            ]
            rest = [each for each in choices if each not in first]
            facets.append(Facet(name, title, tuple(first), tuple(rest)))
    return facets


def _facet_value(
    visit: Visit, note_filter: NoteFilter, name: str, value: str, count: int, *, label: str
) -> FacetValue:
    values, excluded = note_filter.values_of(name), note_filter.excluded(name)
    is_chosen = value in values
    colour = visit.projects.get(value, ("", ""))[1] if name == "project" else ""
    fields: dict[str, Sequence[str] | str | None] = {"offset": None}
    if name in FACETS:
        others = [other for other in excluded if other != value]
        fields |= {name: _toggled(values, value), f"{NOT_PREFIX}{name}": others}
        if value in excluded:
            fields[name] = values
        without = {
            name: [each for each in values if each != value],
            f"{NOT_PREFIX}{name}": [*others, value],
        }
        address = visit.address(**{"offset": None, **without}) if value else ""
        return FacetValue(
            value,
            label,
            colour,
            count,
            is_chosen,
            value in excluded,
            visit.address(**fields),
            address,
        )
    fields[name] = value if not is_chosen else "all" if name == "state" else None
    return FacetValue(value, label, colour, count, is_chosen, False, visit.address(**fields), "")


def _toggled(values: Sequence[str], value: str) -> list[str]:
    return [each for each in values if each != value] + [value] * (value not in values)
