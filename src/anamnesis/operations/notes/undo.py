"""Undoing changes to notes, for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import InvalidInput
from anamnesis.history import undo as changes
from anamnesis.history.undo import (
    ChangedSince,
    NothingToUndo,
    Undone,
    Unit,
    undoable,
)
from anamnesis.history.units import DONE, REDACTION, Image, Units, current, hash_of
from anamnesis.notes.frontmatter import note_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

__all__ = [
    "ChangedSince", "DeletedHere", "NothingToUndo", "Undone", "Unit", "allows_values", "bring_back",
    "deleted_here", "roll_back", "undo", "undoable", "unit_of", "written",
]  # fmt: skip

_NAMED = 8


@dataclass(frozen=True, slots=True)
class DeletedHere:
    """A deleted local-only note as it was; it is not in the history."""

    unit: Unit
    note: Memory
    path: str


def undo(
    store: MemoryStore, given: str = "", *, kind: str = "", progress: Progress = None
) -> Undone:
    """Undo the change with this id, or enough of its start or end; else the latest.

    What was replaced as a secret is put back and allowed from then on. Raises InvalidInput if
    several changes match, NothingToUndo, and ChangedSince if every note of the change was edited
    since.
    """
    id = _id(store.home, given)
    unit = unit_of(store.home, id) if id else None
    if unit is not None and unit.kind == REDACTION:
        from anamnesis.operations.notes import replaced_secrets

        replaced_secrets.allow(store.home, unit)
    return changes.undo(store, kind=kind, id=id, progress=progress)


def allows_values(home: Home, given: str) -> bool:
    """Whether undoing this change allows what was taken for a secret: that is yours to decide."""
    unit = unit_of(home, _id(home, given)) if given else None
    return unit is not None and unit.kind == REDACTION


def unit_of(home: Home, id: str) -> Unit | None:
    """The finished change with an id."""
    return Units(home).finished(id)


def written(store: MemoryStore, note: Memory) -> Unit:
    """The unit that undoes the writing of a note."""
    path = store.files_of(note)[0]
    image = Image(path, None, hash_of(current(store.home, path)))
    units = Units(store.home)
    unit = Unit(units.next_id(), "write", "1 note written", utcnow(), DONE, [image])
    units.save(unit)
    return unit


def deleted_here(store: MemoryStore) -> Iterator[DeletedHere]:
    """The local-only notes that were deleted in the last 30 days and are gone, latest first."""
    for unit in undoable(store.home):
        for image in unit.files:
            if image.after or not image.path.startswith("local/"):
                continue
            note = note_in(image.before or b"")
            if note is not None and store.read(note.id) is None:
                yield DeletedHere(unit, note, image.path)


def bring_back(store: MemoryStore, note_id: str) -> Unit | None:
    """Restore a deleted local-only note. Raises NothingToUndo."""
    for deleted in deleted_here(store):
        if deleted.note.id == note_id:
            data = next(each.before for each in deleted.unit.files if each.path == deleted.path)
            change = changes.FileChange(deleted.path, None, data)
            return changes.apply(store, [change], kind="restore", summary="1 note restored")
    raise NothingToUndo("deleted note of this id")


def roll_back(store: MemoryStore, *, wait: bool = True) -> str:
    """Roll back what an interrupted command left half-done; returns a sentence, or nothing.

    Raises StoreBusy if another process is still working on it; without `wait`, it is left alone.
    """
    units = Units(store.home)
    if not units.has_unfinished():
        units.prune()
        return ""
    return changes.recovery(changes.recover(store, wait=wait))


def _id(home: Home, given: str) -> str:
    part = given.upper()
    ids = (unit.id for unit in undoable(home))
    matching = [id for id in ids if id.startswith(part) or id.endswith(part)] if given else []
    if len(matching) > 1:
        raise InvalidInput(
            f"Several changes match {given}: {', '.join(matching[:_NAMED])}.",
            hint="Give more of the id.",
        )
    return matching[0] if matching else given
