"""Counts and drawings: computed once per state of the index, drawn as plain values."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeVar

from anamnesis.index import browse, graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Hashable, Mapping

    from anamnesis.store import MemoryStore

    T = TypeVar("T")

EVERYTHING = browse.NoteFilter(state="all")
_KEPT = 64  # answers; a person looks at a few filters at a time
_TAGS = 24
_WEEKS = 53
_CELL = 13  # units of one day's square with its gap
_LEVELS = (1, 3, 6, 10)  # notes of a day: from here on darker


class Counts:
    """How many notes there are of what; recounted only after the index changed."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._version: tuple[object, ...] = ()
        self._known: OrderedDict[Hashable, object] = OrderedDict()

    def facets(self, shown: browse.NoteFilter) -> dict[str, list[tuple[str, int]]]:
        """Per dimension its values with how many notes each would show."""
        cube = self._once("cube", browse.cube)
        found = {name: _along(cube, shown, at) for at, name in enumerate(browse.DIMENSIONS)}
        found["tag"] = self._once(("tags", shown), lambda db: browse.tags(db, shown, limit=_TAGS))
        return found

    def values(self, name: str, shown: browse.NoteFilter = EVERYTHING) -> list[str]:
        """The values of one dimension, those of most notes first."""
        return [value for value, _ in self.along(name, shown)]

    def along(self, name: str, shown: browse.NoteFilter) -> list[tuple[str, int]]:
        """The values of one dimension with how many notes each would show."""
        cube = self._once("cube", browse.cube)
        return _along(cube, shown, browse.DIMENSIONS.index(name))

    def total(self, shown: browse.NoteFilter) -> int:
        """How many notes there are to look at."""
        if shown.tag or shown.day or shown.session:
            return self._once(("count", shown), lambda db: browse.count(db, shown))
        cube = self._once("cube", browse.cube)
        return sum(number for values, number in cube.items() if _fits(values, shown))

    def days(self, shown: browse.NoteFilter, *, since: str) -> Mapping[str, int]:
        """How many notes were made on each day."""
        return self._once(("days", shown, since), lambda db: browse.days(db, shown, since=since))

    def machines(self) -> list[tuple[str, int, str, str]]:
        """Each machine with its number of notes, its first and its latest note."""
        return self._once("machines", browse.machines)

    def overview(self) -> graph.Graph:
        """The largest projects and the tags that they use most."""
        projects = self.along("project", browse.NoteFilter())
        return self._once("overview", lambda db: graph.overview(db, projects))

    def version(self) -> tuple[object, ...]:
        """Something that is different after every change of the index."""
        return self._store.ask(browse.version)

    def _once(self, key: Hashable, ask: Callable[[sqlite3.Connection], T]) -> T:
        return self._store.ask(lambda db: self._answer(db, key, ask))

    def _answer(
        self, db: sqlite3.Connection, key: Hashable, ask: Callable[[sqlite3.Connection], T]
    ) -> T:
        version = browse.version(db)
        with self._lock:
            if version != self._version:
                self._known.clear()
                self._version = version
            if key not in self._known:
                self._known[key] = ask(db)
                if len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            answer: T = self._known[key]  # type: ignore[assignment]
            return answer


def _along(cube: browse.Cube, shown: browse.NoteFilter, at: int) -> list[tuple[str, int]]:
    """The counts of one dimension under the conditions on all others."""
    counted: Counter[str] = Counter()
    for values, number in cube.items():
        if _fits(values, shown, but=at):
            counted[values[at]] += number
    return counted.most_common()


def _fits(values: tuple[str, ...], shown: browse.NoteFilter, *, but: int = -1) -> bool:
    for at, (name, value) in enumerate(zip(browse.DIMENSIONS, values, strict=True)):
        wanted = getattr(shown, name)
        if at != but and wanted not in ("", "all", value):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Day:
    """One square of the calendar."""

    day: str
    count: int
    level: int  # 0 to 4
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """A year of days, a column per week."""

    days: tuple[Day, ...]
    months: tuple[tuple[str, int], ...]  # name, x
    width: int
    height: int
    busiest: int


def calendar(counts: Mapping[str, int], *, last: date) -> Calendar:
    """The year that ends with a day."""
    first = last - timedelta(days=last.weekday(), weeks=_WEEKS - 1)
    days, months = [], []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        x, y = number // 7 * _CELL, day.weekday() * _CELL
        count = counts.get(day.isoformat(), 0)
        days.append(Day(day.isoformat(), count, sum(count >= least for least in _LEVELS), x, y))
        if day.day <= 7 and day.weekday() == 0:
            months.append((f"{day:%b}", x))
    busiest = max((day.count for day in days), default=0)
    return Calendar(tuple(days), tuple(months), _WEEKS * _CELL, 7 * _CELL, busiest)
