"""Receipts: which notes a session was given, why, and how much room they took."""

from __future__ import annotations

from anamnesis.ground import clock
from anamnesis.ground.records import record
from anamnesis.hooks import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from anamnesis.config import Home

_LIMIT = 1024 * 1024
# After these the client has forgotten what it was given before.
_FORGETTING = frozenset({"startup", "clear", "compact", "fork", "new"})


@record
class GivenNote:
    """One note of a receipt."""

    id: str
    why: str
    units: int
    whole: bool  # False: only its title was listed


def write(
    home: Home,
    *,
    event: str,
    session: str,
    project: str,
    source: str,
    given: Sequence[GivenNote],
    units: int,
) -> None:
    """Keep a receipt of an injection or of a recall."""
    notes = [
        {"id": note.id, "why": note.why, "units": note.units, "whole": note.whole} for note in given
    ]
    entry = {
        "at": clock.utcnow(), "event": event, "session": session, "project": project,
        "source": source, "units": units, "notes": notes,
    }  # fmt: skip
    runs.append_line(home.receipts, entry, limit=_LIMIT)


def latest(home: Home) -> Iterator[dict[str, Any]]:
    """All receipts, newest first; other lines are skipped."""
    return filter(is_whole, runs.latest_lines(home.receipts, whole=True))


def is_whole(entry: dict[str, Any]) -> bool:
    """Whether a line is a complete receipt: a file can be damaged."""
    texts, notes = ("at", "event", "session", "project"), entry.get("notes")
    return (
        all(isinstance(entry.get(name), str) for name in texts)
        and isinstance(entry.get("units"), int)
        and isinstance(notes, list)
        and all(isinstance(note, dict) and isinstance(note.get("id"), str) for note in notes)
    )


def already_given(home: Home, session: str) -> set[str]:
    """The ids of the notes that are still completely in this session's context."""
    ids: set[str] = set()
    if not session:
        return ids
    for entry in filter(is_whole, runs.latest_lines(home.receipts, containing=session)):
        if entry["session"] != session:
            continue
        ids.update(note["id"] for note in entry["notes"] if note.get("whole"))
        if entry.get("event") == "inject" and entry.get("source") in _FORGETTING:
            break
    return ids


def was_given(home: Home, session: str, *, event: str, source: str) -> bool:
    """Whether a session has a receipt of this event about this source."""
    if not session:
        return False
    entries = runs.latest_lines(home.receipts, containing=session)
    asked = {"session": session, "event": event, "source": source}
    return any(all(entry.get(key) == value for key, value in asked.items()) for entry in entries)


def of_session(home: Home, session: str) -> Iterator[dict[str, Any]]:
    """The receipts of a session, newest first."""
    entries = runs.latest_lines(home.receipts, containing=session, whole=True) if session else ()
    return (entry for entry in filter(is_whole, entries) if entry["session"] == session)


def given_at(home: Home, session: str, *, event: str) -> set[str]:
    """The ids of the notes that a session was given at such events, whole or not."""
    entries = filter(is_whole, runs.latest_lines(home.receipts, containing=session))
    return {
        str(note["id"])
        for entry in entries
        if entry["session"] == session and entry["event"] == event
        for note in entry["notes"]
    }


def forked_at(home: Home, session: str) -> str:
    """When a session was forked from another one; empty if it was not or that is unknown."""
    for entry in runs.latest_lines(home.receipts, containing=session, whole=True):
        if entry.get("session") == session and entry.get("source") == "fork":
            return str(entry.get("at", ""))
    return ""
