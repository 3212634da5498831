"""Tool answers as short texts, for clients that show models no structured content."""

from __future__ import annotations

from itertools import accumulate

from anamnesis.ground.counting import counted
from anamnesis.ground.records import fresh, record
from anamnesis.notes.source import is_carried
from anamnesis.operations.notes.show import NOTE_URI, note_dict
from anamnesis.text.display import displayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from anamnesis.ground.errors import AnamnesisError
    from anamnesis.notes.fields import Memory
    from anamnesis.operations.sessions.archive import Passage
    from anamnesis.operations.sessions.question import Answer, Chosen

SESSION_URI = "memory://session/"
SEARCH_LIMIT = 4_000  # characters of what a search gives, unless whole notes are asked for
BODY_LIMIT = 4_000  # characters of one body: enough for nearly every note, not for a pasted log
ANSWER_LIMIT = 32_000  # characters of all bodies of one answer: eight at their limit
WHOLE_LIMIT = 40_000  # a note asked for by its id; Claude Code moves 50,000 and more to a file
_TITLE = 80  # characters of a title in a list
_GAP = "…"
_ENOUGH_OF_AN_ID = 13  # characters of a session's: the time in UUIDs of version 7
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
    if is_carried(note):
        fields["origin"] = note.origin
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


def with_part(note: Memory, part: Chosen | None) -> dict[str, object]:
    """A note with the part of its body that answers; whatever is left out is marked."""
    fields = memory_dict(note, include_body=True)
    if part is None or not part.whole:
        mark = (
            f'[cut: {len(note.body)} characters; whole note: memory_search with query "{note.id}"]'
        )
        fields["body"] = f"{part.text}\n{mark}" if part else mark
    return fields


def only_set(**fields: str) -> dict[str, object]:
    """The fields that say something; tools leave out what they do not have."""
    return {name: value for name, value in fields.items() if value}


def refusal(error: AnamnesisError) -> ToolAnswer:
    """Why nothing was done, and what to do instead."""
    return ToolAnswer(" ".join(filter(None, (error.message, error.hint))), is_error=True)


def search_results(notes: Sequence[Mapping[str, Any]], answer: Answer) -> str:
    """What answers a question: passages of notes and of sessions, then titles of other notes."""
    shown = [note for note in notes if answer.whole or note["id"] in answer.parts]
    sections = [f"{_heading(note)}\n{_body(note, answer)}" for note in shown]
    if not notes:
        sections = ["No note matches. Try other words, or leave out project, type and scope."]
    sections += _transcripts(answer.passages)
    if answer.more:
        those = f"{answer.more} or more" if answer.more == answer.most else str(answer.more)
        sections.append(f"[{those} further notes match: raise k, or ask in other words]")
    if not all(part.whole for part in answer.parts.values()):
        sections.append(f"[{_GAP} marks a cut; whole notes: an id as the query, or whole=true]")
    text = "\n\n".join(sections)
    lines = [f"\n- also: {_line(note)}" for note in notes if note not in shown]
    return text + "".join(_fitting(lines, SEARCH_LIMIT - len(text)))


def _fitting(lines: Sequence[str], room: int) -> Sequence[str]:
    sizes = accumulate(map(len, lines))
    return [line for line, size in zip(lines, sizes, strict=True) if size <= room]


def _body(note: Mapping[str, Any], answer: Answer) -> str:
    return str(note["body"]) if answer.whole else answer.parts[note["id"]].text


def _line(note: Mapping[str, Any]) -> str:
    title = _one_line(note["title"])
    cut = title if len(title) <= _TITLE else f"{title[:_TITLE]}{_GAP}"
    return f"{cut} ({str(note['updated_at'])[:10]}, {note['id']})"


def _transcripts(passages: Sequence[Passage]) -> list[str]:
    """Passages of sessions, marked as what they are."""
    if not passages:
        return []
    heading = "From transcripts of sessions on this machine (what was said and run, not notes):"
    return [
        heading,
        *(
            f"[{SESSION_URI}{each.session.id[:_ENOUGH_OF_AN_ID]}/{each.number} | {each.who} | "
            f"{each.at[:10]} | {each.session.project}]\n{each.text}"
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
    lines = [f"\n{note[each]}" for each in ("warning", "before") if note.get(each)]
    return f"## {_one_line(note['title'])}\n[{' | '.join(map(str, facts))}]{''.join(lines)}"


def _one_line(title: object) -> str:
    return " ".join(str(title).split())
