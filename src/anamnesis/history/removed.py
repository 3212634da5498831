"""Notes that were deleted: what they were called, and the change that removed them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.history import lineage, log
from anamnesis.index import browse
from anamnesis.notes import tombstones
from anamnesis.notes.ids import is_valid_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.history.log import Version
    from anamnesis.store import MemoryStore

_AMONG = 100  # changes looked at in one go
_SECONDS = 1.5  # after which a person is shown what there is


@dataclass(frozen=True, slots=True)
class Removed:
    """A deleted note."""

    id: str
    title: str
    version: Version


@dataclass(frozen=True, slots=True)
class Page:
    """Some deleted notes, latest first, and where to look on; empty: everything was looked at."""

    notes: tuple[Removed, ...]
    further: str = ""


def page(store: MemoryStore, *, start: str = "", least: int = 40) -> Page:
    """The notes deleted at or before a change: so many, or what is found in a moment."""
    found: dict[str, Removed] = {}
    deadline = time.monotonic() + _SECONDS
    while True:
        changes, start = log.removals(os.fspath(store.memory_dir), start=start, among=_AMONG)
        for removed in _gone(store, changes):
            found.setdefault(removed.id, removed)
        if not start or len(found) >= least or time.monotonic() > deadline:
            return Page(tuple(found.values()), start)


def titles(store: MemoryStore, blobs: Iterable[str]) -> dict[str, str]:
    """The titles of the notes that some recorded texts are."""
    wanted = list(dict.fromkeys(blobs))
    found = lineage.notes_in(os.fspath(store.memory_dir), wanted) if wanted else {}
    return {blob: note.title for blob, note in found.items() if note is not None}


def _gone(store: MemoryStore, changes: Iterable[Version]) -> Iterator[Removed]:
    """The removed files that are no longer there as a note, and were not forgotten on purpose."""
    files = [
        (version, path, blob)
        for version in changes
        for path, blob in zip(version.files, version.blobs, strict=True)
        if path.endswith(".md")
    ]
    blobs = list(dict.fromkeys(blob for *_, blob in files))
    notes = lineage.notes_in(os.fspath(store.memory_dir), blobs) if blobs else {}
    named = []
    for version, path, blob in files:
        note = notes.get(blob)
        note_id = note.id if note else path.rpartition("/")[2].removesuffix(".md")
        if is_valid_id(note_id):
            named.append(Removed(note_id, note.title if note else "", version))
    ids = dict.fromkeys(each.id for each in named)
    here = {row.note.id for row in store.ask(lambda db: browse.rows_of(db, ids))}
    root = store.home
    return (
        each for each in named if each.id not in here and not tombstones.is_forgotten(root, each.id)
    )
