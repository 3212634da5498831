"""Recent work by project, read from the session notes of all machines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from anamnesis.aliases import names_of
from anamnesis.ground.clock import since as moment
from anamnesis.operations.sessions import archive
from anamnesis.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

_BLOCK = re.compile(r"^\*\*([^*\n]{1,60}?):\*\*[ \t]*", re.MULTILINE)
_COUNTED = re.compile(r"\s*\(\d+\)$")
_MOST_ITEMS = 6  # commits and open points of one session
_MOST_DECIDED, _MOST_RESULTS = 4, 3
_CHOICE = " → "  # between a question and what was chosen
_SAME = 40  # characters of a commit's subject; what has them says it again
_LEAST_WORDS = 6  # of a statement; less is a heading, a row or a line of code
_LEAST_LETTERS = 0.7  # share of letters and spaces in one
_LONGEST_ITEM = 200  # characters


@dataclass(frozen=True, slots=True)
class DoneSession:
    """One session of a standup."""

    note: str
    title: str
    machine: str
    ended: str
    turns: int  # 0 where the session was on another machine
    outcome: str
    committed: tuple[str, ...]
    decided: tuple[str, ...]
    results: tuple[str, ...]
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoneProject:
    """What was done in one project, the latest session first."""

    project: str
    sessions: tuple[DoneSession, ...]


def standup(
    store: MemoryStore,
    *,
    since: str = "yesterday",
    project: str | None = None,
    machine: str = "",
    limit: int = 0,
) -> list[DoneProject]:
    """Work since a time, the busiest project first; one project by all its names.

    At most `limit` sessions, the latest ones; 0 means all. Raises InvalidInput for a bad time, and
    NoSuchNote if a note is deleted meanwhile.
    """
    start = _start(since)
    names = names_of(store.home, project) if project else ()
    found = [
        note.id
        for note in store.headers(type="episodic")
        if (not names or note.project in names)
        and note.updated_at >= start
        and (not machine or note.machine_id == machine)
    ]
    notes = [store.require(note_id).note for note_id in found[: limit or None]]
    turns = _turns(store, since=start)
    projects: dict[str, list[DoneSession]] = {}
    for note in notes:
        done = _done_session(note, turns=turns.get(note.id, 0))
        projects.setdefault(note.project, []).append(done)
    busiest = sorted(projects.items(), key=lambda each: (-len(each[1]), each[0]))
    return [DoneProject(name, tuple(sessions)) for name, sessions in busiest]


def markdown(projects: Sequence[DoneProject]) -> str:
    """A standup as text to paste."""
    lines: list[str] = []
    for each in projects:
        lines += [f"## {each.project}", ""]
        for session in each.sessions:
            lines += [*_lines_of(session), ""]
    return "\n".join(lines).rstrip()


def blocks(body: str) -> dict[str, list[str]]:
    """The labelled blocks of a session note (docs/formats/session-note.md) as lists of lines."""
    found: dict[str, list[str]] = {}
    places = [*_BLOCK.finditer(body)]
    ends = [*(place.start() for place in places[1:]), len(body)]
    for place, end in zip(places, ends[: len(places)], strict=True):
        text = body[place.end() : end]
        label = _COUNTED.sub("", place[1])
        lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
        found.setdefault(label, []).extend(line for line in lines if line)
    return found


def committed(note: Memory) -> tuple[str, ...]:
    """The commits that the note of a session names."""
    return _items(blocks(note.body).get("Commits", []))


def _done_session(note: Memory, *, turns: int) -> DoneSession:
    found = blocks(note.body)
    return DoneSession(
        note=note.id,
        title=" ".join(note.title.split()),
        machine=note.machine_id,
        ended=note.updated_at,
        turns=turns,
        outcome="".join(_items([" ".join(found.get("Outcome", []))])),
        committed=committed(note),
        decided=_decided(note, found),
        results=_items(found.get("Last results", []), most=_MOST_RESULTS),
        open=_items(found.get("Open", [])),
    )


def _decided(note: Memory, found: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What was chosen, and of the statements those that are about what the session did.

    They stand in a note in the order in which they were said, early readings of the code first.
    """
    chosen = [line for line in found.get("Asked and answered later", ()) if _CHOICE in line]
    commits = found.get("Commits", ())
    told = {line.partition(" ")[2][:_SAME] or line for line in commits}
    said = [
        line
        for line in found.get("Decided and found", ())
        if _is_statement(line) and not any(each in line for each in told)
    ]
    done = " ".join([note.title, *commits, *found.get("Outcome", ())])
    matter = set(terms(done))
    about = {line: len(matter.intersection(terms(line))) for line in said}
    best = sorted(about, key=lambda line: -about[line])[: max(0, _MOST_DECIDED - len(chosen))]
    return _items([*chosen, *(line for line in about if line in best)], most=_MOST_DECIDED)


def _is_statement(line: str) -> bool:
    letters = sum(each.isalpha() or each.isspace() for each in line)
    return letters >= _LEAST_LETTERS * len(line) and len(terms(line)) >= _LEAST_WORDS


def _lines_of(session: DoneSession) -> list[str]:
    turns = f", {session.turns} turns" if session.turns else ""
    when = session.ended[:16].replace("T", " ")
    lines = [f"- **{session.title}** ({when}, {session.machine}{turns})"]
    for label, items in (
        ("done", (session.outcome,) if session.outcome else ()),
        ("committed", session.committed),
        ("decided", session.decided),
        ("result", session.results),
        ("open", session.open),
    ):
        lines += [f"  - {label}: {item}" for item in items]
    return lines


def _items(lines: Sequence[str], *, most: int = _MOST_ITEMS) -> tuple[str, ...]:
    short = [
        line if len(line) <= _LONGEST_ITEM else f"{line[:_LONGEST_ITEM].rsplit(' ', 1)[0]} …"
        for line in lines[:most]
    ]
    return tuple(short)


def _turns(store: MemoryStore, *, since: str) -> dict[str, int]:
    """How long the sessions of this machine were, by their notes."""
    session_filter = archive.SessionFilter(since=since)
    return {
        row.note: row.turns for row in archive.list_sessions(store.home, session_filter, limit=1000)
    }


def _start(text: str) -> str:
    return datetime.fromtimestamp(moment(text), UTC).isoformat(timespec="seconds")
