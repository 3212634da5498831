"""Earlier versions of a note: listing, comparing, bringing one back."""

from __future__ import annotations

import os
from dataclasses import replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput, NoSuchNote, SeveralMatch
from anamnesis.history import commit, lineage, log, undo
from anamnesis.index.curation import places
from anamnesis.notes import tombstones, tree
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.notes.ids import LENGTH
from anamnesis.notes.note import UnreadableNote

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


class Forgotten(InvalidInput):
    """A note that was removed on all machines stays removed."""

    def __init__(self, note_id: str) -> None:
        super().__init__(
            f"Note {note_id} was forgotten or rejected; the next sync would remove it again.",
            hint="Write what you still need as a new note.",
        )


def versions(store: MemoryStore, given: str, *, limit: int = 100) -> list[log.Version]:
    """The recorded versions of a note, newest first; also of one that was deleted."""
    note_id = _id(store, given)
    found = lineage.versions(
        os.fspath(store.memory_dir), note_id, names=_names(store, note_id), limit=limit
    )
    if not found:
        if store.get(note_id) is None:
            raise NoSuchNote(given)
        raise log.NoHistory(f"Note {note_id}")
    return found


def text_at(store: MemoryStore, note_id: str, revision: str) -> bytes:
    """What a note said in a version, whatever its file was called then."""
    names = _names(store, note_id)
    return lineage.text_at(os.fspath(store.memory_dir), note_id, revision, names=names)


def difference(store: MemoryStore, given: str, old: str = "", new: str = "") -> str:
    """A unified diff: of the last recorded version and the file, or of the versions named."""
    note_id = _id(store, given)
    before = old or "refs/heads/main"
    one = _text_or_nothing(store, note_id, before)
    if (
        not one
        and store.get(note_id) is None
        and not lineage.versions(os.fspath(store.memory_dir), note_id, limit=1)
    ):
        raise NoSuchNote(given)
    if new:
        other, name = _text_or_nothing(store, note_id, new), new
    else:
        note = store.get(note_id)
        other, name = (serialize(note).encode() if note else b""), "now"
    return "".join(unified_diff(_lines(one), _lines(other), old or "last sync", name))


def restore(store: MemoryStore, given: str, revision: str) -> undo.Replaced:
    """Make an earlier version the current one; what was current stays in history.

    Raises NoSuchNote, NoSuchVersion, UnreadableNote, and Forgotten for a note that was removed on
    all machines.
    """
    note_id = _id(store, given)
    text = text_at(store, note_id, revision)
    try:
        note = deserialize(text.decode())
        tree.path_of(note)
    except UnicodeDecodeError:
        raise UnreadableNote(f"version {revision} of {note_id} is not UTF-8") from None
    current = store.read(note_id)
    if current is None and tombstones.is_forgotten(store.home, note_id):
        raise Forgotten(note_id)
    note = replace(note, scope=current.note.scope if current else "portable")
    commit.keep(store, [note_id])  # it may have an edit that no version has
    return undo.replaced(store, note, before=current, kind="restore")


def _id(store: MemoryStore, given: str) -> str:
    try:
        return store.resolve_id(given)
    except NoSuchNote:
        removed = _removed(store, given)
    if len(removed) > 1:
        raise SeveralMatch(given, removed)
    return removed[0] if removed else given


def _removed(store: MemoryStore, given: str) -> list[str]:
    """The notes that are in history only and have this id, or this part of it."""
    if len(given) == LENGTH:
        return [given]
    try:
        found = lineage.removed_ids(os.fspath(store.memory_dir), given)
    except log.NoHistory:
        return []
    return [given] if given in found else found


def _names(store: MemoryStore, note_id: str) -> list[str]:
    """Where the note's file is now, as its tree has it; a note that stays here may have moved."""
    found = store.ask(lambda db: places(db, [note_id]))
    return [path.partition("/")[2] for path in found.values()]


def _text_or_nothing(store: MemoryStore, note_id: str, revision: str) -> bytes:
    """A version's text; nothing where the note did not exist yet or any more."""
    try:
        return text_at(store, note_id, revision)
    except log.NoSuchVersion:
        return b""


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines(keepends=True)
