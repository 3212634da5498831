"""Notes that were edited on two machines: both versions, and resolving the conflict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoteChangedOnDisk
from anamnesis.notes.fields import EDITED
from anamnesis.notes.frontmatter import note_in, serialize
from anamnesis.operations.notes.edit import checked
from anamnesis.operations.notes.policy import draft_of, revised
from anamnesis.operations.travel import conflicts
from anamnesis.web import differences, markdown
from anamnesis.web.dashboard import notice_of
from anamnesis.web.formatting import plural
from anamnesis.web.pages import background
from anamnesis.web.pages.note import draft_from, field_text

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.ground.counting import Progress
    from anamnesis.operations.notes.undo import Unit
    from anamnesis.operations.travel.conflicts import Sides
    from anamnesis.web.dashboard import Notice
    from anamnesis.web.request import Visit

_LABELS = {**EDITED, "extra": "Other keys"}
_READ_ONLY = ("preview", "edit")  # choices that change nothing yet
_BY_HAND = ("edit", "edited")


def show(visit: Visit) -> Response:
    """All conflicts."""
    held = [(each, note_in(each.conflict.theirs)) for each in conflicts.held(visit.store)]
    seals = [f"{sides.conflict.id} {conflicts.seal(sides)}" for sides, _ in held]
    return visit.page("conflicts.html", held=held, seals=seals)


def show_one(visit: Visit) -> Response:
    """One conflict: the differences, by field and by part of the text."""
    return _conflict_page(visit, conflicts.find(visit.store, visit.path_part("id")))


def resolve(visit: Visit) -> Response:
    """Resolve a conflict: with one version, both, the picked parts, or an edited text."""
    sides = conflicts.find(visit.store, visit.path_part("id"))
    choice = visit.value("choice")
    if choice in _READ_ONLY:
        return _conflict_page(visit, sides)
    try:
        unit, notice = _resolve(visit, sides, choice)
    except AnamnesisError as error:
        if choice != "edited":
            raise
        return _conflict_page(visit, sides, error=error)  # keeps the edited text
    visit.dashboard.recorder.schedule()
    remaining = conflicts.held(visit.store)
    count = f"{plural(len(remaining), 'conflict')} left." if remaining else "No conflicts left."
    text = " ".join(filter(None, ("Resolved. The next sync sends it.", count, notice)))
    following = f"/conflicts/{remaining[0].conflict.id}" if remaining else "/conflicts"
    return visit.redirect(following, notice_of(unit, text, tone="trouble" if notice else "done"))


def resolve_all(visit: Visit) -> Response:
    """Resolve all listed conflicts with this machine's versions, or with the others'."""
    choice, seals = visit.value("choice"), visit.values("id")
    unchanged = [
        sides
        for sides in conflicts.held(visit.store)
        if f"{sides.conflict.id} {conflicts.seal(sides)}" in seals
    ]
    side = "this machine's version" if choice == "mine" else "the other version"
    text = f"Took {side} of {plural(len(unchanged), 'note')}. The next sync sends it."

    def carry_out(progress: Progress) -> Notice:
        result = conflicts.resolve_all(visit.store, unchanged, choice, progress=progress)
        return notice_of(result.unit, text)

    title = f"Resolving {plural(len(unchanged), 'conflict')}"
    return background.change(visit, title, carry_out, back="/conflicts")


def _resolve(visit: Visit, sides: Sides, choice: str) -> tuple[Unit | None, str]:
    """Resolve the conflict; returns the change, and a notice about the resulting note."""
    notice = ""
    if choice not in ("picked", "edited"):
        return conflicts.resolve(visit.store, sides.conflict.id, choice).unit, notice
    if visit.value("seal") != conflicts.seal(sides):
        raise NoteChangedOnDisk(sides.conflict.path)
    composed = conflicts.composition(sides, visit.fields)
    if composed is None:
        raise InvalidInput("Parts cannot be picked here: choose one version.")
    note = composed.note()
    if choice == "edited":
        after = revised(note, draft_from(visit))
        checked_note, notice = checked(visit.store, note, after, face="dashboard")
        note = replace(checked_note, updated_at=utcnow())
    result = conflicts.resolve_with(visit.store, sides.conflict.id, serialize(note))
    return result.unit, notice


def _conflict_page(visit: Visit, sides: Sides, *, error: AnamnesisError | None = None) -> Response:
    composed = conflicts.composition(sides, visit.fields)
    if composed is None:
        texts = (_text(sides.mine), _text(sides.theirs))
        note = note_in(sides.conflict.theirs) or note_in(sides.mine or b"")
        return visit.page(
            "conflict_unreadable.html", sides=sides, note=note, lines=differences.lines(*texts)
        )
    note = composed.note()
    draft = draft_from(visit) if error else draft_of(note)
    return visit.page(
        "conflict_edit.html" if visit.value("choice") in _BY_HAND else "conflict.html",
        status=409 if error else 200,
        error=error,
        draft=draft,
        sides=sides,
        composed=composed,
        seal=conflicts.seal(sides),
        labels=_LABELS,
        side_by_side=differences.side_by_side,
        note=note,
        fields=[(name, field_text(draft, name)) for name in EDITED],
        html=markdown.render(note.body),
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
