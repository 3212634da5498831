"""Notes that a model or an import proposed: each beside what it would replace, kept or rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.index.browse import NoteFilter
from anamnesis.index.curation import PENDING
from anamnesis.notes.ids import is_valid_id
from anamnesis.operations.curate import review
from anamnesis.operations.notes.list import list_notes
from anamnesis.web import differences, markdown
from anamnesis.web.dashboard import notice_of
from anamnesis.web.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from starlette.responses import Response

    from anamnesis.index.browse import Row
    from anamnesis.notes.note import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.curate.review import Pending
    from anamnesis.web.dashboard import Notice
    from anamnesis.web.visit import Visit

QUEUE = 40
_DEEPEST = 1_000_000
DECISIONS = {"keep": "kept", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Other:
    """A note beside the one that waits, and how the two differ."""

    note: Memory
    lines: Sequence[differences.Line]


@dataclass(frozen=True, slots=True)
class Looked:
    """The note that is looked at."""

    note: Memory
    hash: str
    html: Markup
    replaces: tuple[Other, ...]
    similar: tuple[Other, ...]


def show(visit: Visit) -> Response:
    """The queue, and the note of it that is looked at."""
    shown = NoteFilter(review=PENDING, project=visit.asked("project"))
    offset = visit.asked_number("offset", 0, most=_DEEPEST)
    queue = list_notes(visit.store, shown, order="oldest", limit=QUEUE, offset=offset).rows
    found = _waiting(visit, visit.asked("note")) or _first(visit, queue)
    after = _after(queue, found.note.id) if found else ""
    return visit.page(
        "review.html",
        queue=queue,
        total=visit.dashboard.counts.total(shown),
        offset=offset,
        page_size=QUEUE,
        project=shown.project,
        projects=visit.dashboard.counts.values("project", NoteFilter(review=PENDING)),
        looked=_looked(visit, found) if found else None,
        after=after,
        skip=address(project=shown.project, note=after),
    )


def decide(visit: Visit) -> Response:
    """Keep or reject the note that was looked at, and go on with the next."""
    note_id, wanted = visit.value("id"), visit.value("hash")
    found = _waiting(visit, note_id)
    if found is None:
        raise InvalidInput("This note does not wait for a look any more.", hint="See the others.")
    if wanted and wanted != found.hash:
        raise NoteChangedOnDisk(f"{found.note.id}.md")
    decision = visit.value("decision")
    notice = decided(visit, decision, [note_id])
    following = address(project=visit.value("project"), note=visit.value("next"))
    return visit.go(visit.back(following) if decision == "keep" else following, notice)


def decided(visit: Visit, decision: str, ids: Sequence[str]) -> Notice:
    """Keep or reject notes; says how many, and how to take it back."""
    if decision not in DECISIONS:
        raise InvalidInput(f"{decision[:40]!r} is neither keep nor reject.")
    ids = [note_id for note_id in ids if _waiting(visit, note_id)]  # others are not ours to reject
    unit = (review.keep if decision == "keep" else review.reject)(visit.store, ids)
    visit.dashboard.recorder.soon()
    return notice_of(unit, f"{plural(len(ids), 'note')} {DECISIONS[decision]}.")


def address(*, project: str = "", note: str = "") -> str:
    """The queue (of a project), at a note."""
    asked = {"project": project, "note": note if is_valid_id(note) else ""}
    kept = urlencode({name: value for name, value in asked.items() if value})
    return f"/review?{kept}" if kept else "/review"


def _waiting(visit: Visit, note_id: str) -> ReadNote | None:
    """A note, if it still waits for a person."""
    found = visit.read(note_id)
    return found if found is not None and PENDING in found.note.tags else None


def _first(visit: Visit, queue: Sequence[Row]) -> ReadNote | None:
    return next(filter(None, (_waiting(visit, row.note.id) for row in queue)), None)


def _after(queue: Sequence[Row], note_id: str) -> str:
    """The note that comes next; at the end of the queue, the first one."""
    ids = [row.note.id for row in queue]
    at = ids.index(note_id) + 1 if note_id in ids else 0
    return next((other for other in (*ids[at:], *ids) if other != note_id), "")


def _looked(visit: Visit, found: ReadNote) -> Looked:
    beside = review.beside_others(visit.store, found.note.id)
    return Looked(
        note=beside.note,
        hash=found.hash,
        html=markdown.rendered(beside.note.body),
        replaces=_others(beside, beside.replaces),
        similar=_others(beside, beside.similar),
    )


def _others(beside: Pending, notes: Sequence[Memory]) -> tuple[Other, ...]:
    own = beside.note.body
    return tuple(Other(note, differences.lines(note.body, own)) for note in notes)
