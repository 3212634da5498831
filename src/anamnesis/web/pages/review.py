"""The review of notes that a model or an import proposed: each beside what it would replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from anamnesis.ground.counting import counting, passes
from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.notes.fields import is_valid_id
from anamnesis.operations.curate import review
from anamnesis.operations.notes.list import PENDING
from anamnesis.web import differences, markdown
from anamnesis.web.dashboard import notice_of
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.curate.review import Pending
    from anamnesis.web.dashboard import Notice
    from anamnesis.web.request import Visit

QUEUE = 40  # notes on one page
_DEEPEST = 1_000_000
DECISIONS = {"keep": "kept", "reject": "rejected"}
_BULK_DECISIONS = {
    "keep-all": "keep",
    "reject-all": "reject",
    "keep-session": "keep",
    "reject-session": "reject",
}


@dataclass(frozen=True, slots=True)
class ComparedNote:
    """A note to compare with the one in review, and the diff of the two."""

    note: Memory
    lines: Sequence[differences.DiffLine]


@dataclass(frozen=True, slots=True)
class NoteInReview:
    """The note in review, and the notes to compare it with."""

    note: Memory
    hash: str
    html: Markup
    replaces: tuple[ComparedNote, ...]
    similar: tuple[ComparedNote, ...]
    warning: str  # why it is not injected


def show(visit: Visit) -> Response:
    """The queue, and the note in review."""
    project, origin = visit.parameter("project"), visit.parameter("origin")
    pending = review.pending(visit.store)
    notes = _filtered(pending, project=project, origin=origin)
    offset = visit.number("offset", 0, most=_DEEPEST)
    queue = notes[offset : offset + QUEUE]
    read = _to_review(visit, visit.parameter("note")) or _first_to_review(visit, queue)
    after = _id_after(queue, read.note.id) if read else ""
    ids = [note.id for note in notes]
    return visit.page(
        "review.html",
        queue=queue,
        total=len(notes),
        place=ids.index(read.note.id) + 1 if read and read.note.id in ids else 0,
        together=len(review.of_one_session(visit.store, read.note)) if read else 0,
        offset=offset,
        page_size=QUEUE,
        project=project,
        projects=sorted({note.project for note in pending}),
        origin=origin,
        origins=sorted({note.origin for note in pending if note.origin}),
        current=_in_review(visit, read) if read else None,
        after=after,
        skip=address(project=project, origin=origin, note=after),
    )


def decide(visit: Visit) -> Response:
    """Keep or reject the note in review and go to the next, or decide many at once."""
    project, origin = visit.value("project"), visit.value("origin")
    if visit.value("decision") in _BULK_DECISIONS:
        return background.change(
            visit,
            "Reviewing notes",
            lambda progress: _decide_together(
                visit, project=project, origin=origin, progress=progress
            ),
            back="/review",
        )
    note_id, expected_hash = visit.value("id"), visit.value("hash")
    read = _to_review(visit, note_id)
    if read is None:
        raise InvalidInput("This note is no longer to review.", hint="Go back to the queue.")
    if expected_hash and expected_hash != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    decision = visit.value("decision")
    notice = apply_decision(visit, decision, [note_id])
    following = address(project=project, origin=origin, note=visit.value("next"))
    return visit.redirect(
        visit.return_address(following) if decision == "keep" else following, notice
    )


def _decide_together(visit: Visit, *, project: str, origin: str, progress: Progress) -> Notice:
    """Keep or reject all notes of the queue, or of one session."""
    decision = visit.value("decision")
    if decision.endswith("-session"):
        read = _to_review(visit, visit.value("id"))
        notes = review.of_one_session(visit.store, read.note) if read else []
        ids = [note.id for note in notes]
        return apply_decision(visit, _BULK_DECISIONS[decision], ids, progress=progress)
    notes = _filtered(review.pending(visit.store), project=project, origin=origin)
    ids = [note.id for note in notes]
    return apply_decision(visit, _BULK_DECISIONS[decision], ids, progress=progress)


def apply_decision(
    visit: Visit, decision: str, ids: Sequence[NoteId], *, progress: Progress = None
) -> Notice:
    """Keep or reject notes; the notice says how many, and can be undone."""
    if decision not in DECISIONS:
        raise InvalidInput(f"{decision[:40]!r} is not one of: {', '.join(DECISIONS)}.")
    reading, changing = passes(progress, 2, total=len(ids))
    ids = [note_id for note_id in counting(ids, reading) if _to_review(visit, note_id)]
    decide = review.keep if decision == "keep" else review.reject
    unit = decide(visit.store, ids, progress=changing)
    visit.dashboard.recorder.schedule()
    return notice_of(unit, f"{plural(len(ids), 'note')} {DECISIONS[decision]}.")


def address(*, project: str = "", origin: str = "", note: str = "") -> str:
    """The address of the queue, optionally of a project or origin and at a note."""
    parameters = {"project": project, "origin": origin, "note": note if is_valid_id(note) else ""}
    query = urlencode({name: value for name, value in parameters.items() if value})
    return f"/review?{query}" if query else "/review"


def _filtered(notes: Sequence[Memory], *, project: str, origin: str) -> list[Memory]:
    return [
        note
        for note in notes
        if (not project or note.project == project) and (not origin or note.origin == origin)
    ]


def _to_review(visit: Visit, note_id: str) -> ReadNote | None:
    """A note by its id, if it is still to review."""
    read = visit.read(note_id)
    return read if read is not None and PENDING in read.note.tags else None


def _first_to_review(visit: Visit, queue: Sequence[Memory]) -> ReadNote | None:
    return next(filter(None, (_to_review(visit, note.id) for note in queue)), None)


def _id_after(queue: Sequence[Memory], note_id: str) -> str:
    """The id of the next note; at the end of the queue, of the first one."""
    ids = [note.id for note in queue]
    at = ids.index(note_id) + 1 if note_id in ids else 0
    return next((other for other in (*ids[at:], *ids) if other != note_id), "")


def _in_review(visit: Visit, read: ReadNote) -> NoteInReview:
    pending = review.beside_others(visit.store, read.note.id)
    return NoteInReview(
        note=pending.note,
        hash=read.hash,
        html=markdown.render(pending.note.body),
        replaces=_compared(pending, pending.replaces),
        similar=_compared(pending, pending.similar),
        warning=pending.warning,
    )


def _compared(pending: Pending, notes: Sequence[Memory]) -> tuple[ComparedNote, ...]:
    body = pending.note.body
    return tuple(ComparedNote(note, differences.lines(note.body, body)) for note in notes)
