"""When things were learnt: a year of days, and the notes of each."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from anamnesis.index.browse import NoteFilter
from anamnesis.operations.notes.list import list_notes
from anamnesis.web import figures

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit

_LISTED = 60
_DEEPEST = 1_000_000


def show(visit: Visit) -> Response:
    """The page, narrowed to a project, a machine or a day if the address says so."""
    asked = visit.shown()
    shown = NoteFilter(project=asked.project, machine=asked.machine, day=asked.day, state="all")
    today = datetime.now(UTC).date()
    counts = visit.dashboard.counts
    whole_year = replace(shown, day="")
    days = counts.days(whole_year, since=(today - timedelta(days=371)).isoformat())
    offset = visit.asked_number("offset", 0, most=_DEEPEST)
    page = list_notes(visit.store, shown, order="created", limit=_LISTED, offset=offset)
    return visit.page(
        "timeline.html",
        calendar=figures.calendar(days, last=today),
        total=sum(days.values()),
        streak=_streak(days, today),
        shown=shown,
        groups=[
            (day, list(found))
            for day, found in groupby(page.rows, key=lambda row: row.note.created_at[:10])
        ],
        projects=counts.values("project"),
        machines=counts.values("machine"),
        offset=offset,
        listed=len(page.rows),
        listable=counts.total(shown),
        page_size=_LISTED,
    )


def _streak(days: object, today: date) -> int:
    """On how many days in a row, up to today or yesterday, something was learnt."""
    known = days if isinstance(days, dict) else {}
    day = today if known.get(today.isoformat()) else today - timedelta(days=1)
    number = 0
    while known.get(day.isoformat()):
        number += 1
        day -= timedelta(days=1)
    return number
