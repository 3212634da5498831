"""Why a search finds what it finds: the ranking taken apart, two settings side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.index.filters import Filters
from anamnesis.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.index.search import Hit
    from anamnesis.web.visit import Visit

_HITS = 8
SETTINGS = {"meaning": "words and meaning", "words": "words only"}


@record
class Column:
    """The answer of one setting."""

    name: str
    label: str
    hits: Sequence[Hit]
    places: dict[str, int]  # id -> place, from 1


def show(visit: Visit) -> Response:
    """The page."""
    query, project = visit.asked("q").strip(), visit.asked("project")
    filters = Filters(
        projects=(project, "global") if project else (),
        include_superseded=visit.asked("superseded") == "1",
    )
    columns = [_column(visit, query, filters, name) for name in SETTINGS] if query else []
    return visit.page(
        "recall.html",
        query=query,
        project=project,
        superseded=filters.include_superseded,
        columns=columns,
        projects=visit.dashboard.counts.values("project"),
    )


def _column(visit: Visit, query: str, filters: Filters, name: str) -> Column:
    hits = visit.store.recall(query, filters=filters, k=_HITS, by_meaning=name == "meaning")
    places = {hit.note.id: place for place, hit in enumerate(hits, 1)}
    return Column(name, SETTINGS[name], hits, places)
