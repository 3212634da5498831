"""Undo: changes of notes as units, made completely or not at all, undone byte for byte.

Before the first file is written, `<home>/undo/<unit>.json` records what every file was. A unit that
fails or is killed half-way is rolled back from it, at once or by the next writer; a finished one
can be undone from any process. It works without git, and never rewrites history that was synced.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground import atomic, clock
from anamnesis.ground.counting import counted, counting, passes
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history.units import (
    APPLYING,
    DONE,
    LOCK_SECONDS,
    FileChange,
    Image,
    NothingToUndo,
    Unit,
    Units,
    carry_out,
    current,
    hash_of,
)
from anamnesis.index.queries import places
from anamnesis.index.refresh import reading_of
from anamnesis.notes import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.index.refresh import Reading
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

__all__ = [
    "ChangedSince", "FileChange", "NothingToUndo", "Replaced", "Undone", "Unit", "apply",
    "changes_of", "erase", "kept_apart", "kept_with", "recover", "recovery", "removal_of",
    "replaced", "undo", "undoable",
]  # fmt: skip

UNDO = "undo"  # the kind of a unit that undid another one
_SUMMARIES = {
    "edit": "1 note edited",
    "restore": "1 note restored",
    "capture": "1 session note written again",
}


class ChangedSince(AnamnesisError):
    """All notes of a unit have changed since; undoing it would lose that."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        named = ", ".join(self.paths[:5]) + (" …" if len(self.paths) > 5 else "")
        super().__init__(
            f"{counted(len(self.paths), 'file was', 'files were')} edited since: {named}.",
            hint="Nothing was changed. For the versions of a note:  anamnesis history ID",
        )


@dataclass(frozen=True, slots=True)
class Replaced:
    """A saved note, and the unit that undoes it."""

    note: Memory
    unit: Unit | None  # None: nothing changed


@dataclass(frozen=True, slots=True)
class Undone:
    """A unit that was undone: how many files were restored, and those that have changed since."""

    unit: Unit
    files: tuple[str, ...]
    left: tuple[str, ...] = ()
    redo: str = ""  # the unit that redoes it
    notes: int = 0  # how many were restored


def replaced(
    store: MemoryStore,
    after: Memory,
    *,
    before: tree.ReadNote | None,
    kind: str = "edit",
) -> Replaced:
    """Save a note over the one that was read and keep what it replaces.

    Raises NoteChangedOnDisk if the note is no longer the one that was read, and FileInTheWay if
    something else is where it would go.
    """
    after = tree.storable(replace(after, updated_at=clock.utcnow()))
    changes = changes_of(store, [(before, after)])
    return Replaced(after, apply(store, changes, kind=kind, summary=_SUMMARIES.get(kind, kind)))


def kept_apart(
    store: MemoryStore, after: Memory, *, before: tree.ReadNote, other: Memory, kind: str
) -> Memory:
    """Save a note over the one that was read; undo keeps another text, which did not get in.

    That is listed as what can be redone: undoing it writes the other text. A later one of the same
    note takes its place. Raises NoteChangedOnDisk if the note is no longer the one that was read.
    """
    after = tree.storable(after)
    own = store.ask(lambda db: places(db, [after.id])).get(after.id) or tree.path_of(after)
    change = FileChange(own, before.data, tree.encode(after), after)
    units = Units(store.home)
    unit = replace(
        _unit(units, [change], kind=UNDO, summary=f"{kind} left out of 1 note"),
        files=[Image(own, tree.encode(tree.storable(other)), hash_of(change.after))],
        redoes=kind,
    )
    earlier = [each for each in undoable(store.home) if _is_same_offer(each, unit)]
    _apply_one(store, unit, change)
    for each in earlier:
        units.drop(each)
    return after


def _is_same_offer(one: Unit, other: Unit) -> bool:
    return (one.redoes, one.summary, one.note_ids) == (other.redoes, other.summary, other.note_ids)


def changes_of(
    store: MemoryStore,
    notes: Iterable[tuple[tree.ReadNote | None, Memory | None]],
    *,
    every_file: bool = False,
) -> list[FileChange]:
    """The file changes that turn each note into its new version.

    A note that is removed or changes its tree does so with every file that has its id; with
    `every_file`, they follow one that stays in its tree too.
    """
    pairs = list(notes)
    known = store.ask(lambda db: places(db, [read.note.id for read, _ in pairs if read]))
    changes: list[FileChange] = []
    for read, after in pairs:
        new = None if after is None else tree.storable(after)
        if read is None:
            if new is not None:
                data = tree.encode(new)
                changes.append(FileChange(tree.path_of(new), None, data, new))
            continue
        old = known.get(read.note.id) or tree.path_of(read.note)
        if new is None:
            changes += _moved(store, read, old, "", None)
            others = store.others_of(read.note)
            changes += [FileChange(path, current(store.home, path), None) for path in others]
            continue
        if every_file or new.scope != read.note.scope:
            for stray, place in store.strays_of(read.note, new.scope).items():
                text = current(store.home, stray)
                changes += [FileChange(place, None, text), FileChange(stray, text, None)]
        if not tree.may_stay(old, new):
            changes += _moved(store, read, old, tree.path_of(new), tree.encode(new))
        elif (data := tree.encode(new)) != read.data:
            changes.append(FileChange(old, read.data, data, new))
    return changes


def _moved(
    store: MemoryStore, read: tree.ReadNote, old: str, new: str, data: bytes | None
) -> list[FileChange]:
    """The changes that remove a note and any copies that a killed move left behind."""
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
    units = Units(store.home)
    unit = _unit(units, changes, kind=kind, summary=summary)
    if len(changes) == 1:
        return _apply_one(store, unit, changes[0])
    units.prune()
    with units.alone():
        _roll_back_unfinished(store)
        written: dict[str, atomic.Written] = {}
        writing, indexing = passes(progress, 2, total=len(changes))
        unit = units.apply(unit, changes, writing, written=written)
    store.refresh_paths(
        unit.notes, known=_readings(store.home, changes, written), progress=indexing
    )
    return unit


def _readings(
    home: Home, changes: Iterable[FileChange], written: Mapping[str, atomic.Written]
) -> Iterator[Reading]:
    """What would be read from files that were just written."""
    for change in changes:
        state = written.get(os.path.join(home, change.path))
        if state is not None and change.note is not None:
            yield reading_of(change.path, *state, change.note, hash_of(change.after))


def erase(
    store: MemoryStore,
    changes: Sequence[FileChange],
    *,
    ids: Container[NoteId] = (),
    is_unwanted: Callable[[bytes], bool] | None = None,
    progress: Progress = None,
) -> None:
    """Write changes that cannot be undone; no record of them or of these notes is kept.

    Neither is a text of any note of which `is_unwanted` is true.

    The records come first and the files last. Killed in between, a note is still there for the
    next try; once it is gone, nothing remembers it.
    """
    units = Units(store.home)
    with units.alone():
        _roll_back_unfinished(store)
        with units.store_held():  # no single change may be recorded meanwhile
            units.sweep()
            units.scrub(lambda image: _is_of(image, ids) or _has(image, is_unwanted))
        units.write(changes, progress, for_good=True)
    store.refresh_paths([change.path for change in changes if change.path.endswith(".md")])


def _is_of(image: Image, ids: Container[NoteId]) -> bool:
    return image.note_id in ids or image.written_id in ids


def _has(image: Image, is_unwanted: Callable[[bytes], bool] | None) -> bool:
    return is_unwanted is not None and image.before is not None and is_unwanted(image.before)


def kept_with(home: Home, is_unwanted: Callable[[bytes], bool]) -> int:
    """How many texts that undo could bring back are unwanted."""
    images = (image for unit in Units(home).all() for image in unit.files)
    return sum(_has(image, is_unwanted) for image in images)


def undoable(home: Home) -> Iterator[Unit]:
    """What can be undone, latest first."""
    return Units(home).all(state=DONE)


def removal_of(home: Home, id_or_part: str) -> str:
    """The id of the latest unit that removed a note, or nothing; also if several notes match."""
    part = id_or_part.upper()
    removals: dict[str, str] = {}
    for unit in undoable(home):
        kept = {image.note_id for image in unit.files if image.after}
        for note_id in set(unit.note_ids) - kept:
            if note_id.upper().startswith(part) or note_id.upper().endswith(part):
                removals.setdefault(note_id, unit.id)
    return next(iter(removals.values())) if len(removals) == 1 else ""


def undo(store: MemoryStore, *, kind: str = "", id: str = "", progress: Progress = None) -> Undone:
    """Undo the latest unit (of a kind), or the one that is named, byte for byte.

    A note that has changed since is left alone. Raises NothingToUndo, and ChangedSince if all of
    its notes have. An undo is a unit too, which redoes the change.
    """
    units = Units(store.home)
    with units.alone():
        _roll_back_unfinished(store)
        unit = units.chosen(kind, id)
        number = len(unit.note_ids) or len(unit.files)
        reading, writing, indexing = passes(progress, 3, total=number)
        back, left = _plan(store, unit, reading)
        if left and not back:
            raise ChangedSince(left)
        redo = ""
        if back:
            other = _unit(units, back, kind=unit.redoes or UNDO, summary=unit.summary)
            other = replace(other, redoes="" if unit.redoes else unit.kind)
            redo = units.apply(other, back, writing).id
        units.drop(unit)
    store.refresh_paths(unit.notes, progress=indexing)
    files = tuple(change.path for change in back)
    back_again = {image.note_id for image in unit.files if image.path in files}
    return Undone(unit, files, tuple(left), redo, len(back_again.intersection(unit.note_ids)))


def recover(store: MemoryStore, *, wait: bool = True) -> list[Unit]:
    """Roll back what a killed process left half-done, before anything else is planned.

    Returns the units that were rolled back: nearly always none. A unit that a live process is
    writing is waited for, or left to it. Raises StoreBusy if that takes too long.
    """
    units = Units(store.home)
    units.prune()
    if not units.has_unfinished():
        return []
    try:
        with units.alone(LOCK_SECONDS if wait else 0):
            return _roll_back_unfinished(store)
    except StoreBusy:
        if wait:
            raise
        return []


def recovery(rolled_back: Sequence[Unit]) -> str:
    """A sentence about what `recover` did; nothing if it did nothing."""
    if not rolled_back:
        return ""
    kinds = ", ".join(dict.fromkeys(unit.kind for unit in rolled_back))
    number = counted(sum(len(unit.note_ids) for unit in rolled_back), "note")
    return f"an interrupted {kinds} of {number} was rolled back; run it again if needed"


def _unit(units: Units, changes: Iterable[FileChange], *, kind: str, summary: str) -> Unit:
    images = [Image(change.path, change.before, hash_of(change.after)) for change in changes]
    return Unit(units.next_id(), kind, summary, clock.utcnow(), files=images)


def _apply_one(store: MemoryStore, unit: Unit, change: FileChange) -> Unit:
    """Change one file, which happens at once or not at all and so needs no roll back.

    It does not wait for a large unit that another process is writing.
    """
    home, units = store.home, Units(store.home)
    recover(store, wait=False)
    unit = replace(unit, state=DONE)

    def make() -> None:
        units.save(unit)
        try:
            carry_out(home, [change])
        except BaseException:
            if hash_of(current(home, change.path)) != unit.files[0].after:
                units.drop(unit)
            raise

    store.change(unit.notes, make)
    return unit


def _plan(store: MemoryStore, unit: Unit, progress: Progress) -> tuple[list[FileChange], list[str]]:
    """The changes that restore the files, and the files left alone; one note's go together."""
    images = counting(unit.files, progress)
    contents = [(image, current(store.home, image.path)) for image in images]
    changed = {
        image.note_id
        for image, data in contents
        # An undo that was killed may have restored a file already.
        if hash_of(data) != image.after and data != image.before
    }
    changed |= _elsewhere(store, unit)
    back = [
        FileChange(image.path, data, image.before)
        for image, data in contents
        if image.note_id not in changed and data != image.before
    ]
    return back, [image.path for image in unit.files if image.note_id in changed]


def _elsewhere(store: MemoryStore, unit: Unit) -> set[str]:
    """The removed notes that exist again in another file, or were forgotten."""
    removed = {image.note_id for image in unit.files if image.is_note and not image.after}
    own = {image.path for image in unit.files}
    known = store.ask(lambda db: places(db, removed))
    return {
        note_id
        for note_id in removed
        if known.get(note_id, "") not in {"", *own}
        or (tree.tombstone_of(note_id) not in own and tree.is_forgotten(store.home, note_id))
    }


def _roll_back_unfinished(store: MemoryStore) -> list[Unit]:
    """Roll back unfinished units while no other unit runs: their process was killed."""
    units = Units(store.home)
    unfinished = list(units.all(state=APPLYING))
    for unit in unfinished:
        units.roll_back(unit)
        store.refresh_paths(unit.notes)
    return unfinished
