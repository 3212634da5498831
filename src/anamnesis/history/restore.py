"""Earlier versions of a note and deleted notes: listing, comparing, restoring."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput, NoSuchNote, SeveralMatch
from anamnesis.history import commit, lineage, log, undo
from anamnesis.index import browse
from anamnesis.index.queries import places
from anamnesis.notes import tree
from anamnesis.notes.fields import ID_LENGTH, UnreadableNote, is_valid_id
from anamnesis.notes.frontmatter import deserialize, note_in, serialize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.history.log import Version
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

_AMONG = 100  # changes examined at a time
_ENOUGH = 40  # notes on a page
_SECONDS = 1.5  # after which the notes found so far are shown


class Forgotten(InvalidInput):
    """A note that was removed on all machines stays removed."""

    def __init__(self, note_id: str) -> None:
        super().__init__(
            f"Note {note_id} was forgotten or rejected; the next sync would remove it again.",
            hint="Write a new note with what you still need.",
        )


def versions(store: MemoryStore, id_or_part: str, *, limit: int = 100) -> list[log.Version]:
    """The recorded versions of a note, newest first; also of a deleted one.

    Raises NoHistory or NoSuchNote.
    """
    note_id = _id(store, id_or_part)
    try:
        recorded = lineage.versions(
            os.fspath(store.memory_dir), note_id, names=_names(store, note_id), limit=limit
        )
    except log.NoHistory:
        if store.get(note_id) or not (removed_by := undo.removal_of(store.home, note_id)):
            raise
        raise NoSuchNote(id_or_part, removed_by=removed_by) from None
    if not recorded:
        if store.get(note_id) is None:
            raise NoSuchNote(id_or_part, removed_by=undo.removal_of(store.home, note_id))
        raise log.NoHistory(f"Note {note_id}")
    return recorded


def as_of(store: MemoryStore, note: Memory, day: str) -> Memory:
    """A note as it was on a day (or at a time), or as it is where its history does not say."""
    if note.updated_at[: len(day)] <= day:
        return note
    try:
        recorded = versions(store, note.id)
    except (log.NoHistory, NoSuchNote):
        return note
    for text in lineage.texts_in(os.fspath(store.memory_dir), recorded):
        past = note_in(text.encode())
        if past is not None and past.updated_at[: len(day)] <= day:
            return past
    return note


def text_at(store: MemoryStore, note_id: str, revision: str) -> bytes:
    """The text of a note in a version, whatever its file was called then."""
    names = _names(store, note_id)
    return lineage.text_at(os.fspath(store.memory_dir), note_id, revision, names=names)


def difference(store: MemoryStore, id_or_part: str, old: str = "", new: str = "") -> str:
    """A unified diff between the last recorded version and the file, or between two versions.

    Raises NoSuchNote.
    """
    note_id = _id(store, id_or_part)
    before = old or "refs/heads/main"
    old_text = _text_or_nothing(store, note_id, before)
    if (
        not old_text
        and store.get(note_id) is None
        and not lineage.versions(os.fspath(store.memory_dir), note_id, limit=1)
    ):
        raise NoSuchNote(id_or_part)
    if new:
        new_text, name = _text_or_nothing(store, note_id, new), new
    else:
        note = store.get(note_id)
        new_text, name = (serialize(note).encode() if note else b""), "now"
    return "".join(unified_diff(_lines(old_text), _lines(new_text), old or "last sync", name))


def restore(store: MemoryStore, id_or_part: str, revision: str) -> undo.Replaced:
    """Restore an earlier version; the current one stays in the history.

    Raises NoSuchNote, NoSuchVersion, UnreadableNote, and Forgotten for a note that was removed on
    all machines.
    """
    note_id = _id(store, id_or_part)
    text = text_at(store, note_id, revision)
    try:
        note = deserialize(text.decode())
        tree.path_of(note)
    except UnicodeDecodeError:
        raise UnreadableNote(f"version {revision} of {note_id} is not UTF-8") from None
    current = store.read(note_id)
    if current is None and tree.is_forgotten(store.home, note_id):
        raise Forgotten(note_id)
    note = replace(note, scope=current.note.scope if current else "portable")
    commit.keep(store, [note_id])  # it may have an edit that is not recorded yet
    return undo.replaced(store, note, before=current, kind="restore")


def _id(store: MemoryStore, id_or_part: str) -> str:
    try:
        return store.resolve_id(id_or_part)
    except NoSuchNote:
        removed = _removed(store, id_or_part)
    if len(removed) > 1:
        raise SeveralMatch(id_or_part, removed)
    return removed[0] if removed else id_or_part


def _removed(store: MemoryStore, id_or_part: str) -> list[str]:
    """The notes that exist only in the history and have this id, or this part of it."""
    if len(id_or_part) == ID_LENGTH:
        return [id_or_part]
    try:
        ids = lineage.removed_ids(os.fspath(store.memory_dir), id_or_part)
    except log.NoHistory:
        return []
    return [id_or_part] if id_or_part in ids else ids


def _names(store: MemoryStore, note_id: str) -> list[str]:
    """Where the note's file is now, within its tree; a local-only note may have moved."""
    files = store.ask(lambda db: places(db, [note_id]))
    return [path.partition("/")[2] for path in files.values()]


def _text_or_nothing(store: MemoryStore, note_id: str, revision: str) -> bytes:
    """A version's text; nothing where the note did not exist yet or any more."""
    try:
        return text_at(store, note_id, revision)
    except log.NoSuchVersion:
        return b""


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines(keepends=True)


@dataclass(frozen=True, slots=True)
class Removed:
    """A deleted note."""

    id: str
    title: str
    version: Version


@dataclass(frozen=True, slots=True)
class RemovedPage:
    """Some deleted notes, latest first, and where to continue; empty at the end."""

    notes: tuple[Removed, ...]
    further: str = ""


def removed_notes(store: MemoryStore, *, start: str = "") -> RemovedPage:
    """The notes deleted at or before a change: a page of them, or what a short search finds."""
    notes: dict[str, Removed] = {}
    deadline = time.monotonic() + _SECONDS
    while True:
        changes, start = log.removals(os.fspath(store.memory_dir), start=start, among=_AMONG)
        for removed in _gone(store, changes):
            notes.setdefault(removed.id, removed)
        if not start or len(notes) >= _ENOUGH or time.monotonic() > deadline:
            return RemovedPage(tuple(notes.values()), start)


def removed_titles(store: MemoryStore, blobs: Iterable[str]) -> dict[str, str]:
    """The titles of some recorded texts."""
    distinct = list(dict.fromkeys(blobs))
    notes = lineage.notes_in(os.fspath(store.memory_dir), distinct) if distinct else {}
    return {blob: note.title for blob, note in notes.items() if note is not None}


def _gone(store: MemoryStore, changes: Iterable[Version]) -> Iterator[Removed]:
    """The removed files whose notes do not exist any more and were not forgotten."""
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
    return (each for each in named if each.id not in here and not tree.is_forgotten(root, each.id))
