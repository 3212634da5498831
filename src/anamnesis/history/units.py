"""What every file of a unit was, kept until the unit is taken back or long past.

A record is `<home>/undo/<unit>.<state>.json`. Renaming it is how a unit changes its state: that
happens at once or not at all.
"""

from __future__ import annotations

import json
import os
import re

from anamnesis.ground import atomic
from anamnesis.ground.records import fresh, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

APPLYING, DONE, UNDONE = "applying", "done", "undone"
_UNITS_KEPT = 50
_ID = re.compile(rb"^id:[ \t]*(\S+)", re.MULTILINE)


@record
class Image:
    """A file as it was (None: not there), and the hash of what the unit made of it."""

    path: str
    before: bytes | None
    after: str


@record
class Unit:
    """What was changed together."""

    id: str
    kind: str
    summary: str
    at: str
    state: str = APPLYING
    files: list[Image] = fresh(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """The paths of its files that may be notes."""
        return [image.path for image in self.files if image.path.endswith(".md")]


def hash_of(data: bytes | None) -> str:
    """What tells two contents apart; nothing for no file."""
    from hashlib import blake2b

    return "" if data is None else blake2b(data, digest_size=16).hexdigest()


def units(root: str, *, state: str = "") -> Iterator[Unit]:
    """The recorded units (of a state), latest first; an unreadable record is passed over."""
    for name in _names(root):
        if state in ("", name.split(".")[1]) and (unit := _load(root, name)):
            yield unit


def save(root: str, unit: Unit) -> None:
    """Write a unit's record."""
    files = [[image.path, _text(image.before), image.after] for image in unit.files]
    fields = {"kind": unit.kind, "summary": unit.summary, "at": unit.at, "files": files}
    atomic.write_text(_path(root, unit), json.dumps(fields))


def turn(root: str, unit: Unit, state: str) -> Unit:
    """Give a unit another state."""
    turned = replace(unit, state=state)
    atomic.rename(_path(root, unit), _path(root, turned))
    return turned


def drop(root: str, unit: Unit) -> None:
    """Remove a unit's record."""
    atomic.remove(_path(root, unit))


def prune(root: str) -> None:
    """Let the oldest records go."""
    for name in _names(root)[_UNITS_KEPT:]:
        atomic.remove(os.path.join(root, "undo", name))


def scrub(root: str, ids: Container[str]) -> None:
    """Take some notes out of every record: what is forgotten must not wait in an undo."""
    for unit in units(root):
        kept = [image for image in unit.files if _note_of(image) not in ids]
        if len(kept) < len(unit.files):
            save(root, replace(unit, files=kept))


def sweep(root: str) -> None:
    """Remove what a killed process left of a record; nobody may be writing one."""
    folder = os.path.join(root, "undo")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.startswith(atomic.TEMP_PREFIX):
            atomic.remove(os.path.join(folder, name))


def _note_of(image: Image) -> str:
    """The id of the note that a file was, or that its name says."""
    said = _ID.search(image.before or b"")
    if said is not None:
        return said[1].decode("utf-8", "replace").strip("\"'")
    return image.path.rpartition("/")[2].removesuffix(".md")


def _names(root: str) -> list[str]:
    try:
        found = os.listdir(os.path.join(root, "undo"))
    except OSError:
        return []
    return sorted((name for name in found if name.count(".") == 2), reverse=True)


def _path(root: str, unit: Unit) -> str:
    return os.path.join(root, "undo", f"{unit.id}.{unit.state}.json")


def _load(root: str, name: str) -> Unit | None:
    id, state, _ = name.split(".")
    try:
        with open(os.path.join(root, "undo", name), encoding="utf-8") as stream:
            found = json.load(stream)
        files = [Image(path, _bytes(before), after) for path, before, after in found["files"]]
        return Unit(id, found["kind"], found["summary"], found["at"], state, files)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")
