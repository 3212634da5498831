"""Filters on notes, as you choose them and as SQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.index.queries import PENDING, to_review
from anamnesis.notes.source import ORIGINS, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COLUMNS = {
    "type": "m.type",
    "project": "m.project",
    "scope": "m.scope",
    "machine": "m.machine_id",
    "source": "m.prov_source",
    "session": "m.prov_session",
}

# Notes whose origin says more than their source; these words name a partial index.
BY_OTHERS = f"m.prov_source = '{PERSON}' AND m.origin IS NOT NULL"
_KINDS = " ".join(f"WHEN m.origin GLOB '{kind}:*' THEN '{kind}'" for kind in ORIGINS)
# What `source_of` says of a note.
SOURCE = f"CASE WHEN NOT ({BY_OTHERS}) THEN m.prov_source {_KINDS} ELSE m.prov_source END"


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes to show; an empty field matches any note."""

    type: str = ""
    project: str = ""
    scope: str = ""
    machine: str = ""
    source: str = ""
    tag: str = ""
    session: str = ""
    state: str = "current"  # or superseded, or all
    day: str = ""  # a date, or the start of one: created then
    review: str = ""  # or pending: to review
    since: str = ""  # a date: changed then or later
    until: str = ""  # a date: changed then or earlier
    more: tuple[tuple[str, str], ...] = ()  # a field and an alternative value
    without: tuple[tuple[str, str], ...] = ()  # a field and a value that it must not have

    def values_of(self, name: str) -> tuple[str, ...]:
        """The allowed values of a field; none if any value is allowed."""
        own = getattr(self, name)
        further = (value for field, value in self.more if field == name)
        return tuple(dict.fromkeys((*((own,) if own else ()), *further)))

    def excluded(self, name: str) -> tuple[str, ...]:
        """The values of a field that a note must not have."""
        return tuple(value for field, value in self.without if field == name)

    def apart_from(self, *names: str) -> NoteFilter:
        """The same without the conditions on some fields."""
        return replace(
            self,
            **dict.fromkeys(names, ""),
            more=tuple(pair for pair in self.more if pair[0] not in names),
            without=tuple(pair for pair in self.without if pair[0] not in names),
        )


EVERYTHING = NoteFilter(state="all")


def condition(
    filter: NoteFilter, among: Sequence[int] | None = None, *, all_over: bool = False
) -> tuple[str, Sequence[str]]:
    """A filter as SQL on `memories m`, with its values; among all notes or those in some rows.

    `all_over` is for counting: one full scan takes less time than looking most notes up.
    """
    parts = [*_of_values(filter), *_of_times(filter, "+m" if all_over else "m")]
    if filter.state in ("current", "superseded"):
        parts.append((f"m.superseded = {int(filter.state == 'superseded')}", ()))
    if filter.review == PENDING:
        parts.append((to_review(), ()))
    if among is not None:
        parts.append(("m.rowid IN (SELECT value FROM json_each(?))", (str(list(among)),)))
    clauses = [clause for clause, _ in parts]
    return " AND ".join(clauses) or "1", [value for _, values in parts for value in values]


def _of_values(filter: NoteFilter) -> Iterator[tuple[str, Sequence[str]]]:
    """The conditions on values that a note must have one of, or must not have."""
    # A plus keeps SQLite from using the index of sources: any other condition narrows more.
    narrow = filter.source and filter.apart_from("source", "state") != NoteFilter(state="")
    columns = {**COLUMNS, "source": "+m.prov_source"} if narrow else COLUMNS
    for name in (*columns, "tag"):
        if name == "source":
            yield from _of_source(filter, columns[name])
            continue
        for sign, values in (("IN", filter.values_of(name)), ("NOT IN", filter.excluded(name))):
            marks = _marks(values)
            if values and name == "tag":
                tagged = f"SELECT memory_id FROM memory_tags WHERE tag IN ({marks})"  # noqa: S608
                yield f"m.id {sign} ({tagged})", values
            elif values:
                yield f"{columns[name]} {sign} ({marks})", values


def _of_source(filter: NoteFilter, column: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The conditions on the source, which an origin may tell more precisely than its column."""
    if allowed := filter.values_of("source"):
        stored = (*allowed, PERSON) if set(allowed) & set(ORIGINS) else allowed
        yield f"{column} IN ({_marks(stored)})", stored
        if not set(allowed).isdisjoint((*ORIGINS, PERSON)):
            yield f"{SOURCE} IN ({_marks(allowed)})", allowed
    if excluded := filter.excluded("source"):
        yield f"{SOURCE} NOT IN ({_marks(excluded)})", excluded


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _of_times(filter: NoteFilter, m: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The conditions on when a note was created and changed; "~" sorts after any time."""
    if filter.day:
        yield "m.created_at >= ? AND m.created_at < ?", (filter.day, f"{filter.day}~")
    if filter.since:
        yield f"{m}.updated_at >= ?", (filter.since,)
    if filter.until:
        yield f"{m}.updated_at < ?", (f"{filter.until}~",)
