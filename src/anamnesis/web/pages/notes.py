"""The list of notes: live search, facets of which several values can be chosen, saved views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anamnesis.notes.fields import TYPES
from anamnesis.operations.notes import list as listing
from anamnesis.operations.notes.browse import MOST_HITS, NoteLine, find_page, rows_matching
from anamnesis.operations.notes.list import ORDERS, NoteFilter, list_notes
from anamnesis.web.dashboard import Notice
from anamnesis.web.visit import FACETS, NOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.notes.fields import NoteId
    from anamnesis.web.visit import Visit

PAGE = 50
FOUND_PAGE = 25  # each with the passage that answers; people refine the question before they page
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
# What the values of a field are called, where that is not what the files say.
_NAMES = {
    ("state", "current"): "active",
    ("review", "pending"): "to review",
    ("scope", "portable"): "synced",
    ("scope", "machine-local"): "local only",
    ("source", "human"): "a person",
    ("source", "session-end"): "a session",
    ("source", "import"): "an import",
}
_VALUES_SHOWN = 8
_ALWAYS = ("state", "review", "tag")  # shown even if there is one value only
_ELSEWHERE = ("q", "sort", "day", "since", "until", "session")  # of a view, beside its facets
LABELS = {
    "updated": "latest change",
    "oldest": "oldest change",
    "created": "latest created",
    "title": "title",
}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet: how many notes it shows, and where it leads."""

    value: str
    label: str  # the value, without what all projects begin with
    hue: str  # the colour of a project
    count: int
    chosen: bool
    barred: bool
    address: str  # where a click leads: to its notes as well, or no longer
    without: str  # the same notes without those of this value; empty where that makes no sense


@dataclass(frozen=True, slots=True)
class Facet:
    """One dimension that notes are chosen by."""

    name: str
    title: str
    choices: tuple[FacetValue, ...]
    more: tuple[FacetValue, ...]


def show(visit: Visit) -> Response:
    """The list, or only its changing part when a script asks."""
    query, wanted = visit.parameter("q").strip(), visit.note_filter()
    offset = visit.number("offset", 0, most=_DEEPEST)
    order = visit.parameter("sort") if visit.parameter("sort") in ORDERS else "updated"
    hits = _hits(visit, query, wanted, order=order, offset=offset)
    among = rows_matching(visit.store, query) if query else None
    counts = visit.dashboard.counts
    total = max(counts.total(wanted, among), offset + len(hits) if hits else 0)
    context: dict[str, Any] = {
        "query": query,
        "shown": wanted,
        "hits": hits,
        "total": total,
        "listed": min(total, MOST_HITS) if query else total,
        "offset": offset,
        "order": order,
        "orders": LABELS,
        "types": TYPES,
        "page_size": FOUND_PAGE if query else PAGE,
        "facets": _facets(visit, wanted, counts.facets(wanted, among)),
        "fields": _fields(visit),
        "views": listing.saved_views(visit.dashboard.home),
        "view": _view(visit),
        "here": visit.address(),
        "empty": counts.total(NoteFilter(state="all")) == 0,
    }
    partial = visit.from_htmx and visit.request.headers.get("hx-target") == "results"
    return visit.page("notes_results.html" if partial else "notes.html", **context)


def ids(visit: Visit) -> Response:
    """The ids of all notes that the list shows, for a selection of all of them."""
    query, wanted = visit.parameter("q").strip(), visit.note_filter()
    found: list[NoteId]
    if query:
        found = [
            line.row.note.id for line in find_page(visit.store, query, wanted, limit=MOST_HITS)
        ]
    else:
        found = listing.ids(visit.store, wanted)
    return visit.answer({"ids": found})


def save_view(visit: Visit) -> Response:
    """Keep the filters and the question under a name, or drop a view."""
    home, view = visit.dashboard.home, visit.value("view")
    if visit.value("drop"):
        listing.drop_view(home, visit.value("drop"))
        return visit.go(visit.back("/notes"), Notice("The view was removed; no note was."))
    name = listing.save_view(home, visit.value("name"), view)
    return visit.go(f"/notes?{view}", Notice(f"Saved as the view “{name}”."))


def _view(visit: Visit) -> str:
    """What of the address makes a view: all but the place in the list."""
    names = {*_FACETS, *_ELSEWHERE, *(f"{NOT}{name}" for name in FACETS)}
    pairs = visit.request.query_params.multi_items()
    return urlencode([(name, value) for name, value in pairs if name in names and value])


def _fields(visit: Visit) -> list[tuple[str, str]]:
    """The filters in the address as fields of a form."""
    names = {*_FACETS, "session", "day", "since", "until", *(f"{NOT}{name}" for name in FACETS)}
    pairs = visit.request.query_params.multi_items()
    return [(name, value) for name, value in pairs if name in names and value]


def _hits(
    visit: Visit, query: str, wanted: NoteFilter, *, order: str, offset: int
) -> list[NoteLine]:
    if query:
        return find_page(visit.store, query, wanted, limit=FOUND_PAGE, offset=offset)
    page = list_notes(visit.store, wanted, order=order, limit=PAGE, offset=offset, excerpts=True)
    return list(map(NoteLine, page.rows))


def _facets(
    visit: Visit, wanted: NoteFilter, counts: Mapping[str, Sequence[tuple[str, int]]]
) -> list[Facet]:
    def label(name: str, value: str) -> str:
        if name == "project":
            return visit.short_project(value)
        return _NAMES.get((name, value), value)

    facets = []
    for name, title in _FACETS.items():
        asked = {*wanted.values_of(name), *wanted.barred(name)} - {"all"}
        values = [(value, count) for value, count in counts[name] if value or name != "review"]
        known = {value for value, _ in values}
        values = [*((value, 0) for value in sorted(asked - known)), *values]
        choices = [
            _choice(visit, wanted, name, value, count, label=label(name, value))
            for value, count in values
        ]
        if len(choices) > 1 or (choices and (asked or name in _ALWAYS)):
            first = [
                each
                for at, each in enumerate(choices)
                if at < _VALUES_SHOWN or each.chosen or each.barred
            ]
            rest = [each for each in choices if each not in first]
            facets.append(Facet(name, title, tuple(first), tuple(rest)))
    return facets


def _choice(
    visit: Visit, wanted: NoteFilter, name: str, value: str, count: int, *, label: str
) -> FacetValue:
    values, barred = wanted.values_of(name), wanted.barred(name)
    chosen = value in values
    colour = visit.projects.get(value, ("", ""))[1] if name == "project" else ""
    fields: dict[str, Sequence[str] | str | None] = {"offset": None}
    if name in FACETS:
        others = [other for other in barred if other != value]
        fields |= {name: _toggled(values, value), f"{NOT}{name}": others}
        if value in barred:
            fields[name] = values
        without = {
            name: [each for each in values if each != value],
            f"{NOT}{name}": [*others, value],
        }
        address = visit.address(**{"offset": None, **without}) if value else ""
        return FacetValue(
            value, label, colour, count, chosen, value in barred, visit.address(**fields), address
        )
    fields[name] = value if not chosen else "all" if name == "state" else None
    return FacetValue(value, label, colour, count, chosen, False, visit.address(**fields), "")


def _toggled(values: Sequence[str], value: str) -> list[str]:
    return [each for each in values if each != value] + [value] * (value not in values)
