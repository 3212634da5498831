"""Tool answers as short texts, for clients that show models no structured content."""

from __future__ import annotations

from anamnesis.ground.counting import counted
from anamnesis.ground.records import fresh, record
from anamnesis.operations.notes.show import NOTE_URI, note_dict
from anamnesis.text.display import displayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from anamnesis.ground.errors import AnamnesisError
    from anamnesis.notes.fields import Memory
    from anamnesis.operations.notes.search import SearchHit
    from anamnesis.operations.sessions.archive import Passage

SESSION_URI = "memory://session/"
BODY_LIMIT = 4_000  # characters of one body: enough for nearly every note, not for a pasted log
ANSWER_LIMIT = 32_000  # characters of all bodies of one answer: eight at their limit
WHOLE_LIMIT = 40_000  # a note asked for by its id; Claude Code moves 50,000 and more to a file
# Characters of a body beside others, the best first: a session's note says many things, and the
# one that was asked for is seldom in three lines of it. One hit alone is given as it is.
_EXCERPTS = (6_000, 2_000, 800, 800)  # the first is all of a session's note
_EXCERPT = 300  # of the others
_HELD = "(to review)"  # instead of a title that no one has reviewed


@record
class ToolAnswer:
    """The answer of a tool: a text to read, and the same as data in the documented shape."""

    text: str
    structured: dict[str, Any] = fresh(default_factory=dict)
    is_error: bool = False


def inert(answer: ToolAnswer) -> ToolAnswer:
    """An answer whose characters neither act nor hide, whatever the notes in it say."""
    return ToolAnswer(displayed(answer.text), _displayed(answer.structured), answer.is_error)


def _displayed(value: Any) -> Any:
    if isinstance(value, str):
        return displayed(value)
    if isinstance(value, dict):
        return {key: _displayed(each) for key, each in value.items()}
    return [_displayed(each) for each in value] if isinstance(value, list) else value


def memory_dict(note: Memory, *, include_body: bool) -> dict[str, object]:
    """A note as the tools return it; search includes the body, list does not."""
    return note_dict(note, body=include_body, for_tools=True)


def listed(note: Memory, warning: str) -> dict[str, object]:
    """A note as a list gives it; of one with a warning none of its words: no one asked."""
    fields = memory_dict(note, include_body=False)
    if not warning:
        return fields
    return {**fields, "title": _HELD, "tags": [], "warning": warning}


def with_body_up_to(limit: int, note: Memory) -> dict[str, object]:
    """A note with its body cut at a limit, and a hint how to read the rest."""
    fields = memory_dict(note, include_body=True)
    if len(note.body) > limit:
        by_query = f'memory_search with query "{note.id}", or ' if limit < WHOLE_LIMIT else ""
        fields["body"] = (
            f"{note.body[:limit]}\n[cut here: the note has {len(note.body)} characters; "
            f"whole note: {by_query}resource {NOTE_URI}{note.id}]"
        )
    return fields


def only_set(**fields: str) -> dict[str, object]:
    """The fields that say something; tools leave out what they do not have."""
    return {name: value for name, value in fields.items() if value}


def refusal(error: AnamnesisError) -> ToolAnswer:
    """Why nothing was done, and what to do instead."""
    return ToolAnswer(" ".join(filter(None, (error.message, error.hint))), is_error=True)


def search_results(
    notes: Sequence[Mapping[str, Any]],
    *,
    matched: Sequence[SearchHit] = (),
    more: int = 0,
    most: int = 0,
) -> str:
    """Search results: whole if there is one, otherwise what matched, and how many more there are.

    At most `most` further ones were searched for.
    """
    if not notes:
        return "No note matches. Try other words, or leave out project, type and scope."
    limits = [None] if len(notes) == 1 else [*_EXCERPTS, *[_EXCERPT] * len(notes)]
    hits = {hit.note.id: hit for hit in matched}
    parts = [
        f"{_heading(note)}\n{_excerpt(note, limit, hits.get(note['id']))}"
        for note, limit in zip(notes, limits, strict=False)
    ]
    if more:
        those = f"{more} or more" if more == most else str(more)
        parts.append(f"[{those} further notes match: raise k, or ask in other words]")
    return "\n\n".join(parts)


def transcripts(passages: Sequence[Passage]) -> list[str]:
    """Passages of sessions, marked as what they are."""
    if not passages:
        return []
    heading = "From transcripts of sessions on this machine (what was said and run, not notes):"
    return [
        heading,
        *(
            f"[session {each.session.id} turn {each.number} | {each.who} | {each.at[:10]} | "
            f"{each.session.project} | read on: resource {SESSION_URI}{each.session.id}"
            f"/{each.number}]\n{each.text}"
            for each in passages
        ),
    ]


def passage_dict(passage: Passage) -> dict[str, object]:
    """A passage of a session as the tools give it."""
    return {
        "session": passage.session.id,
        "turn": passage.number,
        "who": passage.who,
        "at": passage.at,
        "project": passage.session.project,
        "failed": passage.failed,
        "text": passage.text,
    }


def note_list(notes: Sequence[Mapping[str, Any]], notice: str) -> str:
    """One line for each note."""
    lines = [
        f"{note['id']}  {note['type']}  {str(note['updated_at'])[:10]}  {note['project']}  "
        f"{_one_line(note['title'])}"
        for note in notes
    ]
    return "\n".join([*lines, notice] if notice else lines) or "There are no such notes."


def written_note(note: Mapping[str, Any]) -> str:
    """What was stored."""
    place = f"{note['id']} ({note['type']}, {note['project']}, {note['scope']})"
    return " ".join(filter(None, (note.get("notice"), f"It is stored as {place}.")))


def status(report: Mapping[str, Any]) -> str:
    """The state of the store in two lines, and a line for each finding."""
    types = ", ".join(f"{number} {type}" for type, number in report["by_type"].items())
    sync = report["sync"]
    remote = sync["remote"] or "no remote"
    lines = [
        f"{counted(report['total'], 'note')} ({types}) in {report['root']}."
        if types
        else f"No notes yet in {report['root']}.",
        f"Sync: {sync['detail']} ({remote}{', uncommitted changes' if sync['dirty'] else ''}).",
        *(_finding(finding) for finding in report.get("findings", ())),
    ]
    return "\n".join(lines)


def _finding(finding: Mapping[str, Any]) -> str:
    remedy = f" Run: {finding['remedy']}" if finding["remedy"] else ""
    return f"{finding['severity'].capitalize()}: {finding['name']}: {finding['sentence']}.{remedy}"


def sync_outcome(result: Mapping[str, Any]) -> str:
    """What a sync did, in one line."""
    pushed = "pushed" if result["pushed"] else "nothing pushed"
    conflict = " A note was edited on two machines." if result["conflicted"] else ""
    counts = f"{pushed}, {result['pulled']} pulled, {counted(result['indexed'], 'note')} indexed"
    return f"{result['detail']} ({counts}).{conflict}"


def _heading(note: Mapping[str, Any]) -> str:
    facts = [note["type"], note["project"], str(note["updated_at"])[:10], note["id"]]
    if note.get("origin"):
        facts.append(f"source: {note['origin'].replace(':', ' ', 1)}")
    warning = f"\n{note['warning']}" if note.get("warning") else ""
    return f"## {_one_line(note['title'])}\n[{' | '.join(map(str, facts))}]{warning}"


def _excerpt(note: Mapping[str, Any], limit: int | None, hit: SearchHit | None) -> str:
    body = str(note["body"])
    if limit is None:
        return body
    whole = hit.note.body if hit is not None else body
    if len(whole) <= limit:
        return whole
    part = body[:limit]
    if hit is not None:
        from anamnesis.operations.notes.search import matching_part

        part = matching_part(hit, room=limit)
    return f'{part}\n[a part; whole note: memory_search with query "{note["id"]}"]'


def _one_line(title: object) -> str:
    return " ".join(str(title).split())
