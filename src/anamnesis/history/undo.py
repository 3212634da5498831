"""The one way back: changes of notes as units, made whole or not at all, taken back byte for byte.

Before the first file is written, `<home>/undo/<unit>.json` holds what every file was. A unit that
fails or is killed half-way is rolled back from it, at once or by the next writer; a finished one
is taken back by `undo`, from any process. Git may not be there, and a history that was synced is
not rewritten.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground import clock, locks
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history import units as records
from anamnesis.history.units import Image, Unit, hash_of, unit_of, units
from anamnesis.index.curation import places
from anamnesis.notes import tombstones, tree, validity
from anamnesis.notes.changes import FileChange, carry_out, current
from anamnesis.notes.ids import new_id
from anamnesis.store.filing import INDEX_LAG

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.ground.home import Home
    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

    Progress = Callable[[int, int], None] | None

__all__ = [
    "ChangedSince", "FileChange", "NothingToUndo", "Replaced", "Undone", "Unit", "apply",
    "changes_of", "erase", "recover", "recovery", "replaced", "undo", "undoable",
    "unit_of", "units",
]  # fmt: skip

UNDO = "undo"  # the kind of a unit that took another one back
_LOCK_SECONDS = 10.0
_BATCH = 1000  # files written under one lock: a capture that ends meanwhile waits a second or two


class NothingToUndo(AnamnesisError):
    """There is no unit of this kind or id that could be taken back."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"There is no {kind} to undo.",
            hint="Nothing was changed. See what can be undone:  anamnesis undo --list",
        )


class ChangedSince(AnamnesisError):
    """All notes of a unit were changed after it; taking it back would lose that."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        named = ", ".join(self.paths[:5]) + (" …" if len(self.paths) > 5 else "")
        super().__init__(
            f"{counted(len(self.paths), 'file was', 'files were')} edited since: {named}.",
            hint="Nothing was changed. For the versions of a note:  anamnesis history ID",
        )


@dataclass(frozen=True, slots=True)
class Replaced:
    """A note as it was saved, and the unit that takes that back."""

    note: Memory
    unit: Unit | None  # None: the note says the same as before


@dataclass(frozen=True, slots=True)
class Undone:
    """A unit that was taken back: the files put back, and those that were changed since."""

    unit: Unit
    files: tuple[str, ...]
    left: tuple[str, ...] = ()
    redo: str = ""  # the unit that does it again
    notes: int = 0  # how many were put back


def replaced(
    store: MemoryStore, after: Memory, *, before: tree.ReadNote | None, kind: str = "edit"
) -> Replaced:
    """Save a note over the one that was read and keep what it replaces.

    Raises NoteChangedOnDisk if the note is no longer the one that was read, and FileInTheWay if
    something else is where it would go.
    """
    after = validity.storable(replace(after, updated_at=clock.utcnow()))
    changes = changes_of(store, [(before, after)])
    summary = {"edit": "1 note edited", "restore": "1 note restored"}.get(kind, kind)
    return Replaced(after, apply(store, changes, kind=kind, summary=summary))


def changes_of(
    store: MemoryStore, notes: Iterable[tuple[tree.ReadNote | None, Memory | None]]
) -> list[FileChange]:
    """The file changes that turn each note as it was read into the note as it shall be."""
    pairs = list(notes)
    known = store.ask(lambda db: places(db, [read.note.id for read, _ in pairs if read]))
    changes: list[FileChange] = []
    for read, after in pairs:
        wanted = None if after is None else validity.storable(after)
        if read is None:
            if wanted is not None:
                changes.append(FileChange(tree.path_of(wanted), None, tree.encode(wanted)))
            continue
        old = known.get(read.note.id) or tree.path_of(read.note)
        if wanted is None:
            changes += _moved(store, read, old, "", None)
        elif not validity.may_stay(old, wanted):
            changes += _moved(store, read, old, tree.path_of(wanted), tree.encode(wanted))
        elif (data := tree.encode(wanted)) != read.data:
            changes.append(FileChange(old, read.data, data))
    return changes


def _moved(
    store: MemoryStore, read: tree.ReadNote, old: str, new: str, data: bytes | None
) -> list[FileChange]:
    """What removes a note from its place, with the copies that a killed move left behind."""
    copies = (path for path in store.files_of(read.note) if path != old)
    before = {old: read.data, **{path: current(store.home, path) for path in copies}}
    placed = [FileChange(new, before.pop(new, None), data)] if new else []
    return placed + [FileChange(path, was, None) for path, was in before.items()]


def apply(
    store: MemoryStore,
    changes: Sequence[FileChange],
    *,
    kind: str,
    summary: str,
    progress: Progress = None,
) -> Unit | None:
    """Write all changes, or none of them; None if there is nothing to write.

    Raises NoteChangedOnDisk or FileInTheWay if a file is not what the changes start from, and
    StoreBusy if another process keeps the store for itself.
    """
    if not changes:
        return None
    root = store.home
    unit = _unit(changes, kind=kind, summary=summary)
    if len(changes) == 1:
        return _apply_one(store, unit, changes[0])
    records.prune(root)
    with _alone(root):
        _roll_back_unfinished(store)
        unit = _apply_all(root, unit, changes, progress)
    _let_index_follow(store, unit.notes)
    return unit


def erase(store: MemoryStore, changes: Sequence[FileChange], *, ids: Container[str] = ()) -> None:
    """Write changes that nothing takes back: no record is kept of them, nor of these notes.

    The records come first and the files last. Killed in between, a note is still there for the
    next try; once it is gone, nothing remembers it.
    """
    root = store.home
    with _alone(root):
        _roll_back_unfinished(store)
        with _store_held(root):  # nobody writes the record of a single change meanwhile
            records.sweep(root)
            records.scrub(root, ids)
        _write(root, changes)
    _let_index_follow(store, [change.path for change in changes if change.path.endswith(".md")])


def undoable(root: Home) -> Iterator[Unit]:
    """What can be taken back, latest first."""
    return units(root, state=records.DONE)


def undo(store: MemoryStore, *, kind: str = "", id: str = "") -> Undone:
    """Take back the latest unit (of a kind), or the one that is named, byte for byte.

    A note that was changed since is left as it is. Raises NothingToUndo, and ChangedSince if that
    goes for all of its notes. What is taken back makes a unit too, which does it again.
    """
    root = store.home
    with _alone(root):
        _roll_back_unfinished(store)
        unit = _chosen(root, kind, id)
        back, left = _plan(store, unit)
        if left and not back:
            raise ChangedSince(left)
        redo = ""
        if back:
            other = _unit(back, kind=unit.redoes or UNDO, summary=unit.summary)
            other = replace(other, redoes="" if unit.redoes else unit.kind)
            redo = _apply_all(root, other, back).id
        records.drop(root, unit)
    _let_index_follow(store, unit.notes)
    files = tuple(change.path for change in back)
    ids = {image.note_id for image in unit.files if image.is_note and image.path in files}
    return Undone(unit, files, tuple(left), redo, len(ids))


def recover(store: MemoryStore, *, wait: bool = True) -> list[Unit]:
    """Roll back what a killed process left half-way, before anything is planned on top of it.

    Gives the units that were rolled back: nearly always none. A unit that a live process is
    writing is waited for, or left to it. Raises StoreBusy if that takes too long.
    """
    root = store.home
    records.prune(root)
    if not records.has_unfinished(root):
        return []
    try:
        with _alone(root, _LOCK_SECONDS if wait else 0):
            return _roll_back_unfinished(store)
    except StoreBusy:
        if wait:
            raise
        return []


def recovery(rolled_back: Sequence[Unit]) -> str:
    """What `recover` did as a sentence; nothing if it did nothing."""
    if not rolled_back:
        return ""
    kinds = ", ".join(dict.fromkeys(unit.kind for unit in rolled_back))
    number = counted(sum(len(unit.note_ids) for unit in rolled_back), "note")
    return f"an interrupted {kinds} of {number} was rolled back; run it again if you need it"


def _unit(changes: Iterable[FileChange], *, kind: str, summary: str) -> Unit:
    images = [Image(change.path, change.before, hash_of(change.after)) for change in changes]
    return Unit(new_id(), kind, summary, clock.utcnow(), files=images)


def _apply_one(store: MemoryStore, unit: Unit, change: FileChange) -> Unit:
    """Change one file, which happens at once or not at all and so needs no roll back.

    It does not wait for a large unit that another process is writing.
    """
    root = store.home
    recover(store, wait=False)
    unit = replace(unit, state=records.DONE)
    with store.changing(unit.notes):
        records.save(root, unit)
        try:
            carry_out(root, [change])
        except BaseException:
            if hash_of(current(root, change.path)) != unit.files[0].after:
                records.drop(root, unit)
            raise
    return unit


def _apply_all(
    root: Home, unit: Unit, changes: Sequence[FileChange], progress: Progress = None
) -> Unit:
    records.save(root, unit)
    try:
        _write(root, changes, progress)
    except BaseException:
        _roll_back(root, unit)
        raise
    return records.finish(root, unit)


def _chosen(root: Home, kind: str, id: str) -> Unit:
    """The unit that is meant; the latest is never an undo, or two in a row would do nothing."""
    if id:
        unit = unit_of(root, id)
    else:
        done = (unit for unit in undoable(root) if not unit.redoes)
        unit = next((unit for unit in done if kind in ("", unit.kind)), None)
    if unit is None:
        raise NothingToUndo(kind or "change")
    return unit


def _plan(store: MemoryStore, unit: Unit) -> tuple[list[FileChange], list[str]]:
    """What puts the files back, and the files that are left; those of one note go together."""
    root = store.home
    found = [(image, current(root, image.path)) for image in unit.files]
    changed = {
        image.note_id
        for image, data in found
        # An undo that was killed may have restored a file already.
        if hash_of(data) != image.after and data != image.before
    }
    changed |= _elsewhere(store, unit)
    back = [
        FileChange(image.path, data, image.before)
        for image, data in found
        if image.note_id not in changed and data != image.before
    ]
    return back, [image.path for image in unit.files if image.note_id in changed]


def _elsewhere(store: MemoryStore, unit: Unit) -> set[str]:
    """The removed notes that came back since in another file, or that were forgotten."""
    removed = {image.note_id for image in unit.files if image.is_note and not image.after}
    own = {image.path for image in unit.files}
    known = store.ask(lambda db: places(db, removed))
    root = store.home
    return {
        note_id
        for note_id in removed
        if known.get(note_id, "") not in {"", *own}
        or (tombstones.path_of(note_id) not in own and tombstones.is_forgotten(root, note_id))
    }


def _roll_back_unfinished(store: MemoryStore) -> list[Unit]:
    """Roll back the units that are half-way while no other unit runs: their process was killed."""
    root = store.home
    unfinished = list(units(root, state=records.APPLYING))
    for unit in unfinished:
        _roll_back(root, unit)
        _let_index_follow(store, unit.notes)
    return unfinished


def _roll_back(root: Home, unit: Unit) -> None:
    found = ((image, current(root, image.path)) for image in unit.files)
    changed = [
        FileChange(image.path, data, image.before)
        for image, data in found
        if hash_of(data) == image.after
    ]
    _write(root, changed)
    records.drop(root, unit)


def _let_index_follow(store: MemoryStore, paths: Sequence[str]) -> None:
    with suppress(*INDEX_LAG):  # the files stand; the next look catches up
        store.refresh_paths(paths)


def _alone(root: Home, timeout: float = _LOCK_SECONDS) -> AbstractContextManager[None]:
    path = root.lock("undo")
    return locks.held(path, name="lock of large changes", timeout=timeout)


def _store_held(root: Home) -> AbstractContextManager[None]:
    path = root.lock("store")
    return locks.held(path, name="store", timeout=_LOCK_SECONDS)


def _write(root: Home, changes: Sequence[FileChange], progress: Progress = None) -> None:
    for start in range(0, len(changes), _BATCH):
        batch = changes[start : start + _BATCH]
        with _store_held(root):
            carry_out(root, batch)
        if progress is not None:
            progress(start + len(batch), len(changes))
