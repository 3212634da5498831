"""Why a search finds what it finds: the ranking taken apart, two settings side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.search import encoder
from anamnesis.search.filters import Filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.search.engine import SearchHit
    from anamnesis.web.visit import Visit

_HITS = 8


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to rank."""

    label: str
    by_meaning: bool = True
    by_encoder: bool = True
    forgiving: bool = True


_ENCODER = {"encoder": Setting("words, meaning and the encoder")}
_ALWAYS = {
    "meaning": Setting("words and meaning", by_encoder=False),
    "words": Setting("words only", by_meaning=False),
    "exact": Setting("words as they are typed", by_meaning=False, forgiving=False),
}


@dataclass(frozen=True, slots=True)
class Column:
    """The answer of one setting."""

    side: str
    setting: Setting
    hits: Sequence[SearchHit]
    places: dict[str, int]  # id -> place, from 1


def show(visit: Visit) -> Response:
    """The page."""
    query, project = visit.asked("q").strip(), visit.asked("project")
    filters = Filters(
        projects=(project, "global") if project else (),
        include_superseded=visit.asked("superseded") == "1",
    )
    settings = {**(_ENCODER if encoder.is_on() else {}), **_ALWAYS}
    chosen = {"left": next(iter(settings)), "right": "words"}
    chosen |= {side: name for side in chosen if (name := visit.asked(side)) in settings}
    return visit.page(
        "recall.html",
        query=query,
        project=project,
        superseded=filters.include_superseded,
        settings=settings,
        chosen=chosen,
        columns=[
            _column(visit, query, filters, side, settings[name])
            for side, name in chosen.items()
            if query
        ],
        projects=visit.dashboard.counts.values("project"),
    )


def _column(visit: Visit, query: str, filters: Filters, side: str, setting: Setting) -> Column:
    hits = visit.store.recall(
        query,
        filters=filters,
        k=_HITS,
        by_meaning=setting.by_meaning,
        by_encoder=setting.by_encoder,
        forgiving=setting.forgiving,
    )
    places = {hit.note.id: place for place, hit in enumerate(hits, 1)}
    return Column(side, setting, hits, places)
