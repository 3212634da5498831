"""When things were learnt: a year of days, the latest weeks by project, and their notes."""

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
    from anamnesis.web.visit import Visit

_LISTED = 60
_DEEPEST = 1_000_000
_WEEKS = 53
_CELL = 13  # units of one day's square with its gap
_CHARTED = 26  # weeks
_PROJECTS = 7  # with a colour of their own
_OTHERS = "others"
_LEVELS = (1, 3, 6, 10)  # notes of a day: from here on darker, or from the quarters of busy years


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """One square of the calendar."""

    day: str
    count: int
    level: int  # 0 to 4
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """A year of days, a column per week."""

    days: tuple[CalendarDay, ...]
    months: tuple[tuple[str, int], ...]  # name, x
    width: int
    height: int
    numbers: tuple[MonthOfDays, ...]  # the same in numbers, the latest month first


@dataclass(frozen=True, slots=True)
class MonthOfDays:
    """What one month of the calendar shows."""

    name: str
    notes: int
    days: int  # on which there were any
    busiest: str
    most: int


def show(visit: Visit) -> Response:
    """The page, narrowed to a project, a machine or a day if the address says so."""
    asked = visit.note_filter()
    wanted = NoteFilter(project=asked.project, machine=asked.machine, day=asked.day, state="all")
    today = datetime.now(UTC).date()
    counts = visit.dashboard.counts
    since = (today - timedelta(days=371)).isoformat()
    by_project = counts.days(replace(wanted, day=""), since=since, by="project")
    days: Counter[str] = Counter()
    for (day, _), number in by_project.items():
        days[day] += number
    offset = visit.number("offset", 0, most=_DEEPEST)
    page = list_notes(visit.store, wanted, order="created", limit=_LISTED, offset=offset)
    chart = _weeks(visit, by_project, today)
    return visit.page(
        "timeline.html",
        calendar=calendar_of(days, last=today),
        chart=chart,
        shade={kind: visit.projects.get(kind, ("", "hue-others"))[1] for kind in chart.kinds},
        total=sum(days.values()),
        streak=_streak(days, today),
        shown=wanted,
        weeks=[
            (week, _by_project(visit, rows))
            for week, rows in groupby(page.rows, key=lambda row: _monday(row.note.created_at))
        ],
        projects=counts.values("project"),
        machines=counts.values("machine"),
        offset=offset,
        listed=len(page.rows),
        listable=counts.total(wanted),
        page_size=_LISTED,
    )


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A note on its day; of a session also what it committed, and whether it is kept."""

    row: Row
    committed: tuple[str, ...]
    has_session: bool


def _by_project(visit: Visit, rows: Iterable[Row]) -> dict[str, list[TimelineEntry]]:
    """The notes of a week by project, the project of the latest first."""
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


def _weeks(visit: Visit, counted: Mapping[tuple[str, str], int], today: date) -> Chart:
    """The latest weeks by project; a week leads to where its notes are listed."""
    totals: Counter[str] = Counter()
    weeks: dict[str, Counter[str]] = {}
    for (day, project), number in counted.items():
        totals[project] += number
        weeks.setdefault(_monday(day), Counter())[project] += number
    named = [project for project, _ in totals.most_common(_PROJECTS)]
    slices, after = [], 0
    for at in range(_CHARTED):
        monday = today - timedelta(days=today.weekday(), weeks=at)
        found = weeks.get(monday.isoformat(), Counter())
        number = sum(found.values())
        shares = {project: found[project] for project in named}
        place = visit.address(offset=after // _LISTED * _LISTED or None, day=None)
        slices.append(
            charts.Slice(
                name=f"{monday.day} {monday:%b %Y}",
                label=f"{monday.day} {monday:%b}",
                address=f"{place}#week-{monday.isoformat()}",
                counts={**shares, _OTHERS: number - sum(shares.values())},
            )
        )
        after += number
    return charts.stacked(slices[::-1], [*named, _OTHERS])


def _monday(text: str) -> str:
    """The first day of the week of a time; the text itself if it is none."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text[:10]
    return (day - timedelta(days=day.weekday())).isoformat()


def calendar_of(counts: Mapping[str, int], *, last: date) -> Calendar:
    """The year that ends with a day."""
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
    """From how many notes a day is darker: shades that also tell busy days apart."""
    ordered = sorted(counts) or [0]
    quarters = (ordered[len(ordered) * share // 4] for share in range(4))
    return tuple(max(pair) for pair in zip(_LEVELS, quarters, strict=True))


def _by_month(days: Sequence[CalendarDay]) -> tuple[MonthOfDays, ...]:
    months = []
    for month, group in groupby(days, key=lambda day: day.day[:7]):
        busy = [day for day in group if day.count]
        if busy:
            most = max(busy, key=lambda day: day.count)
            name = f"{date.fromisoformat(f'{month}-01'):%b %Y}"
            months.append(
                MonthOfDays(name, sum(day.count for day in busy), len(busy), most.day, most.count)
            )
    return tuple(reversed(months))


def _streak(days: Mapping[str, int], today: date) -> int:
    """On how many days in a row, up to today or yesterday, something was learnt."""
    day = today if days.get(today.isoformat()) else today - timedelta(days=1)
    number = 0
    while days.get(day.isoformat()):
        number += 1
        day -= timedelta(days=1)
    return number
