"""The start page: what needs attention, what was learnt lately, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis.config import UNKNOWN_MACHINE
from anamnesis.hooks import receipts as given
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
    from anamnesis.web.visit import Visit

_LATEST = 8
_SHOWN = 6
_DAYS = 14
_WEEK = 7
_YOUNG = 50  # notes; who has more found the way without steps
_MOMENTS = {
    "inject": "session start",
    "failure": "failed command",
    "file": "opened file",
    "news": "piece of news from other machines",
}


def show(visit: Visit) -> Response:
    """The first page."""
    counts = visit.dashboard.counts
    everything = NoteFilter(state="all")
    latest = list_notes(visit.store, NoteFilter(), limit=_LATEST).rows
    learnt = _learnt(visit)
    since = datetime.now(UTC) - timedelta(days=_WEEK)
    week = given_since(visit.dashboard.home, since.isoformat(timespec="seconds"))
    return visit.page(
        "pulse.html",
        checks=health.glance(visit.dashboard),
        steps=_steps(visit),
        total=counts.total(NoteFilter()),
        types=counts.along("type", everything),
        projects=counts.along("project", everything),
        latest=latest,
        start=_start(visit, latest),
        learnt=learnt,
        shade={kind: f"type-{kind}" if kind in TYPES else "type-other" for kind in learnt.kinds},
        this_week=sum(column.total for column in learnt.columns[-_WEEK:]),
        week=week,
        most_given=max((times for _, times, _ in week.notes), default=1),
        titles=titles(visit.store, [note_id for note_id, _, _ in week.notes[:_SHOWN]]),
        moments=_MOMENTS,
        machines=[each for each in counts.machines() if each[0] != UNKNOWN_MACHINE],
    )


def _learnt(visit: Visit) -> Chart:
    """The notes of two weeks, a column for each day."""
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=_DAYS - 1 - at) for at in range(_DAYS)]
    since = days[0].isoformat()
    counted = visit.dashboard.counts.days(NoteFilter(state="all"), since=since)
    kinds = dict.fromkeys([*TYPES, *sorted({kind for _, kind in counted})])
    slices = [
        charts.Slice(
            name=f"{day:%a} {day.day} {day:%b}",
            label="today" if day == today else f"{day.day} {day:%b}",
            address=f"/notes?day={day.isoformat()}&state=all",
            counts={kind: counted.get((day.isoformat(), kind), 0) for kind in kinds},
        )
        for day in days
    ]
    return charts.stacked(slices, list(kinds), width=charts.NARROW)


@dataclass(frozen=True, slots=True)
class FirstStep:
    """One thing that a new person does once, and whether it is done."""

    title: str
    done: bool
    how: str
    command: str = ""
    address: str = ""
    link: str = ""


def _steps(visit: Visit) -> list[FirstStep]:
    """What is left to do on a new machine; nothing once all of it is done."""
    if visit.dashboard.counts.total(NoteFilter(state="all")) >= _YOUNG:
        return []
    steps = list(_first_steps(visit))
    return [] if all(step.done for step in steps) else steps


def _first_steps(visit: Visit) -> Iterator[FirstStep]:
    home, counts = visit.dashboard.home, visit.dashboard.counts
    yield FirstStep(
        "Set up an agent",
        bool(setups.load(home).agents),
        "It gives sessions their notes and captures what they leave. Seen before it is written:",
        "anamnesis init",
        "/settings#agents",
        "Set up agents here",
    )
    yield FirstStep(
        "Write a note",
        counts.total(NoteFilter(state="all")) > 0,
        "Something that the next session should know. A note is one markdown file:",
        'anamnesis write "Deploys need the VPN" --project .',
        "/new",
        "Write one here",
    )
    yield FirstStep(
        "Start a session in that project",
        any(receipt["event"] == "inject" for receipt in given.latest(home)),
        "It is given the note at once. See what it would get before you start:",
        address="/injection",
        link="What a session starts with",
    )
    yield FirstStep(
        "End the session",
        "session-end" in counts.values("source"),
        "What it did becomes a note of its own, for the next session on any machine.",
    )


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What the next session of a project starts with."""

    project: str
    here: bool  # whether it is the project that the dashboard was started in
    shown: Sequence[PreviewedNote]
    whole: int
    titles: int
    used: int
    limit: int


def _start(visit: Visit, latest: Sequence[Row]) -> SessionStart:
    project = project_in_use(visit, latest)
    coming = preview(visit.store, project=project)
    return SessionStart(
        project=project,
        here=project == visit.dashboard.project,
        shown=coming.with_text[:_SHOWN],
        whole=len(coming.with_text),
        titles=coming.titles,
        used=coming.used,
        limit=LIMIT,
    )


def project_in_use(visit: Visit, latest: Sequence[Row]) -> str:
    """The project that the dashboard was started in; if nothing is known of it, the latest one."""
    here = visit.dashboard.project
    if here and visit.dashboard.counts.total(NoteFilter(project=here)):
        return here
    projects = (row.note.project for row in latest)
    return next((name for name in projects if name != GLOBAL), GLOBAL)
