"""What every file of a unit was, kept until the unit is undone or old.

A record is `<home>/undo/<unit>.<state>.json`. Renaming it is how a unit changes its state: that
is atomic. A unit that was undone has no record any more.
"""

from __future__ import annotations

import json
import os
import re
import time

from anamnesis.ground import atomic, locks
from anamnesis.ground.errors import AnamnesisError, FileInTheWay, NoteChangedOnDisk
from anamnesis.ground.records import fresh, record, replace
from anamnesis.notes import tree
from anamnesis.notes.fields import encode_id, is_valid_id, next_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.sync.conflicts import Conflicts


APPLYING, DONE = "applying", "done"
REDACTION = "redact"  # the kind of a unit that keeps what was typed before secrets were replaced
KEPT_DAYS = 30  # long enough to notice a loss; old text must not be kept forever
_MOST_UNITS = 300  # a month of editing ten notes a day
_MOST_BYTES = 64 * 1024 * 1024  # a migration of 20,000 notes, and all the edits beside it
_ID = re.compile(rb"^id:[ \t]*(\S+)", re.MULTILINE)
# A file of a conflict: held in <id>/, or once it is resolved in resolved/<id>-<moment>-<random>/.
_CONFLICT = re.compile(r"conflicts/(?:resolved/)?(.+?)(?:-[\dT-]{17}-[\da-f]{4})?/[^/]+")
_VOUCHED = "vouched/"  # files that earlier versions made when you kept a note
LOCK_SECONDS = 10.0
_BATCH = 1000  # files written under one lock: a capture that ends meanwhile waits a second or two


class NothingToUndo(AnamnesisError):
    """There is no unit of this kind or id to undo."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"There is no {kind} to undo.", hint="See what can be undone:  anamnesis undo --list"
        )


@record
class Image:
    """A file as it was (None: missing), and the hash of what the unit made of it."""

    path: str
    before: bytes | None
    after: str

    @property
    def is_note(self) -> bool:
        """Whether the file may be a note; the versions of a conflict are none."""
        return self.path.endswith(".md") and not self.path.startswith("conflicts/")

    @property
    def note_id(self) -> str:
        """The id in the file as it was, or in its name.

        All files of a conflict have one id, so that they come back together.
        """
        if conflict := _CONFLICT.fullmatch(self.path):
            return conflict[1]
        return self.written_id or os.path.splitext(self.path.rpartition("/")[2])[0]

    @property
    def written_id(self) -> str:
        """The id in the text that the file had."""
        line = _ID.search(self.before or b"")
        return line[1].decode("utf-8", "replace").strip("\"'") if line else ""


@record
class Unit:
    """What was changed together."""

    id: str
    kind: str  # the verb: delete, edit, import, …
    summary: str  # without text of a note: a record outlives what is forgotten
    at: str
    state: str = APPLYING
    files: list[Image] = fresh(default_factory=list)
    redoes: str = ""  # of an undo: the kind of the unit that it undid

    @property
    def notes(self) -> list[str]:
        """The paths of its files that may be notes."""
        return [image.path for image in self.files if image.is_note]

    @property
    def note_ids(self) -> list[str]:
        """The notes that it changed."""
        return list(dict.fromkeys(image.note_id for image in self.files if image.is_note))

    @property
    def title(self) -> str:
        """The title of its first note as it was; nothing if it was new, or may hold a secret."""
        if self.kind == REDACTION:
            return ""
        from anamnesis.notes.frontmatter import note_in

        notes = (note_in(image.before or b"") for image in self.files if image.is_note)
        return next((note.title for note in notes if note is not None), "")

    @property
    def has_the_only_copy(self) -> bool:
        """Whether it removed local-only notes, which are not in the history."""
        return any(image.path.startswith("local/") and not image.after for image in self.files)


def hash_of(data: bytes | None) -> str:
    """A hash of a content; empty for no file."""
    from hashlib import blake2b

    return "" if data is None else blake2b(data, digest_size=16).hexdigest()


def _size_and_time(path: str) -> tuple[int, float]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0.0
    return status.st_size, status.st_mtime


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


_NO_FILE = b"\0"  # stands for a link, pipe or folder: nothing that Anamnesis ever wrote


@record
class FileChange:
    """One file before and after; None where there is none. The path is relative to the root."""

    path: str
    before: bytes | None
    after: bytes | None
    note: Memory | None = None  # what `after` says, where that is known


def carry_out(
    root: str,
    changes: Sequence[FileChange],
    *,
    for_good: bool = False,
    written: dict[str, atomic.Written] | None = None,
) -> None:
    """Write the changes; the store's lock is held.

    Raises NoteChangedOnDisk or FileInTheWay if a file is no longer what it was, even if it is
    being saved at this very moment; then all files are as they were. New content is written
    first: a kill in between leaves a note twice, never lost. With `for_good`, nothing is kept.
    """
    for change in changes:
        if not _is_as_planned(root, change):
            raise _moved_on(change)
    replacements = [
        (os.path.join(root, each.path), each.before, each.after)
        for each in changes
        if each.before != each.after  # an unchanged file only had to be checked
    ]
    moved_on = set(atomic.exchange_all(replacements, for_good=for_good, written=written))
    if moved_on:
        written_already = [each for each in replacements if each[0] not in moved_on]
        atomic.exchange_all([(path, after, before) for path, before, after in written_already])
        raise next(_moved_on(each) for each in changes if os.path.join(root, each.path) in moved_on)


def _is_as_planned(root: str, change: FileChange) -> bool:
    if change.before is None:
        return not os.path.lexists(os.path.join(root, change.path))
    return current(root, change.path) == change.before


def _moved_on(change: FileChange) -> AnamnesisError:
    """The error for a file that has changed since a change was planned."""
    return (FileInTheWay if change.before is None else NoteChangedOnDisk)(change.path)


def current(root: str, path: str) -> bytes | None:
    """The content of a file; None if there is none."""
    absolute = os.path.join(root, path)
    data = tree.bytes_at(absolute)
    return _NO_FILE if data is None and os.path.lexists(absolute) else data


def _conflicts(home: Home) -> Conflicts:
    from anamnesis.sync.conflicts import Conflicts  # late: most changes need none of it

    return Conflicts(home)


class Units:
    """The units of one store: their records on disk, and the files that they change."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def all(self, *, state: str = "") -> Iterator[Unit]:
        """The recorded units (of a state), latest first; unreadable records are skipped."""
        for name in self._names():
            if state in ("", name.split(".")[1]) and (unit := self._load(name)):
                yield unit

    def next_id(self) -> str:
        """An id for a new unit that sorts after those of all others."""
        return next_id(next(iter(self._names()), "").partition(".")[0])

    def finished(self, id: str) -> Unit | None:
        """The finished unit with an id."""
        return self._load(f"{id}.{DONE}.json") if is_valid_id(id) else None

    def chosen(self, kind: str, id: str) -> Unit:
        """The unit to undo: the one with this id, or the latest that is not itself an undo.

        What was replaced as a secret is put back only by its id. Raises NothingToUndo.
        """
        if id:
            unit = self.finished(id)
        else:
            done = (
                unit for unit in self.all(state=DONE) if not unit.redoes and unit.kind != REDACTION
            )
            unit = next((unit for unit in done if kind in ("", unit.kind)), None)
        if unit is None:
            raise NothingToUndo(f"change {id}" if id else kind or "change")
        return unit

    def has_unfinished(self) -> bool:
        """Whether a unit is being written, or was when its process was killed."""
        return any(name.split(".")[1] == APPLYING for name in self._names())

    def deleted_here(self) -> set[str]:
        """The synced files that commands removed on this machine, relative to their tree."""
        images = (image for unit in self.all() for image in unit.files if not image.after)
        return {image.path.removeprefix("memory/") for image in images}

    def save(self, unit: Unit) -> None:
        """Write a unit's record."""
        files = [[image.path, _text(image.before), image.after] for image in unit.files]
        fields = {"kind": unit.kind, "summary": unit.summary, "at": unit.at, "files": files}
        if unit.redoes:
            fields["redoes"] = unit.redoes
        atomic.write_text(self._path(unit), json.dumps(fields))

    def finish(self, unit: Unit) -> Unit:
        """Mark a unit as complete."""
        done = replace(unit, state=DONE)
        atomic.rename(self._path(unit), self._path(done))
        return done

    def drop(self, unit: Unit) -> None:
        """Remove a unit's record."""
        atomic.remove(self._path(unit))

    def apply(
        self,
        unit: Unit,
        changes: Sequence[FileChange],
        progress: Progress = None,
        *,
        written: dict[str, atomic.Written] | None = None,
    ) -> Unit:
        """Write the files of a unit, all or none. Raises NoteChangedOnDisk or FileInTheWay."""
        self.save(unit)
        try:
            self.write(changes, progress, written=written)
        except BaseException:
            self.roll_back(unit)
            raise
        return self.finish(unit)

    def roll_back(self, unit: Unit) -> None:
        """Restore what a unit has written so far, and drop it."""
        contents = ((image, current(self._home, image.path)) for image in unit.files)
        changed = [
            FileChange(image.path, data, image.before)
            for image, data in contents
            if hash_of(data) == image.after
        ]
        self.write(changed)
        self.drop(unit)

    def write(
        self,
        changes: Sequence[FileChange],
        progress: Progress = None,
        *,
        for_good: bool = False,
        written: dict[str, atomic.Written] | None = None,
    ) -> None:
        """Write files in batches under a lock, so that a capture does not wait for all of them."""
        held = [change for change in changes if change.path.startswith("conflicts/")]
        if held:
            self._reopen(held)
        for start in range(0, len(changes), _BATCH):
            batch = changes[start : start + _BATCH]
            with self.store_held():
                carry_out(self._home, batch, for_good=for_good, written=written)
            if progress is not None:
                progress(start + len(batch), len(changes))
        if held:
            _conflicts(self._home).sweep()

    def _reopen(self, changes: Sequence[FileChange]) -> None:
        """Mark the conflicts that come back, before they do: the next commit has to know."""
        for change in changes:
            _, name, *file = change.path.split("/")
            if file == ["conflict.json"] and change.after is not None:
                _conflicts(self._home).reopen(name)

    def alone(self, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """The lock that every change of several notes holds. Raises StoreBusy."""
        path = self._home.lock("undo")
        return locks.held(path, name="lock of large changes", timeout=timeout)

    def store_held(self) -> AbstractContextManager[None]:
        """The lock that every change of a note holds. Raises StoreBusy."""
        path = self._home.lock("store")
        return locks.held(path, name="store", timeout=LOCK_SECONDS)

    def prune(self) -> None:
        """Remove records older than 30 days, and the oldest where there are too many.

        Units that removed local-only notes are kept for the whole time: nothing else has them.
        """
        limit = time.time() - KEPT_DAYS * 86_400  # ids may be ahead of the clock
        oldest = encode_id(max(0, int(limit * 1000)), 0)
        total = 0
        for at, name in enumerate(self._names()):
            if name.split(".")[1] == APPLYING:
                continue
            path = os.path.join(self._home.undo, name)
            size, written = _size_and_time(path)
            too_many = at >= _MOST_UNITS or (at > 0 and total + size > _MOST_BYTES)
            if name < oldest or written < limit or (too_many and not self._is_needed(name)):
                atomic.remove(path)
            else:
                total += size

    def scrub(self, is_unwanted: Callable[[Image], bool]) -> None:
        """Remove some files from every record, so that undo cannot bring them back."""
        for unit in self.all():
            kept = [image for image in unit.files if not is_unwanted(image)]
            if not kept:
                self.drop(unit)
            elif len(kept) < len(unit.files):
                self.save(replace(unit, files=kept))

    def sweep(self) -> None:
        """Remove half-written records of killed processes; the lock is held."""
        folder = self._home.undo
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.startswith(atomic.TEMP_PREFIX):
                atomic.remove(os.path.join(folder, name))

    def _is_needed(self, name: str) -> bool:
        unit = self._load(name)
        return unit is not None and unit.has_the_only_copy

    def _names(self) -> list[str]:
        try:
            names = os.listdir(self._home.undo)
        except OSError:
            return []
        return sorted((name for name in names if name.count(".") == 2), reverse=True)

    def _path(self, unit: Unit) -> str:
        return os.path.join(self._home.undo, f"{unit.id}.{unit.state}.json")

    def _load(self, name: str) -> Unit | None:
        id, state, _ = name.split(".")
        try:
            with open(os.path.join(self._home.undo, name), encoding="utf-8") as stream:
                stored = json.load(stream)
            files = [
                Image(path, _bytes(before), after)
                for path, before, after in stored["files"]
                if not path.startswith(_VOUCHED)
            ]
            redoes = str(stored.get("redoes", ""))
            return Unit(id, stored["kind"], stored["summary"], stored["at"], state, files, redoes)
        except (OSError, ValueError, KeyError, TypeError):
            return None
