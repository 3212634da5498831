"""Browsing the notes: counts and facets, searches with excerpts, and which notes are related."""

from __future__ import annotations

import re
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from anamnesis.index import browse
from anamnesis.index.note_filter import EVERYTHING, NoteFilter, condition
from anamnesis.operations.notes import show
from anamnesis.operations.notes.search import search
from anamnesis.search import engine, excerpts
from anamnesis.search.query import Filters

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Hashable, Iterable

    from anamnesis.index.browse import Cube, Row
    from anamnesis.notes.fields import Memory
    from anamnesis.operations.notes.list import NotePage
    from anamnesis.search.excerpts import Excerpt
    from anamnesis.store import MemoryStore

    Condition = tuple[int, tuple[str, ...], tuple[str, ...]]
    Step = Callable[[Row], Iterable[str]]
    T = TypeVar("T")

__all__ = [
    "MARKS", "MOST_HITS", "MOST_MATCHES", "NoteCounts", "NoteLine", "Succession", "backlinks",
    "find_page", "id_of_title", "lines_of", "neighbours", "related", "rows_matching", "succession",
]  # fmt: skip

MOST_HITS = 120  # of a search that can be paged through
MOST_MATCHES = 2000  # hits that are counted; the engine ranks no more than these
MARKS = (excerpts.START, excerpts.END)  # text around a matching word
_KEPT = 64  # cached counts; only a few filters are in use at a time
_TAGS = 24


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A row of a list, and the passage that answers the question."""

    row: Row
    excerpt: Excerpt | None = None
    warning: str = ""  # why agents are not given it unasked


@dataclass(frozen=True, slots=True)
class Succession:
    """What a note replaces and what replaces it, nearest first."""

    older: tuple[Row, ...]
    newer: tuple[Row, ...]


class NoteCounts:
    """Counts of notes by dimension; counted again only after the index changed."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._version: tuple[object, ...] = ()
        self._known: OrderedDict[Hashable, object] = OrderedDict()

    def facets(
        self, wanted: NoteFilter, among: tuple[int, ...] | None = None
    ) -> dict[str, list[tuple[str, int]]]:
        """The values of each dimension and their numbers of notes, among some rows or all."""
        cube = self._cube(wanted, among)
        facets = {name: _along(cube, wanted, at) for at, name in enumerate(browse.DIMENSIONS)}
        return {**facets, "tag": self._tags(wanted.apart_from("tag"), among)}

    def _tags(self, wanted: NoteFilter, among: tuple[int, ...] | None) -> list[tuple[str, int]]:
        if among is not None:
            return self._once(
                ("tags", wanted, among),
                lambda db: browse.tags(db, wanted, limit=_TAGS, among=among),
            )
        every = self._once("all tags", browse.all_tags)
        are_most = 2 * self.total(wanted) > self.total(EVERYTHING)
        return self._once(
            ("tags", wanted),
            lambda db: browse.tags(db, wanted, limit=_TAGS, every=every, are_most=are_most),
        )

    def values(self, name: str, wanted: NoteFilter = EVERYTHING) -> list[str]:
        """The values of one dimension, those with most notes first."""
        return [value for value, _ in self.along(name, wanted)]

    def along(self, name: str, wanted: NoteFilter) -> list[tuple[str, int]]:
        """The values of one dimension and their numbers of notes."""
        return _along(self._cube(wanted), wanted, browse.DIMENSIONS.index(name))

    def total(self, wanted: NoteFilter, among: tuple[int, ...] | None = None) -> int:
        """How many notes match, among some rows or all."""
        cube, conditions = self._cube(wanted, among), _conditions(wanted)
        return sum(number for values, number in cube.items() if _fits(values, conditions))

    def days(
        self, wanted: NoteFilter, *, since: str, by: str = "type"
    ) -> dict[tuple[str, str], int]:
        """How many notes were created on each day, by the values of a dimension: (day, value)."""
        return self._once(
            ("days", wanted, since, by), lambda db: browse.days(db, wanted, by=by, since=since)
        )

    def _cube(self, wanted: NoteFilter, among: tuple[int, ...] | None = None) -> Cube:
        """The counts along all dimensions, of the notes that meet the other conditions."""
        others = replace(wanted.apart_from(*browse.DIMENSIONS), state="all")
        return self._once(("cube", others, among), lambda db: browse.cube(db, others, among))

    def machines(self) -> list[tuple[str, int, str]]:
        """Each machine with its number of notes and when one was last changed, the latest first."""
        return self._once("machines", browse.machines)

    def version(self) -> str:
        """A value that changes with every write to the index, and costs nothing to read."""
        return "-".join(map(str, self._store.ask(browse.version)))

    def contents(self) -> str:
        """A value that changes if, and only if, the notes do."""
        return self._once("contents", browse.contents)

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
            if key in self._known:
                known: T = self._known[key]  # type: ignore[assignment]
                return known
            answer = ask(db)
            if browse.version(db) == version:  # otherwise it may belong to either version
                self._known[key] = answer
                if len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            return answer


def find_page(
    store: MemoryStore,
    text: str,
    wanted: NoteFilter,
    *,
    limit: int,
    offset: int = 0,
    best: int = MOST_HITS,
) -> list[NoteLine]:
    """One page of the best notes for a text, as recall ranks them everywhere."""
    answer = search(store, text, filters=_filters(wanted), limit=min(best, offset + limit))
    reasons = {hit.note.id: hit.why.shares for hit in answer.hits[offset : offset + limit]}

    def lines(db: sqlite3.Connection) -> list[NoteLine]:
        rows = browse.rows_of(db, reasons)
        return [
            NoteLine(
                row,
                excerpts.excerpt(db, row.note.id, reasons[row.note.id]),
                answer.warnings.get(row.note.id, ""),
            )
            for row in rows
        ]

    return store.ask(lines)


def lines_of(page: NotePage) -> list[NoteLine]:
    """The lines of a page of a list."""
    return [NoteLine(row, warning=page.warnings.get(row.note.id, "")) for row in page.rows]


def rows_matching(store: MemoryStore, text: str) -> tuple[int, ...]:
    """The rows of the notes that have words of a text, the best first, at most MOST_MATCHES.

    The hits of a filtered search are among them, so its facets count these rows.
    """
    named = show.find(store, text.strip())
    if named is not None:
        return store.ask(lambda db: browse.places_of(db, [named.note.id]))
    return store.ask(lambda db: tuple(engine.matching(db, text, limit=MOST_MATCHES)))


def related(store: MemoryStore, note: Memory, *, limit: int = 6) -> list[Row]:
    """Active notes on the same subject: by shared tags, then by words of the title."""

    def find(db: sqlite3.Connection) -> list[Row]:
        wanted = NoteFilter(project=note.project)
        by_words = browse.matching(db, _any_word(note.title), wanted, limit=limit + 1)
        by_tags = browse.sharing_tags(db, note, limit=limit) if note.tags else []
        ids = dict.fromkeys([*by_tags[: limit // 2], *by_words, *by_tags])
        ids.pop(note.id, None)
        return browse.rows_of(db, list(ids)[:limit])

    return store.ask(find)


def backlinks(store: MemoryStore, note: Memory, *, limit: int = 20) -> list[Row]:
    """Notes whose text names this one, by [[title]] or id."""
    return store.ask(lambda db: browse.rows_of(db, browse.naming(db, note, limit=limit)))


def neighbours(store: MemoryStore, note: Memory) -> tuple[Row | None, Row | None]:
    """The next later and the next earlier note."""

    def find(db: sqlite3.Connection) -> tuple[Row | None, Row | None]:
        later, earlier = browse.beside(db, note)
        rows = {row.note.id: row for row in browse.rows_of(db, [*later, *earlier])}
        return rows.get(next(iter(later), "")), rows.get(next(iter(earlier), ""))

    return store.ask(find)


def id_of_title(store: MemoryStore, title: str) -> str:
    """The id of the note with this title; nothing if there is none."""
    return store.ask(lambda db: browse.titled(db, title))


def succession(store: MemoryStore, note: Memory, *, most: int = 20) -> Succession:
    """The notes that a note replaces and those that replace it, one after the other."""

    def find(db: sqlite3.Connection) -> Succession:
        older = _walk(db, note, lambda row: row.note.supersedes_ids, most)
        newer = _walk(db, note, lambda row: browse.replaced_by(db, row.note.id), most)
        return Succession(tuple(older), tuple(newer))

    return store.ask(find)


def _along(cube: Cube, wanted: NoteFilter, at: int) -> list[tuple[str, int]]:
    """The counts of one dimension under the conditions on all others."""
    counted: Counter[str] = Counter()
    conditions = _conditions(wanted, but=at)
    for values, number in cube.items():
        if _fits(values, conditions):
            counted[values[at]] += number
    return counted.most_common()


def _conditions(wanted: NoteFilter, *, but: int = -1) -> list[Condition]:
    """The conditions on each dimension: its position, the values to include and to exclude."""
    return [
        (at, allowed, excluded)
        for at, name in enumerate(browse.DIMENSIONS)
        if at != but and getattr(wanted, name) != "all"
        for allowed, excluded in [(wanted.values_of(name), wanted.excluded(name))]
        if allowed or excluded
    ]


def _fits(values: tuple[str, ...], conditions: Iterable[Condition]) -> bool:
    return all(
        (not allowed or values[at] in allowed) and values[at] not in excluded
        for at, allowed, excluded in conditions
    )


def _filters(wanted: NoteFilter) -> Filters:
    """The filters of a list, for a search."""
    projects = wanted.values_of("project")
    if wanted.apart_from("project") == NoteFilter() and not wanted.excluded("project"):
        return Filters(projects)
    return Filters(projects, include_superseded=True, also=condition(wanted))


def _walk(db: sqlite3.Connection, note: Memory, step: Step, most: int) -> list[Row]:
    seen = {note.id}
    found: list[Row] = []
    waiting = browse.rows_of(db, [note.id])
    while waiting and len(found) < most:
        ids = [note_id for row in waiting for note_id in step(row) if note_id not in seen]
        seen.update(ids)
        waiting = browse.rows_of(db, dict.fromkeys(ids))
        found += waiting
    return found[:most]


def _any_word(text: str) -> str:
    """An FTS5 expression for any of the words; the last one may be incomplete."""
    words = re.findall(r"\w+", text)[:32]
    return " OR ".join(f'"{word}"' for word in words) + ("*" if words else "")
