"""Answers of the tools as short texts, for clients that show a model no structured content."""

from __future__ import annotations

from anamnesis.ground.counting import counted
from anamnesis.ground.records import fresh, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from anamnesis.ground.errors import AnamnesisError

_EXCERPT = 300  # characters of a body beside others; one hit alone is given as it is


@record
class Answer:
    """What a tool says: a text to read, and the same for programs in the documented shape."""

    text: str
    structured: dict[str, Any] = fresh(default_factory=dict)
    is_error: bool = False


def refusal(error: AnamnesisError) -> Answer:
    """Why nothing was done, and what to do instead."""
    return Answer(" ".join(filter(None, (error.message, error.hint))), is_error=True)


def found(notes: Sequence[Mapping[str, Any]]) -> str:
    """Search results: whole if there is one, otherwise the beginnings."""
    if not notes:
        return "No note matches. Try other words, or leave out project, type and scope."
    limit = _EXCERPT if len(notes) > 1 else None
    return "\n\n".join(f"{_heading(note)}\n{_excerpt(note, limit)}" for note in notes)


def listed(notes: Sequence[Mapping[str, Any]], notice: str) -> str:
    """One line for each note."""
    lines = [
        f"{note['id']}  {note['type']}  {str(note['updated_at'])[:10]}  {note['project']}  "
        f"{_one_line(note['title'])}"
        for note in notes
    ]
    return "\n".join([*lines, notice] if notice else lines) or "There are no such notes."


def written(note: Mapping[str, Any]) -> str:
    """What was stored."""
    place = f"{note['id']} ({note['type']}, {note['project']}, {note['scope']})"
    return " ".join(filter(None, (note.get("notice"), f"It is stored as {place}.")))


def status(report: Mapping[str, Any]) -> str:
    """The state of the store in two lines."""
    types = ", ".join(f"{number} {type}" for type, number in report["by_type"].items())
    sync = report["sync"]
    remote = sync["remote"] or "no remote"
    lines = [
        f"{counted(report['total'], 'note')} ({types}) in {report['root']}."
        if types
        else f"No notes yet in {report['root']}.",
        f"Sync: {sync['detail']} ({remote}{', uncommitted changes' if sync['dirty'] else ''}).",
        *(f"Needs a person: {problem}" for problem in report.get("unreadable", ())),
        *([report["degraded"]] if report.get("degraded") else []),
    ]
    return "\n".join(lines)


def synced(result: Mapping[str, Any]) -> str:
    """What a sync did, in one line."""
    pushed = "pushed" if result["pushed"] else "nothing pushed"
    conflict = " A note was edited on two machines." if result["conflicted"] else ""
    counts = f"{pushed}, {result['pulled']} pulled, {counted(result['indexed'], 'note')} indexed"
    return f"{result['detail']} ({counts}).{conflict}"


def _heading(note: Mapping[str, Any]) -> str:
    facts = (note["type"], note["project"], str(note["updated_at"])[:10], note["id"])
    return f"## {_one_line(note['title'])}\n[{' | '.join(map(str, facts))}]"


def _excerpt(note: Mapping[str, Any], limit: int | None) -> str:
    body = str(note["body"])
    if limit is None or len(body) <= limit:
        return body
    return f'{body[:limit]}\n[cut here; whole note: memory_search with query "{note["id"]}"]'


def _one_line(title: object) -> str:
    return " ".join(str(title).split())
