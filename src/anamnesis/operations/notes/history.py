"""The history of notes, for every face: changes, earlier versions, and restoring them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import commit, lineage, log
from anamnesis.history.log import NoHistory, NoSuchVersion, Version
from anamnesis.history.restore import (
    RemovedPage,
    difference,
    removed_notes,
    removed_titles,
    restore,
    versions,
)
from anamnesis.index import browse
from anamnesis.operations.notes.list import titles
from anamnesis.sync.diff3 import edits, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anamnesis.config import Home
    from anamnesis.store import MemoryStore

__all__ = [
    "ChangesPage", "MachineStanding", "NoHistory", "NoSuchVersion", "RecordedChange", "Version",
    "changes", "changes_with_titles", "deleted_notes", "difference", "line_counts", "look_ahead",
    "prepare", "project_changes", "record_changes", "restore", "standings", "text_of", "versions",
]  # fmt: skip

_LATEST = 500  # changes that are searched for who wrote when
_COUNTED = 200  # files; the lines of a larger change are not counted
_AHEAD = 100  # changes: two pages of the history, one of deleted notes
_LOOKED = 500  # changes at a time, for those of one project
_WHAT = {"A": "added", "M": "changed", "D": "deleted"}


@dataclass(frozen=True, slots=True)
class ChangedNote:
    """One note of a recorded change."""

    what: str  # added, changed or deleted
    note_id: str
    title: str
    added: int = 0  # lines
    removed: int = 0


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One recorded change of the store, with some of its notes."""

    version: Version
    notes: tuple[ChangedNote, ...]
    total: int  # notes that it changed


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Some changes, the commit to continue from (empty at the end), and those to prefetch."""

    versions: list[Version]
    further: str
    ahead: list[Version]  # of the next page, whose contents are not read yet


def changes(
    home: Home, *, limit: int, start: str = "", machine: str = "", what: str = ""
) -> ChangesPage:
    """The last changes of all notes, newest first, from `start` on. Raises NoHistory.

    Optionally only those of a machine, or those that added, changed or deleted notes; the latter
    are searched for among _AHEAD changes at a time.
    """
    letter = next((letter for letter, name in _WHAT.items() if name == what), "")
    among = max(limit, _AHEAD) if letter else limit
    listed = log.log(home.memory, limit=2 * among, start=start, machine=machine)
    looked, ahead = listed[:among], log.unknown(listed[among:])
    found = log.with_files(home.memory, looked, first=letter in ("", "A"))
    if letter:
        found = log.of_kind(found, letter)
    if len(found) > limit:
        return ChangesPage(found[:limit], found[limit].commit, ahead)
    return ChangesPage(found, listed[among].commit if len(listed) > among else "", ahead)


def project_changes(store: MemoryStore, project: str, *, limit: int) -> list[Version]:
    """The last changes of a project's notes, newest first, without other notes."""
    kept: list[Version] = []
    for skipped in count(0, _LOOKED):
        words = [f"--max-count={_LOOKED}", f"--skip={skipped}"]
        found = log.changes(store.home.memory, words)
        kept += _within(store, found, project)
        if len(found) < _LOOKED or len(kept) >= limit:
            break
    return kept[:limit]


def _within(store: MemoryStore, found: Sequence[Version], project: str) -> Iterator[Version]:
    """What changes did to the notes of a project: by where a note is now, or last was."""
    files = [file for version in found for file in _notes(version)]
    ids = dict.fromkeys(_id(line) for line, _ in files)
    here = {row.note.id: row.note.project for row in store.ask(lambda db: browse.rows_of(db, ids))}
    blobs = list(dict.fromkeys(blob for line, blob in files if _id(line) not in here))
    gone = lineage.notes_in(store.home.memory, blobs) if blobs else {}

    def project_of(line: str, blob: str) -> str:
        last = gone.get(blob)
        return here.get(_id(line)) or (last.project if last else "")

    for version in found:
        of_project = [file for file in _notes(version) if project_of(*file) == project]
        if of_project:
            lines, texts = zip(*of_project, strict=True)
            yield replace(version, files=lines, blobs=texts)


def line_counts(home: Home, versions: Sequence[Version]) -> dict[str, tuple[int, int]]:
    """How many lines each version of one note added and removed, by commit.

    Counted from its texts: git would compare all notes of each change.
    """
    texts = [lines_of(text) for text in lineage.texts_in(home.memory, versions)]
    counts: dict[str, tuple[int, int]] = {}
    for at, version in enumerate(versions):
        before: Sequence[str] = texts[at + 1] if at + 1 < len(texts) else ()
        changed = list(edits(before, texts[at]))
        added = sum(len(edit.lines) for edit in changed)
        counts[version.commit] = (added, sum(edit.end - edit.start for edit in changed))
    return counts


def changes_with_titles(
    store: MemoryStore, found: Sequence[Version], *, first: int = 0, most: int
) -> list[RecordedChange]:
    """Some changes with the titles of their notes: as they are now, or as they last were."""
    notes = {version.commit: _notes(version) for version in found}
    shown = {commit: files[first : first + most] for commit, files in notes.items()}
    files = [file for each in shown.values() for file in each]
    now = titles(store, (_id(line) for line, _ in files))
    last = removed_titles(store, (blob for line, blob in files if _id(line) not in now))
    small = [version.commit for version in found if len(version.files) <= _COUNTED]
    lines = log.line_counts(store.home.memory, small)

    def changed(commit: str, line: str, blob: str) -> ChangedNote:
        note_id = _id(line)
        title = now.get(note_id) or last.get(blob) or note_id
        counted = lines.get((commit, line[2:]), (0, 0))
        return ChangedNote(_WHAT.get(line[:1], "changed"), note_id, title, *counted)

    return [
        RecordedChange(
            version,
            tuple(changed(version.commit, *file) for file in shown[version.commit]),
            total=len(notes[version.commit]),
        )
        for version in found
    ]


def deleted_notes(store: MemoryStore, *, start: str = "") -> RemovedPage:
    """Deleted notes, latest first, and where to continue; none if nothing is recorded yet."""
    try:
        return removed_notes(store, start=start)
    except NoHistory:
        return RemovedPage(())


def text_of(home: Home, version: Version) -> str:
    """A note's text after one of its changes; empty if that deleted it."""
    return lineage.text_in(home.memory, version).decode("utf-8", "replace")


@dataclass(slots=True)
class MachineStanding:
    """What the history says about one machine."""

    times: list[str] = field(default_factory=list)  # of its changes, latest first
    behind: int = 0  # changes of notes by others since its latest one
    ahead: int = 0  # changes that it has sent and that are not merged here


def standings(home: Home, *, fetched: bool = False) -> dict[str, MachineStanding]:
    """The standing of each machine that has one of the latest changes.

    `fetched` says whether there are changes that were fetched but not merged.
    """
    found: dict[str, MachineStanding] = {}
    try:
        latest = log.log(home.memory, limit=_LATEST)
        arrived = log.fetched(home.memory) if fetched else []
        commits = [each.commit for each in (*latest, *arrived)]
        about_notes = log.about_notes(home.memory, commits)
    except NoHistory:
        return found
    lines = log.lines(home.memory, limit=2 * _LATEST)
    parents = {line.commit: line.parents for line in lines}
    last = {line.machine: line.commit for line in reversed(lines)}
    for version in latest:
        if version.machine not in found:
            read = _reached(last.get(version.machine, version.commit), parents)
            unread = (each for each in latest if each.commit not in read)
            behind = sum(each.commit in about_notes for each in unread)
            found[version.machine] = MachineStanding(behind=behind)
        found[version.machine].times.append(version.at)
    for version in arrived:
        standing = found.setdefault(version.machine, MachineStanding())
        standing.ahead += version.commit in about_notes
    return found


def _reached(commit: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    """A change and all that it was made on top of."""
    reached: set[str] = set()
    waiting = [commit]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += parents.get(each, ())
    return reached


def look_ahead(home: Home, ahead: Sequence[Version] | None = None) -> None:
    """Read what some changes did, or the latest ones, before a page needs it.

    Leaves out the very first change: it has many files, which its own page lists.
    """
    with suppress(AnamnesisError):  # the page itself reports it
        some = log.log(home.memory, limit=_AHEAD) if ahead is None else ahead
        found = log.with_files(home.memory, some, first=False)
        small = [each.commit for each in found if len(each.files) <= _COUNTED]
        log.line_counts(home.memory, small)


def record_changes(store: MemoryStore) -> None:
    """Commit what changed on disk, without the network. Raises AnamnesisError or OSError."""
    commit.record_locally(store, machine_id=config.resolve_machine_id())


def prepare(home: Home) -> None:
    """Let git index in the background which change touched which note, for a faster history."""
    log.index_changes(home.memory)


def _notes(version: Version) -> list[tuple[str, str]]:
    """The note files of a version; machines leave their heartbeats there as well."""
    pairs = zip(version.files, version.blobs, strict=True)
    return [(line, blob) for line, blob in pairs if line.endswith(".md")]


def _id(line: str) -> str:
    return line.rpartition("/")[2].removesuffix(".md")
