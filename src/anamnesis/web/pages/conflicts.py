"""Notes that were edited on two machines: both versions, and choosing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.errors import InvalidInput
from anamnesis.notes.frontmatter import UnreadableNote, deserialize, serialize
from anamnesis.operations import revise, settle
from anamnesis.operations.revise import draft_of
from anamnesis.web import differences
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages.note import FIELDS, draft_from, field_text

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.note import Memory
    from anamnesis.operations.settle import Sides
    from anamnesis.web.visit import Visit


def show(visit: Visit) -> Response:
    """All held notes."""
    held = [(sides, _note(sides.conflict.theirs)) for sides in settle.held(visit.store)]
    return visit.page("conflicts.html", held=held)


def one(visit: Visit) -> Response:
    """One held note: per field, and the text side by side."""
    sides = settle.find(visit.store, visit.named("id"))
    mine, theirs, base = (_note(data) for data in _versions(sides))
    fields = []
    if mine and theirs:
        fields = [
            (name, label, _field(base, name), _field(theirs, name), _field(mine, name))
            for name, label in FIELDS.items()
            if _field(theirs, name) != _field(mine, name)
        ]
    differing = {name for name, *_ in fields}
    return visit.page(
        "conflict.html",
        sides=sides,
        mine=mine,
        theirs=theirs,
        base=base,
        fields=fields,
        same=[(name, _field(mine, name)) for name in FIELDS if name not in differing],
        lines=differences.lines(*(_text(data) for data in _versions(sides)[:2])),
    )


def resolve(visit: Visit) -> Response:
    """Settle it: one version, both, or the text that the person made."""
    sides = settle.find(visit.store, visit.named("id"))
    choice = visit.value("choice")
    if choice == "edited":
        mine = _note(sides.mine) or _note(sides.conflict.theirs)
        if mine is None:
            raise InvalidInput("Neither version can be edited here.")
        note = revise.revised(mine, draft_from(visit))
        settle.resolve_with(visit.store, sides.conflict.id, serialize(note))
    else:
        settle.resolve(visit.store, sides.conflict.id, choice)
    visit.dashboard.recorder.soon()
    return visit.go("/conflicts", Notice("Settled. The next sync sends it."))


def _versions(sides: Sides) -> tuple[bytes | None, bytes, bytes | None]:
    return sides.mine, sides.conflict.theirs, sides.conflict.base


def _note(data: bytes | None) -> Memory | None:
    try:
        return deserialize((data or b"").decode())
    except (UnreadableNote, UnicodeDecodeError):
        return None


def _field(note: Memory | None, name: str) -> str:
    return field_text(draft_of(note), name) if note else ""


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
