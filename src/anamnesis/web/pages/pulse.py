"""Is all well, and what was learnt lately."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis.index.browse import NoteFilter
from anamnesis.inject import budget
from anamnesis.operations.notes.list import list_notes
from anamnesis.operations.sessions.inject import preview
from anamnesis.project import GLOBAL
from anamnesis.web import health
from anamnesis.web.pages import injection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from anamnesis.index.browse import Row
    from anamnesis.web.pages.injection import Verdict
    from anamnesis.web.visit import Visit

_LATEST = 8
_GIVEN = 6
_DAYS = 14


def show(visit: Visit) -> Response:
    """The first page."""
    counts = visit.dashboard.counts
    everything = NoteFilter(state="all")
    today = datetime.now(UTC).date()
    since = (today - timedelta(days=_DAYS - 1)).isoformat()
    days = counts.days(everything, since=since)
    bars = [
        (day := (today - timedelta(days=_DAYS - 1 - at)).isoformat(), days.get(day, 0))
        for at in range(_DAYS)
    ]
    latest = list_notes(visit.store, NoteFilter(), limit=_LATEST).rows
    return visit.page(
        "pulse.html",
        checks=health.glance(visit.dashboard),
        total=counts.total(NoteFilter()),
        types=counts.along("type", everything),
        projects=counts.along("project", everything),
        latest=latest,
        start=_start(visit, latest),
        bars=bars,
        most=max(1, *(number for _, number in bars)),
        learnt=sum(number for _, number in bars[-7:]),
        machines=counts.machines(),
    )


@dataclass(frozen=True, slots=True)
class Start:
    """What the next session of a project starts with."""

    project: str
    here: bool  # whether it is the project that the dashboard was started in
    shown: Sequence[Verdict]
    whole: int
    titles: int
    used: int
    limit: int


def _start(visit: Visit, latest: Sequence[Row]) -> Start:
    project = _project(visit, latest)
    chosen, fitted = preview(visit.store, project=project)
    given = [each for each in injection.verdicts(chosen, fitted) if each.shown == "whole"]
    return Start(
        project=project,
        here=project == visit.dashboard.project,
        shown=given[:_GIVEN],
        whole=len(fitted.whole),
        titles=len(fitted.listed),
        used=budget.units(fitted.text),
        limit=budget.LIMIT,
    )


def _project(visit: Visit, latest: Sequence[Row]) -> str:
    """The project that the dashboard was started in; if nothing is known of it, the latest one."""
    here = visit.dashboard.project
    if here and visit.dashboard.counts.total(NoteFilter(project=here)):
        return here
    projects = (row.note.project for row in latest)
    return next((name for name in projects if name != GLOBAL), GLOBAL)
