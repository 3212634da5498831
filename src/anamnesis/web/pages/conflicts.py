"""Notes that were edited on two machines: both versions, and choosing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoteChangedOnDisk
from anamnesis.notes.fields import EDITED
from anamnesis.notes.frontmatter import note_in, serialize
from anamnesis.operations.notes.draft import draft_of, revised
from anamnesis.operations.notes.edit import checked
from anamnesis.operations.travel import compose, conflicts
from anamnesis.web import differences, markdown
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages.note import draft_from, field_text

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.operations.travel.conflicts import Sides
    from anamnesis.web.visit import Visit

_LABELS = {**EDITED, "extra": "Other keys"}
_LOOKING = ("preview", "edit")  # what changes nothing yet
_BY_HAND = ("edit", "edited")


def show(visit: Visit) -> Response:
    """All held notes."""
    held = [(sides, note_in(sides.conflict.theirs)) for sides in conflicts.held(visit.store)]
    return visit.page("conflicts.html", held=held)


def one(visit: Visit) -> Response:
    """One held note: what differs, per field and per part of the text."""
    return _shown(visit, conflicts.find(visit.store, visit.named("id")))


def resolve(visit: Visit) -> Response:
    """Settle it: one version, both, what was picked, or the text that the person made."""
    sides = conflicts.find(visit.store, visit.named("id"))
    choice = visit.value("choice")
    if choice in _LOOKING:
        return _shown(visit, sides)
    try:
        notice = _settle(visit, sides, choice)
    except AnamnesisError as error:
        if choice != "edited":
            raise
        return _shown(visit, sides, error=error)  # with what the person made of both
    visit.dashboard.recorder.soon()
    text = " ".join(filter(None, ("Settled. The next sync sends it.", notice)))
    return visit.go("/conflicts", Notice(text, tone="trouble" if notice else "done"))


def _settle(visit: Visit, sides: Sides, choice: str) -> str:
    """Resolve the conflict; says what the person must know of the note that they made."""
    notice = ""
    if choice not in ("picked", "edited"):
        conflicts.resolve(visit.store, sides.conflict.id, choice)
        return notice
    if visit.value("seal") != compose.seal(sides):
        raise NoteChangedOnDisk(sides.conflict.path)
    found = compose.composition(sides, visit.fields)
    if found is None:
        raise InvalidInput("Only whole versions can be chosen here.")
    note = found.note()
    if choice == "edited":
        after = revised(note, draft_from(visit))
        allowed, notice = checked(visit.store, note, after, face="dashboard")
        note = replace(allowed, updated_at=utcnow())
    conflicts.resolve_with(visit.store, sides.conflict.id, serialize(note))
    return notice


def _shown(visit: Visit, sides: Sides, *, error: AnamnesisError | None = None) -> Response:
    found = compose.composition(sides, visit.fields)
    if found is None:
        texts = (_text(sides.mine), _text(sides.conflict.theirs))
        title = note_in(sides.conflict.theirs) or note_in(sides.mine or b"")
        return visit.page(
            "conflict_unreadable.html", sides=sides, note=title, lines=differences.lines(*texts)
        )
    note = found.note()
    draft = draft_from(visit) if error else draft_of(note)
    return visit.page(
        "conflict_edit.html" if visit.value("choice") in _BY_HAND else "conflict.html",
        status=409 if error else 200,
        error=error,
        draft=draft,
        sides=sides,
        found=found,
        seal=compose.seal(sides),
        labels=_LABELS,
        side_by_side=differences.side_by_side,
        note=note,
        fields=[(name, field_text(draft, name)) for name in EDITED],
        html=markdown.rendered(note.body),
        previewed=visit.value("choice") == "preview",
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
