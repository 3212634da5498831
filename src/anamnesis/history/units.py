"""What every file of a unit was, kept until the unit is taken back or long past.

A record is `<home>/undo/<unit>.<state>.json`. Renaming it is how a unit changes its state: that
happens at once or not at all. A unit that was taken back has no record any more.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.notes.ids import encode_id, is_valid_id

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from anamnesis.ground.home import Home

APPLYING, DONE = "applying", "done"
KEPT_DAYS = 30  # long enough to miss a note; its text must not lie about for ever
_MOST_UNITS = 300  # a month of editing ten notes a day
_MOST_BYTES = 64 * 1024 * 1024  # a migration of 20,000 notes, and all the edits beside it
_ID = re.compile(rb"^id:[ \t]*(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Image:
    """A file as it was (None: not there), and the hash of what the unit made of it."""

    path: str
    before: bytes | None
    after: str

    @property
    def is_note(self) -> bool:
        """Whether the file may be a note."""
        return self.path.endswith(".md")

    @property
    def note_id(self) -> str:
        """The id of the note that the file was, or that its name says."""
        said = _ID.search(self.before or b"")
        if said is not None:
            return said[1].decode("utf-8", "replace").strip("\"'")
        return os.path.splitext(self.path.rpartition("/")[2])[0]


@dataclass(frozen=True, slots=True)
class Unit:
    """What was changed together."""

    id: str
    kind: str  # the verb: delete, edit, import, …
    summary: str  # no words of a note: a record outlives what is forgotten
    at: str
    state: str = APPLYING
    files: list[Image] = field(default_factory=list)
    redoes: str = ""  # of an undo: the kind of the unit that it took back

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
        """What its first note was called; nothing if there was none before."""
        from anamnesis.notes.frontmatter import note_in

        notes = (note_in(image.before or b"") for image in self.files if image.is_note)
        return next((note.title for note in notes if note is not None), "")

    @property
    def has_the_only_copy(self) -> bool:
        """Whether it removed notes of this machine, which no history has."""
        return any(image.path.startswith("local/") and not image.after for image in self.files)


def hash_of(data: bytes | None) -> str:
    """What tells two contents apart; nothing for no file."""
    from hashlib import blake2b

    return "" if data is None else blake2b(data, digest_size=16).hexdigest()


def units(root: Home, *, state: str = "") -> Iterator[Unit]:
    """The recorded units (of a state), latest first; an unreadable record is passed over."""
    for name in _names(root):
        if state in ("", name.split(".")[1]) and (unit := _load(root, name)):
            yield unit


def unit_of(root: Home, id: str) -> Unit | None:
    """The finished unit of an id."""
    return _load(root, f"{id}.{DONE}.json") if is_valid_id(id) else None


def has_unfinished(root: Home) -> bool:
    """Whether a unit is being written, or was when its process was killed."""
    return any(name.split(".")[1] == APPLYING for name in _names(root))


def save(root: Home, unit: Unit) -> None:
    """Write a unit's record."""
    files = [[image.path, _text(image.before), image.after] for image in unit.files]
    fields = {"kind": unit.kind, "summary": unit.summary, "at": unit.at, "files": files}
    if unit.redoes:
        fields["redoes"] = unit.redoes
    atomic.write_text(_path(root, unit), json.dumps(fields))


def finish(root: Home, unit: Unit) -> Unit:
    """Mark a unit as written completely."""
    done = replace(unit, state=DONE)
    atomic.rename(_path(root, unit), _path(root, done))
    return done


def drop(root: Home, unit: Unit) -> None:
    """Remove a unit's record."""
    atomic.remove(_path(root, unit))


def prune(root: Home) -> None:
    """Remove records older than 30 days, and the oldest where there are too many.

    What removed notes of this machine is kept for the whole time: nothing else has them.
    """
    oldest = encode_id(max(0, int((time.time() - KEPT_DAYS * 86_400) * 1000)), 0)
    total = 0
    for at, name in enumerate(_names(root)):
        if name.split(".")[1] == APPLYING:
            continue
        path = os.path.join(root.undo, name)
        size = _size(path)
        too_many = at >= _MOST_UNITS or (at > 0 and total + size > _MOST_BYTES)
        if name < oldest or (too_many and not _is_needed(root, name)):
            atomic.remove(path)
        else:
            total += size


def _is_needed(root: Home, name: str) -> bool:
    unit = _load(root, name)
    return unit is not None and unit.has_the_only_copy


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def scrub(root: Home, ids: Container[str]) -> None:
    """Remove some notes from every record: what is forgotten must not wait in an undo."""
    for unit in units(root):
        kept = [image for image in unit.files if image.note_id not in ids]
        if not kept:
            drop(root, unit)
        elif len(kept) < len(unit.files):
            save(root, replace(unit, files=kept))


def sweep(root: Home) -> None:
    """Remove what a killed process left of a record; nobody may be writing one."""
    folder = root.undo
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.startswith(atomic.TEMP_PREFIX):
            atomic.remove(os.path.join(folder, name))


def _names(root: Home) -> list[str]:
    try:
        found = os.listdir(root.undo)
    except OSError:
        return []
    return sorted((name for name in found if name.count(".") == 2), reverse=True)


def _path(root: Home, unit: Unit) -> str:
    return os.path.join(root.undo, f"{unit.id}.{unit.state}.json")


def _load(root: Home, name: str) -> Unit | None:
    id, state, _ = name.split(".")
    try:
        with open(os.path.join(root.undo, name), encoding="utf-8") as stream:
            found = json.load(stream)
        files = [Image(path, _bytes(before), after) for path, before, after in found["files"]]
        redoes = str(found.get("redoes", ""))
        return Unit(id, found["kind"], found["summary"], found["at"], state, files, redoes)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")
