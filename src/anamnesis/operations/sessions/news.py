"""Notes that arrived after a session had started, given with its first prompt."""

from __future__ import annotations

from anamnesis.config import resolve_machine_id
from anamnesis.hooks import receipts, switches
from anamnesis.index.queries import admitted
from anamnesis.inject import clip, plan
from anamnesis.inject.select import ELSEWHERE, LAST, Candidate
from anamnesis.project import GLOBAL, resolve_project_key
from anamnesis.store import IndexBroken, MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.config import Home
    from anamnesis.hooks.payload import Payload
    from anamnesis.notes.fields import Memory, NoteId

_MOST_UNITS = 3_000


def news(home: Home, payload: Payload, ids: Sequence[NoteId], *, project: str | None = None) -> str:
    """The notes of the project and of all projects among these, as text with a receipt."""
    cwd = payload.cwd or "."
    project = project or resolve_project_key(cwd)
    if switches.why_off(home, project=project, cwd=cwd):
        return ""
    known = receipts.already_given(home, payload.session_id)
    try:
        with MemoryStore(home, hurried=True) as store:
            allowed = store.ask(lambda db: admitted(db, ids)) - store.superseded_ids() - known
            found = [store.get(id) for id in ids if id in allowed]
    except IndexBroken:
        return ""
    here = resolve_machine_id()
    notes = [
        note
        for note in found
        if note and note.project in (project, GLOBAL) and note.machine_id != here
    ]
    return _given(home, payload, project, notes) if notes else ""


def _given(home: Home, payload: Payload, project: str, notes: list[Memory]) -> str:
    by_id = {note.id: note for note in notes}
    start = plan.planned(
        [Candidate(note, f"new from {note.machine_id}", _slot(note, notes)) for note in notes],
        read=by_id.get,
        limit=_MOST_UNITS,
        notices=[f"new from {machine}" for machine in dict.fromkeys(n.machine_id for n in notes)],
    )
    given = [
        receipts.GivenNote(
            each.note.id, each.candidate.why, each.units, whole=each.form == plan.WHOLE
        )
        for each in start.entries
        if each.form != plan.OUT
    ]
    receipts.write(
        home,
        event="news",
        session=payload.session_id,
        project=project,
        source="sync",
        given=given,
        units=clip.units(start.text),
    )
    return start.text.strip()


def _slot(note: Memory, notes: list[Memory]) -> str:
    """The slot of a note: the latest session is continued, the rest is news."""
    sessions = [each for each in notes if each.type == "episodic"]
    latest = max(sessions, key=lambda each: each.updated_at, default=None)
    return LAST if note is latest else ELSEWHERE
