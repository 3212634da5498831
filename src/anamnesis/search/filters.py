"""Which notes a search may give at all."""

from __future__ import annotations

from anamnesis.ground.records import record
from anamnesis.index import words
from anamnesis.search.query import any_of

_EQUAL = (
    ("type", "type"), ("scope", "scope"), ("machine_id", "machine"), ("prov_source", "source"),
    ("prov_session", "session"),
)  # fmt: skip


@record
class Filters:
    """Conditions that every hit meets; an empty one is no condition."""

    projects: tuple[str, ...] = ()  # any of them
    type: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()  # all of them
    machine: str = ""
    source: str = ""
    since: str = ""  # ISO 8601, a date or a time: updated then or later
    until: str = ""  # updated then or earlier; a date includes its whole day
    file: str = ""  # a path or file name that the note mentions
    include_superseded: bool = False
    only_superseded: bool = False
    session: str = ""
    day: str = ""  # a date, or the start of one: created then

    @property
    def only_projects(self) -> bool:
        """Whether nothing is asked for but, perhaps, projects."""
        return self == Filters(self.projects, include_superseded=self.include_superseded)

    def condition(self) -> tuple[str, list[str]]:
        """The filters as SQL on `memories m` and `memories_fts`, with their values."""
        clauses = ["1" if self.include_superseded else "m.superseded = 0"]
        if self.only_superseded:
            clauses = ["m.superseded = 1"]
        values: list[str] = []
        if self.projects:
            clauses.append(f"m.project IN ({', '.join('?' * len(self.projects))})")
            values += self.projects
        for column, field in _EQUAL:
            if value := getattr(self, field):
                clauses.append(f"m.{column} = ?")
                values.append(value)
        for tag in self.tags:
            clauses.append(
                "EXISTS (SELECT 1 FROM memory_tags t WHERE t.memory_id = m.id AND t.tag = ?)"
            )
            values.append(tag)
        if self.since:
            clauses.append("m.updated_at >= ?")
            values.append(self.since)
        if self.until:
            clauses.append("substr(m.updated_at, 1, length(?)) <= ?")
            values += [self.until, self.until]
        if self.day:
            clauses.append("m.created_at >= ? AND m.created_at < ?")
            values += [self.day, f"{self.day}~"]  # "~" follows every character of a time
        if self.file:
            clauses.append(
                "(instr(lower(memories_fts.body), lower(?)) "
                "OR instr(lower(memories_fts.title), lower(?)))"
            )
            values += [self.file, self.file]
        return " AND ".join(clauses), values

    def match(self) -> list[str]:
        """What of the filters the full-text index itself can narrow by."""
        found = []
        if self.projects:
            found.append(any_of(map(words.facet, self.projects)))
        if path := words.tokens(self.file):
            found.append(f'"{" ".join(path)}"')
        return found


EVERYTHING = Filters()
