"""The start page: what needs attention, the latest notes, and which of them sessions were given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis.config import UNKNOWN_MACHINE
from anamnesis.hooks import receipts
from anamnesis.notes.fields import TYPES
from anamnesis.onboard import receipt as setups
from anamnesis.operations.notes.list import NoteFilter, list_notes, titles
from anamnesis.operations.sessions.preview import LIMIT, given_since, preview
from anamnesis.project import GLOBAL
from anamnesis.web import charts, health

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.responses import Response

    from anamnesis.operations.notes.list import Row
    from anamnesis.operations.sessions.preview import PreviewedNote
    from anamnesis.web.charts import Chart
    from anamnesis.web.request import Visit

_LATEST = 8
_LISTED = 6
_DAYS = 14
_WEEK = 7
_NEW_STORE = 50  # notes; a larger store needs no first steps
_MOMENTS = {
    "inject": "session start",
    "failure": "failed command",
    "file": "opened file",
    "news": "piece of news from other machines",
}


def show(visit: Visit) -> Response:
    """The health, activity and next session start of this store."""
    counts = visit.dashboard.counts
    everything = NoteFilter(state="all")
    latest = list_notes(visit.store, NoteFilter(), limit=_LATEST).rows
    chart = _chart(visit)
    since = datetime.now(UTC) - timedelta(days=_WEEK)
    week = given_since(visit.dashboard.home, since.isoformat(timespec="seconds"))
    return visit.page(
        "pulse.html",
        checks=health.quick_checks(visit.dashboard),
        steps=_steps(visit),
        total=counts.total(NoteFilter()),
        types=counts.along("type", everything),
        projects=counts.along("project", everything),
        latest=latest,
        start=_next_start(visit, latest),
        chart=chart,
        shade={kind: f"type-{kind}" if kind in TYPES else "type-other" for kind in chart.kinds},
        this_week=sum(column.total for column in chart.columns[-_WEEK:]),
        week=week,
        most_given=max((times for _, times in week.notes), default=1),
        titles=titles(visit.store, [note_id for note_id, _ in week.notes[:_LISTED]]),
        moments=_MOMENTS,
        machines=[each for each in counts.machines() if each[0] != UNKNOWN_MACHINE],
    )


def _chart(visit: Visit) -> Chart:
    """The notes created in the last two weeks, with a column for each day."""
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=_DAYS - 1 - at) for at in range(_DAYS)]
    since = days[0].isoformat()
    counts = visit.dashboard.counts.days(NoteFilter(state="all"), since=since)
    kinds = dict.fromkeys([*TYPES, *sorted({kind for _, kind in counts})])
    slices = [
        charts.Slice(
            name=f"{day:%a} {day.day} {day:%b}",
            label="today" if day == today else f"{day.day} {day:%b}",
            address=f"/notes?day={day.isoformat()}&state=all",
            counts={kind: counts.get((day.isoformat(), kind), 0) for kind in kinds},
        )
        for day in days
    ]
    return charts.stacked(slices, list(kinds), width=charts.NARROW)


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A step to take on a new machine, and whether it is done."""

    title: str
    done: bool
    how: str
    command: str = ""
    address: str = ""
    link: str = ""


def _steps(visit: Visit) -> list[FirstStep]:
    """The first steps on a new machine; empty once all are done."""
    if visit.dashboard.counts.total(NoteFilter(state="all")) >= _NEW_STORE:
        return []
    steps = list(_first_steps(visit))
    return [] if all(step.done for step in steps) else steps


def _first_steps(visit: Visit) -> Iterator[FirstStep]:
    home, counts = visit.dashboard.home, visit.dashboard.counts
    yield FirstStep(
        "Set up an agent",
        bool(setups.load(home).agents),
        "Its hooks give sessions their notes and capture each session. You confirm every change:",
        "anamnesis init",
        "/settings#agents",
        "Set up agents here",
    )
    yield FirstStep(
        "Write a note",
        counts.total(NoteFilter(state="all")) > 0,
        "Write down something that the next session should know. A note is one markdown file:",
        'anamnesis write "Deploys need the VPN" --project .',
        "/new",
        "Write one here",
    )
    yield FirstStep(
        "Start a session in that project",
        any(receipt["event"] == "inject" for receipt in receipts.latest(home)),
        "It is given the note right away. Preview what it would start with:",
        address="/injection",
        link="What a session starts with",
    )
    yield FirstStep(
        "End the session",
        "session-end" in counts.values("source"),
        "It is captured as a note, for the next session on any machine.",
    )


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What the next session of a project starts with."""

    project: str
    is_here: bool  # whether the dashboard was started in this project
    listed: Sequence[PreviewedNote]
    whole: int
    titles: int
    used: int
    limit: int


def _next_start(visit: Visit, latest: Sequence[Row]) -> SessionStart:
    project = project_in_use(visit, latest)
    next_start = preview(visit.store, project=project)
    return SessionStart(
        project=project,
        is_here=project == visit.dashboard.project,
        listed=next_start.with_text[:_LISTED],
        whole=len(next_start.with_text),
        titles=next_start.titles,
        used=next_start.used,
        limit=LIMIT,
    )


def project_in_use(visit: Visit, latest: Sequence[Row]) -> str:
    """The project that the dashboard was started in, or that of the latest note."""
    project = visit.dashboard.project
    if project and visit.dashboard.counts.total(NoteFilter(project=project)):
        return project
    projects = (row.note.project for row in latest)
    return next((name for name in projects if name != GLOBAL), GLOBAL)
