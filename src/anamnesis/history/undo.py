"""Changes of many notes as one unit: all or nothing, and taken back byte for byte.

Before the first file is written, `<home>/undo/<unit>.json` holds what every file was. A unit that
fails or is killed half-way is rolled back from it, at once or by the next unit; a finished one is
taken back by `undo`. Git may not be there, and a history that was synced is not rewritten.
"""

from __future__ import annotations

import os

from anamnesis.ground import atomic, clock, locks
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, NoteChangedOnDisk
from anamnesis.ground.records import record, replace
from anamnesis.history import units as records
from anamnesis.history.units import Image, Unit, hash_of, units
from anamnesis.index.curation import places
from anamnesis.notes import tree, validity
from anamnesis.notes.ids import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

    Progress = Callable[[int, int], None] | None

__all__ = [
    "ChangedSince", "FileChange", "NothingToUndo", "Unit", "apply", "changes_of", "erase", "undo",
    "units",
]  # fmt: skip

_LOCK_SECONDS = 10.0
_BATCH = 1000  # files written under one lock: a capture that ends meanwhile waits a second or two
_NO_FILE = b"\0"  # stands for a link, pipe or folder: nothing that we ever wrote


@record
class FileChange:
    """One file before and after; None where there is none. The path is relative to the root."""

    path: str
    before: bytes | None
    after: bytes | None


class NothingToUndo(AnamnesisError):
    """There is no unit of this kind that could be taken back."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"There is no {kind} to undo.", hint="Nothing was changed.")


class ChangedSince(AnamnesisError):
    """Some files of a unit were edited after it; taking it back would lose the edit."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        named = ", ".join(self.paths[:5]) + (" …" if len(self.paths) > 5 else "")
        super().__init__(
            f"{counted(len(self.paths), 'file was', 'files were')} edited since: {named}.",
            hint="Nothing was changed. To take back the others and leave these:  --force",
        )


def changes_of(
    store: MemoryStore, notes: Iterable[tuple[tree.ReadNote | None, Memory | None]]
) -> list[FileChange]:
    """The file changes that turn each note as it was read into the note as it shall be."""
    pairs = list(notes)
    known = store.ask(lambda db: places(db, [read.note.id for read, _ in pairs if read]))
    changes: list[FileChange] = []
    for read, after in pairs:
        old = "" if read is None else known.get(read.note.id) or tree.path_of(read.note)
        data = None if read is None else read.data
        if after is None:
            changes.append(FileChange(old, data, None))
            continue
        wanted = validity.storable(after)
        path = old if old and validity.may_stay(old, wanted) else tree.path_of(wanted)
        if old and path != old:
            changes += [FileChange(old, data, None), FileChange(path, None, tree.encode(wanted))]
        elif tree.encode(wanted) != data:
            changes.append(FileChange(path, data, tree.encode(wanted)))
    return changes


def apply(
    store: MemoryStore,
    changes: Sequence[FileChange],
    *,
    kind: str,
    summary: str,
    progress: Progress = None,
) -> Unit | None:
    """Write all changes, or none of them; None if there is nothing to write."""
    if not changes:
        return None
    root = str(store.root)
    images = [Image(change.path, change.before, hash_of(change.after)) for change in changes]
    unit = Unit(new_id(), kind, summary, clock.utcnow(), files=images)
    with _alone(root):
        _recover(store)
        records.save(root, unit)
        try:
            _write(root, changes, progress)
        except BaseException:
            _roll_back(root, unit)
            raise
        unit = records.turn(root, unit, records.DONE)
        records.prune(root)
    store.refresh_paths(unit.notes)
    return unit


def erase(store: MemoryStore, changes: Sequence[FileChange], *, ids: Container[str] = ()) -> None:
    """Write changes that nothing takes back: no record is kept of them, nor of these notes.

    The records come first and the files last. Killed in between, a note is still there for the
    next try; once it is gone, nothing remembers it.
    """
    root = str(store.root)
    with _alone(root):
        _recover(store)
        records.sweep(root)
        records.scrub(root, ids)
        _write(root, changes, None)
    store.refresh_paths([change.path for change in changes if change.path.endswith(".md")])


def undo(store: MemoryStore, *, kind: str = "", id: str = "", force: bool = False) -> Unit:
    """Take back the latest unit (of a kind), or the one that is named, byte for byte."""
    root = str(store.root)
    with _alone(root):
        _recover(store)
        done = units(root, state=records.DONE)
        unit = next((u for u in done if kind in ("", u.kind) and id in ("", u.id)), None)
        if unit is None:
            raise NothingToUndo(kind or "change")
        back, edited = [], []
        for image in unit.files:
            current = _current(root, image.path)
            if hash_of(current) == image.after:
                back.append(FileChange(image.path, current, image.before))
            elif current != image.before:  # an undo that was killed may have restored it already
                edited.append(image.path)
        if edited and not force:
            raise ChangedSince(edited)
        _write(root, back, None)
        unit = records.turn(root, unit, records.UNDONE)
    store.refresh_paths(unit.notes)
    return replace(unit, files=[image for image in unit.files if image.path not in edited])


def _recover(store: MemoryStore) -> None:
    """Roll back units that a killed process left half-way; no other unit runs."""
    root = str(store.root)
    for unit in list(units(root, state=records.APPLYING)):
        _roll_back(root, unit)
        store.refresh_paths(unit.notes)


def _roll_back(root: str, unit: Unit) -> None:
    current = ((image, _current(root, image.path)) for image in unit.files)
    changed = [
        FileChange(image.path, data, image.before)
        for image, data in current
        if hash_of(data) == image.after
    ]
    _write(root, changed, None)
    records.drop(root, unit)


def _alone(root: str) -> AbstractContextManager[None]:
    path = os.path.join(root, "locks", "undo.lock")
    return locks.held(path, name="lock of large changes", timeout=_LOCK_SECONDS)


def _write(root: str, changes: Sequence[FileChange], progress: Progress) -> None:
    lock = os.path.join(root, "locks", "store.lock")
    for start in range(0, len(changes), _BATCH):
        batch = changes[start : start + _BATCH]
        with locks.held(lock, name="store", timeout=_LOCK_SECONDS):
            for change in batch:
                if _current(root, change.path) != change.before:
                    raise NoteChangedOnDisk(change.path)
            new = {os.path.join(root, c.path): c.after for c in batch if c.after is not None}
            atomic.write_all(new)
            for change in batch:
                if change.after is None:
                    atomic.remove(os.path.join(root, change.path))
        if progress is not None:
            progress(start + len(batch), len(changes))


def _current(root: str, path: str) -> bytes | None:
    """What a file says; None if there is none."""
    absolute = os.path.join(root, path)
    data = tree.bytes_at(absolute)
    return _NO_FILE if data is None and os.path.lexists(absolute) else data
