"""Is all well, and what was learnt lately."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis.index.browse import Shown
from anamnesis.operations import look
from anamnesis.web import health

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit

_LATEST = 8
_DAYS = 14


def show(visit: Visit) -> Response:
    """The first page."""
    counts = visit.dashboard.counts
    everything = Shown(state="all")
    today = datetime.now(UTC).date()
    since = (today - timedelta(days=_DAYS - 1)).isoformat()
    days = counts.days(everything, since=since)
    bars = [
        (day := (today - timedelta(days=_DAYS - 1 - at)).isoformat(), days.get(day, 0))
        for at in range(_DAYS)
    ]
    return visit.page(
        "pulse.html",
        checks=health.checks(visit.dashboard),
        total=counts.total(Shown()),
        facets=counts.facets(everything),
        latest=look.page(visit.store, Shown(), limit=_LATEST),
        bars=bars,
        most=max(1, *(number for _, number in bars)),
        learnt=sum(number for _, number in bars[-7:]),
        machines=counts.machines(),
    )
