"""Notes that a model or an import proposed: each beside what it would replace, kept or rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from anamnesis.ground.counting import counting, passes
from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.notes.fields import is_valid_id
from anamnesis.operations.curate import review
from anamnesis.operations.notes.list import PENDING
from anamnesis.operations.notes.search import warnings
from anamnesis.web import differences, markdown
from anamnesis.web.dashboard import notice_of
from anamnesis.web.pages import work
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.curate.review import Pending
    from anamnesis.web.dashboard import Notice
    from anamnesis.web.visit import Visit

QUEUE = 40
_DEEPEST = 1_000_000
DECISIONS = {"keep": "kept", "reject": "rejected"}
_OF_MANY = {
    "keep-all": "keep",
    "reject-all": "reject",
    "keep-session": "keep",
    "reject-session": "reject",
}


@dataclass(frozen=True, slots=True)
class NoteBeside:
    """A note beside the one in review, and how the two differ."""

    note: Memory
    lines: Sequence[differences.DiffLine]


@dataclass(frozen=True, slots=True)
class NoteInReview:
    """The note that is in review now, and the notes beside it."""

    note: Memory
    hash: str
    html: Markup
    replaces: tuple[NoteBeside, ...]
    similar: tuple[NoteBeside, ...]
    warning: str  # why no agent is given it unasked


def show(visit: Visit) -> Response:
    """The queue, and the note of it that is in review."""
    project, origin = visit.parameter("project"), visit.parameter("origin")
    every = review.pending(visit.store)
    shown = _of(every, project=project, origin=origin)
    offset = visit.number("offset", 0, most=_DEEPEST)
    queue = shown[offset : offset + QUEUE]
    read = _to_review(visit, visit.parameter("note")) or _first(visit, queue)
    after = _after(queue, read.note.id) if read else ""
    ids = [note.id for note in shown]
    return visit.page(
        "review.html",
        queue=queue,
        total=len(shown),
        clean=len(review.without_findings(visit.store, shown)),
        place=ids.index(read.note.id) + 1 if read and read.note.id in ids else 0,
        together=len(review.of_one_session(visit.store, read.note)) if read else 0,
        offset=offset,
        page_size=QUEUE,
        project=project,
        projects=sorted({note.project for note in every}),
        origin=origin,
        origins=sorted({note.origin for note in every if note.origin}),
        current=_in_review(visit, read) if read else None,
        after=after,
        skip=address(project=project, origin=origin, note=after),
    )


def decide(visit: Visit) -> Response:
    """Keep or reject the note in review, and go on with the next; or many at once."""
    project, origin = visit.value("project"), visit.value("origin")
    if visit.value("decision") in _OF_MANY:
        return work.change(
            visit,
            "Deciding on the notes to review",
            lambda progress: _decided_together(
                visit, project=project, origin=origin, progress=progress
            ),
            back="/review",
        )
    note_id, expected_hash = visit.value("id"), visit.value("hash")
    read = _to_review(visit, note_id)
    if read is None:
        raise InvalidInput("This note is no longer to review.", hint="See the others.")
    if expected_hash and expected_hash != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    decision = visit.value("decision")
    notice = decided(visit, decision, [note_id])
    following = address(project=project, origin=origin, note=visit.value("next"))
    return visit.go(visit.back(following) if decision == "keep" else following, notice)


def _decided_together(visit: Visit, *, project: str, origin: str, progress: Progress) -> Notice:
    """Keep all that are shown, or of one session, and have no finding; or reject them."""
    decision = visit.value("decision")
    if decision.endswith("-session"):
        read = _to_review(visit, visit.value("id"))
        found = review.of_one_session(visit.store, read.note) if read else []
        ids = [note.id for note in found]
        return decided(visit, _OF_MANY[decision], ids, progress=progress)
    shown = _of(review.pending(visit.store), project=project, origin=origin)
    ids = [note.id for note in review.without_findings(visit.store, shown)]
    return decided(visit, _OF_MANY[decision], ids, progress=progress)


def decided(
    visit: Visit, decision: str, ids: Sequence[NoteId], *, progress: Progress = None
) -> Notice:
    """Keep or reject notes; says how many, and how to undo it."""
    if decision not in DECISIONS:
        raise InvalidInput(f"{decision[:40]!r} is neither keep nor reject.")
    looked, changed = passes(progress, 2, total=len(ids))
    ids = [note_id for note_id in counting(ids, looked) if _to_review(visit, note_id)]
    decide = review.keep if decision == "keep" else review.reject
    unit = decide(visit.store, ids, progress=changed)
    visit.dashboard.recorder.soon()
    return notice_of(unit, f"{plural(len(ids), 'note')} {DECISIONS[decision]}.")


def address(*, project: str = "", origin: str = "", note: str = "") -> str:
    """The queue (of a project or an origin), at a note."""
    asked = {"project": project, "origin": origin, "note": note if is_valid_id(note) else ""}
    kept = urlencode({name: value for name, value in asked.items() if value})
    return f"/review?{kept}" if kept else "/review"


def _of(notes: Sequence[Memory], *, project: str, origin: str) -> list[Memory]:
    return [
        note
        for note in notes
        if (not project or note.project == project) and (not origin or note.origin == origin)
    ]


def _to_review(visit: Visit, note_id: str) -> ReadNote | None:
    """A note, if it still is to review."""
    read = visit.read(note_id)
    if read is None or PENDING in read.note.tags or warnings(visit.store, [read.note]):
        return read
    return None


def _first(visit: Visit, queue: Sequence[Memory]) -> ReadNote | None:
    return next(filter(None, (_to_review(visit, note.id) for note in queue)), None)


def _after(queue: Sequence[Memory], note_id: str) -> str:
    """The note that comes next; at the end of the queue, the first one."""
    ids = [note.id for note in queue]
    at = ids.index(note_id) + 1 if note_id in ids else 0
    return next((other for other in (*ids[at:], *ids) if other != note_id), "")


def _in_review(visit: Visit, read: ReadNote) -> NoteInReview:
    pending = review.beside_others(visit.store, read.note.id)
    return NoteInReview(
        note=pending.note,
        hash=read.hash,
        html=markdown.rendered(pending.note.body),
        replaces=_beside(pending, pending.replaces),
        similar=_beside(pending, pending.similar),
        warning=pending.warning,
    )


def _beside(pending: Pending, notes: Sequence[Memory]) -> tuple[NoteBeside, ...]:
    own = pending.note.body
    return tuple(NoteBeside(note, differences.lines(note.body, own)) for note in notes)
