"""When notes were created: a calendar of the year, the latest weeks by project, and the notes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from anamnesis.operations.notes.list import NoteFilter, list_notes
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.standup import committed
from anamnesis.web import charts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from starlette.responses import Response

    from anamnesis.operations.notes.list import Row
    from anamnesis.web.charts import Chart
    from anamnesis.web.request import Visit

_LISTED = 60
_DEEPEST = 1_000_000
_WEEKS = 53
_CELL = 13  # drawing units of one day, with its gap
_CHARTED = 26  # weeks
_PROJECTS = 7  # that get their own colour
_OTHERS = "others"
_LEVELS = (1, 3, 6, 10)  # notes per day that make it darker; busy years use quartiles


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """One square in the calendar."""

    day: str
    count: int
    level: int  # 0 to 4
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """A year of days, with a column per week."""

    days: tuple[CalendarDay, ...]
    months: tuple[tuple[str, int], ...]  # name, x
    width: int
    height: int
    numbers: tuple[MonthTotals, ...]  # the latest month first


@dataclass(frozen=True, slots=True)
class MonthTotals:
    """The numbers of one month of the calendar."""

    name: str
    notes: int
    days: int  # with any notes
    busiest: str
    most: int


def show(visit: Visit) -> Response:
    """The calendar, the weeks and the notes, optionally of one project, machine or day."""
    query = visit.note_filter()
    note_filter = NoteFilter(
        project=query.project, machine=query.machine, day=query.day, state="all"
    )
    today = datetime.now(UTC).date()
    counts = visit.dashboard.counts
    since = (today - timedelta(days=371)).isoformat()
    by_project = counts.days(replace(note_filter, day=""), since=since, by="project")
    days: Counter[str] = Counter()
    for (day, _), number in by_project.items():
        days[day] += number
    offset = visit.number("offset", 0, most=_DEEPEST)
    page = list_notes(visit.store, note_filter, order="created", limit=_LISTED, offset=offset)
    chart = _weeks(visit, by_project, today)
    return visit.page(
        "timeline.html",
        calendar=calendar_of(days, last=today),
        chart=chart,
        shade={kind: visit.projects.get(kind, ("", "hue-others"))[1] for kind in chart.kinds},
        total=sum(days.values()),
        streak=_streak(days, today),
        note_filter=note_filter,
        weeks=[
            (week, _by_project(visit, rows))
            for week, rows in groupby(page.rows, key=lambda row: _monday(row.note.created_at))
        ],
        projects=counts.values("project"),
        machines=counts.values("machine"),
        offset=offset,
        listed=len(page.rows),
        listable=counts.total(note_filter),
        page_size=_LISTED,
    )


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A note with the commits of its session, and whether that session is archived."""

    row: Row
    committed: tuple[str, ...]
    has_session: bool


def _by_project(visit: Visit, rows: Iterable[Row]) -> dict[str, list[TimelineEntry]]:
    """The notes of a week by project, the one with the latest note first."""
    home = visit.dashboard.home
    projects: dict[str, list[TimelineEntry]] = {}
    for row in rows:
        read = visit.read(row.note.id) if row.note.type == "episodic" else None
        entry = TimelineEntry(
            row,
            committed(read.note) if read else (),
            archive.has(home, row.note.prov_session),
        )
        projects.setdefault(row.note.project, []).append(entry)
    return projects


def _weeks(visit: Visit, counts: Mapping[tuple[str, str], int], today: date) -> Chart:
    """The latest weeks by project; each week links to its notes."""
    totals: Counter[str] = Counter()
    weeks: dict[str, Counter[str]] = {}
    for (day, project), number in counts.items():
        totals[project] += number
        weeks.setdefault(_monday(day), Counter())[project] += number
    largest = [project for project, _ in totals.most_common(_PROJECTS)]
    slices, later_notes = [], 0
    for at in range(_CHARTED):
        monday = today - timedelta(days=today.weekday(), weeks=at)
        week = weeks.get(monday.isoformat(), Counter())
        number = sum(week.values())
        shares = {project: week[project] for project in largest}
        page = visit.address(offset=later_notes // _LISTED * _LISTED or None, day=None)
        slices.append(
            charts.Slice(
                name=f"{monday.day} {monday:%b %Y}",
                label=f"{monday.day} {monday:%b}",
                address=f"{page}#week-{monday.isoformat()}",
                counts={**shares, _OTHERS: number - sum(shares.values())},
            )
        )
        later_notes += number
    return charts.stacked(slices[::-1], [*largest, _OTHERS])


def _monday(text: str) -> str:
    """The Monday of the week of a time; its first ten characters if it is not a time."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text[:10]
    return (day - timedelta(days=day.weekday())).isoformat()


def calendar_of(counts: Mapping[str, int], *, last: date) -> Calendar:
    """The calendar of the year up to a day."""
    first = last - timedelta(days=last.weekday(), weeks=_WEEKS - 1)
    days, months = [], []
    levels = _levels(counts.values())
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        x, y = number // 7 * _CELL, day.weekday() * _CELL
        count = counts.get(day.isoformat(), 0)
        level = sum(count >= least for least in levels)
        days.append(CalendarDay(day.isoformat(), count, level, x, y))
        if day.day <= 7 and day.weekday() == 0:
            months.append((f"{day:%b}", x))
    return Calendar(tuple(days), tuple(months), _WEEKS * _CELL, 7 * _CELL, _by_month(days))


def _levels(counts: Iterable[int]) -> tuple[int, ...]:
    """The numbers of notes at which a day gets darker, higher for a busy year."""
    ordered = sorted(counts) or [0]
    quarters = (ordered[len(ordered) * share // 4] for share in range(4))
    return tuple(max(pair) for pair in zip(_LEVELS, quarters, strict=True))


def _by_month(days: Sequence[CalendarDay]) -> tuple[MonthTotals, ...]:
    months = []
    for month, group in groupby(days, key=lambda day: day.day[:7]):
        busy = [day for day in group if day.count]
        if busy:
            busiest = max(busy, key=lambda day: day.count)
            name = f"{date.fromisoformat(f'{month}-01'):%b %Y}"
            total = sum(day.count for day in busy)
            months.append(MonthTotals(name, total, len(busy), busiest.day, busiest.count))
    return tuple(reversed(months))


def _streak(days: Mapping[str, int], today: date) -> int:
    """The number of consecutive days with notes, up to today or yesterday."""
    day = today if days.get(today.isoformat()) else today - timedelta(days=1)
    number = 0
    while days.get(day.isoformat()):
        number += 1
        day -= timedelta(days=1)
    return number
