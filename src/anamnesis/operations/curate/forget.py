"""Forgetting: a note is removed from all machines and does not come back."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from anamnesis.archive import database as archive
from anamnesis.archive import files
from anamnesis.ground.clock import since
from anamnesis.ground.counting import counting, passes
from anamnesis.ground.errors import InvalidInput
from anamnesis.history import undo
from anamnesis.notes import tree
from anamnesis.notes.frontmatter import note_in
from anamnesis.operations.curate import traces
from anamnesis.search import vectors
from anamnesis.sync.conflicts import Conflicts
from anamnesis.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore

_MOST_HITS = 50


def choose(
    store: MemoryStore,
    *,
    ids: Sequence[NoteId] = (),
    query: str = "",
    project: str | None = None,
    before: str = "",
) -> list[Memory]:
    """The notes that meet all given conditions; none without a condition.

    An id that is already forgotten matches nothing, so that an interrupted command can be repeated.

    Raises InvalidInput, and NoSuchNote or SeveralMatch for an id.
    """
    if not (ids or query or project or before):
        raise InvalidInput("Name what to forget: an id, --query, --project or --before.")
    limit = _moment(before)
    if ids:
        known = set(forgotten_before(store, ids))
        named = [store.get(store.resolve_id(given)) for given in ids if given not in known]
        found = [note for note in named if note is not None]
    elif query:
        asked = set(tokens(query))
        near = store.search(query, project=project, k=_MOST_HITS)
        # What cannot be undone takes no guess: a search also finds what is only similar.
        found = [note for note in near if asked <= set(tokens(_text(note)))]
    else:
        found = store.headers(project=project)
    return [
        note
        for note in found
        if (project is None or note.project == project)
        and (not limit or note.created_at[: len(limit)] < limit)
    ]


@dataclass(frozen=True, slots=True)
class SessionToForget:
    """An archived session, and a line that describes it."""

    id: str
    line: str


def choose_sessions(
    home: Home,
    query: str,
    *,
    project: str | None = None,
    before: str = "",
    beside: Iterable[Memory] = (),
) -> list[SessionToForget]:
    """The archived sessions of this machine in which all these words were said or printed.

    Those of the notes `beside` are left out: they go with them.
    """
    asked, limit = set(tokens(query)), _moment(before)
    with_notes = {note.id for note in beside}
    return [
        SessionToForget(each.session, f"{each.ended[:10]}  {each.project}  {each.title}")
        for each in (files.having(home, asked) if asked else ())
        if each.note not in with_notes
        and (project is None or each.project == project)
        and (not limit or each.started[: len(limit)] < limit)
    ]


def has_words(query: str) -> Callable[[bytes], bool]:
    """Whether the text of a note has all words of a query; never if it has none."""
    asked = set(tokens(query))

    def has(text: bytes) -> bool:
        return bool(asked) and asked <= set(tokens(text.decode("utf-8", "replace")))

    return has


def kept_for_undo(home: Home, query: str) -> int:
    """How many earlier texts of any notes with these words `anamnesis undo` could bring back."""
    return undo.kept_with(home, has_words(query)) if query else 0


def _text(note: Memory) -> str:
    return " ".join((note.title, note.body, *note.tags))


def forgotten_before(store: MemoryStore, ids: Iterable[NoteId]) -> list[str]:
    """The full ids of which only a tombstone is left."""
    return [
        each
        for each in dict.fromkeys(ids)
        if tree.is_forgotten(store.home, each) and store.get(each) is None
    ]


def _moment(text: str) -> str:
    """The start of a year, month or day, or a time such as `30d` ago, as notes write it."""
    text = text.strip()
    if not text or re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", text):
        return text
    return datetime.fromtimestamp(since(text), UTC).isoformat(timespec="seconds")


def forget(
    store: MemoryStore,
    ids: Sequence[NoteId],
    *,
    sessions: Iterable[str] = (),
    query: str = "",
    progress: Progress = None,
) -> bool:
    """Remove the notes and everything this machine keeps about them, and leave tombstones.

    `sessions` are archived ones that go too, and so does what undo keeps of other notes with the
    words of `query`. False if another process kept some of it open: the
    next sync removes that. Raises NoSuchNote before anything is removed.
    """
    stones = {tree.session_tombstone_of(session): None for session in sessions}
    wanted = list(dict.fromkeys(ids))
    first, second, third = passes(progress, 3, total=len(wanted))
    for note_id in counting(wanted, first):
        note = store.require(note_id).note
        stones[tree.tombstone_of(note_id)] = None
        if note.type == "episodic" and note.prov_session:
            stones[tree.session_tombstone_of(note.prov_session)] = None
    known = tree.forgotten(store.home)
    graves = [
        undo.FileChange(path, None, tree.TOMBSTONE)
        for path in stones
        if path.rpartition("/")[2].removesuffix(".json") not in known
    ]
    is_due = tree.is_burial_due(store.home)
    # Tombstones come first: if killed in between, the next sync finishes the removal.
    undo.erase(store, graves, progress=second)
    at = tree.folder_mtime(store.home, tree.TOMBSTONES)
    is_clean = _erase(store, wanted, query=query, progress=third)
    if is_clean and not is_due:  # else more is to be removed, of what other machines forgot
        tree.note_burial(store.home, at)
    return is_clean


def finish(store: MemoryStore, ids: Iterable[NoteId]) -> bool:
    """Remove what a killed command left of notes that have tombstones; False if not all of it."""
    return _erase(store, ids)


def bury(store: MemoryStore) -> list[str]:
    """Remove all that is kept here of notes that were forgotten on any machine.

    Returns the ids of those that were still or again here, for example after an edit.
    """
    at, is_due = tree.folder_mtime(store.home, tree.TOMBSTONES), tree.is_burial_due(store.home)
    stones = tree.forgotten(store.home)
    returned = [note_id for note_id in stones if store.get(note_id) is not None]
    if (is_due or returned) and _erase(store, stones, thorough=is_due):
        tree.note_burial(store.home, at)
    return returned


def _erase(
    store: MemoryStore,
    ids: Iterable[NoteId],
    *,
    thorough: bool = False,
    query: str = "",
    progress: Progress = None,
) -> bool:
    """Remove notes and what is kept of them; the file last, so that a retry finds it."""
    gone, is_gone = set(ids), _gone_sessions(store.home)
    Conflicts(store.home).erase(gone)
    vectors.forget(store.home, gone)
    is_clean = archive.forget(
        store.home, lambda session, note: note in gone or is_gone(session), thorough=thorough
    )
    is_unwanted = has_words(query) if query else None
    traces.erase(store.home, gone, is_gone, is_unwanted=is_unwanted)
    read = [store.read(note_id) for note_id in gone]
    removals = undo.changes_of(store, ((each, None) for each in read if each is not None))
    removals += _copies(store, gone)
    undo.erase(store, removals, ids=gone, is_unwanted=is_unwanted, progress=progress)
    return store.scrub() and is_clean


def _copies(store: MemoryStore, ids: set[NoteId]) -> Iterator[undo.FileChange]:
    """The removal of what other sync programs copied of some notes; that is no note, but has it."""
    for path in (each.path for each in store.unreadable() if tree.copied_from(each.path)):
        data = tree.bytes_at(os.path.join(store.home, path))
        note = note_in(data or b"")
        if note is not None and note.id in ids:
            yield undo.FileChange(path, data, None)


def _gone_sessions(home: Home) -> Callable[[str], bool]:
    """Whether a session was forgotten, asked many times."""
    stones = tree.forgotten(home)

    @cache
    def is_gone(session: str) -> bool:
        stone = tree.session_tombstone_of(session).rpartition("/")[2].removesuffix(".json")
        return bool(session) and stone in stones

    return is_gone
