"""The history of the store and of one note, from git; restoring versions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput, NoSuchNote
from anamnesis.history import lineage, log, removed
from anamnesis.history import restore as past
from anamnesis.history.log import NoHistory, Version
from anamnesis.index import browse
from anamnesis.notes.ids import is_valid_id
from anamnesis.web import differences
from anamnesis.web.dashboard import notice_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.tree import ReadNote
    from anamnesis.web.visit import Visit

_SHOWN = 40
_VERSIONS = 100  # of one note
_MOST_VERSIONS = 100_000
_FILES_SHOWN = 8
_FILES_OF_ONE = 200  # where one version is looked at
_WORDS = {"A": "added", "M": "changed", "D": "deleted"}


@dataclass(frozen=True, slots=True)
class File:
    """One file of a version."""

    what: str
    note_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of the store."""

    version: Version
    files: tuple[File, ...]
    more: int


def show(visit: Visit) -> Response:
    """What changed, the latest first, from the change on that the address names."""
    visit.dashboard.recorder.now()
    if visit.asked("deleted") == "1":
        return _deleted(visit)
    if visit.asked("version"):
        return _one(visit, visit.asked("version"))
    start = visit.asked("from")
    found = _log(visit, start)
    entries = _entries(visit, found[:_SHOWN])
    by_day = groupby(entries, lambda each: each.version.at[:10])
    return visit.page(
        "history.html",
        days=[(day, list(group)) for day, group in by_day],
        start=start,
        further=found[_SHOWN].commit if len(found) > _SHOWN else "",
    )


def _one(visit: Visit, commit: str) -> Response:
    """All notes of one version, in pages."""
    offset = visit.asked_number("offset", 0, most=_MOST_VERSIONS)
    memory = os.fspath(visit.store.memory_dir)
    [version] = log.log(memory, limit=1, start=commit)
    [entry] = _entries(visit, [version], first=offset, most=_FILES_OF_ONE)
    return visit.page(
        "history_version.html",
        entry=entry,
        total=len(_notes(version)),
        offset=offset,
        page_size=_FILES_OF_ONE,
    )


def _deleted(visit: Visit) -> Response:
    start = visit.asked("from")
    try:
        page = removed.page(visit.store, start=start)
    except NoHistory:
        page = removed.Page(())
    return visit.page("history_deleted.html", page=page, start=start)


def of_note(visit: Visit) -> Response:
    """The versions of one note, and what one of them changed."""
    visit.dashboard.recorder.now()
    note_id = visit.named("id")
    if not is_valid_id(note_id):
        raise NoSuchNote(note_id[:80])
    current = visit.store.read(note_id)
    limit = max(_VERSIONS, visit.asked_number("limit", _VERSIONS, most=_MOST_VERSIONS))
    try:
        found = past.versions(visit.store, note_id, limit=limit + 1)
    except NoHistory:
        found = []
    if not found and current is None:
        raise NoSuchNote(note_id)
    chosen = visit.asked("at") or (found[0].commit if found else "")
    return visit.page(
        "note_history.html",
        note_id=note_id,
        note=current.note if current else None,
        versions=found[:limit],
        more=limit + _VERSIONS if len(found) > limit else None,
        chosen=chosen,
        restorable=_restorable(found, chosen),
        against_now=visit.asked("with") == "now",
        lines=_changed(visit, current, found, chosen) if chosen else [],
    )


def _restorable(found: list[Version], chosen: str) -> str:
    """What to bring back: the chosen version; for one that removed the note, what was before."""
    ids = [version.commit for version in found]
    at = ids.index(chosen) if chosen in ids else len(ids)
    return next((version.commit for version in found[at:] if not version.deleted), "")


def restore(visit: Visit) -> Response:
    """Make a version the current one; what was current stays in the history."""
    note_id, revision = visit.named("id"), visit.value("revision")
    if not is_valid_id(note_id):
        raise NoSuchNote(note_id[:80])
    done = past.restore(visit.store, note_id, revision)
    visit.dashboard.recorder.soon()
    notice = notice_of(done.unit, "Restored as a new version.")
    return visit.go(f"/notes/{done.note.id}", notice)


def _changed(
    visit: Visit, current: ReadNote | None, found: list[Version], chosen: str
) -> list[differences.Line]:
    at = next((at for at, each in enumerate(found) if each.commit == chosen), None)
    if at is None:
        raise InvalidInput("There is no such version of this note.")
    text = _text_in(visit, found[at])
    if visit.asked("with") == "now":
        return differences.lines(text, current.data.decode("utf-8", "replace") if current else "")
    before = _text_in(visit, found[at + 1]) if at + 1 < len(found) else ""
    return differences.lines(before, text)


def _text_in(visit: Visit, version: Version) -> str:
    data = lineage.text_in(os.fspath(visit.store.memory_dir), version)
    return data.decode("utf-8", "replace")


def _log(visit: Visit, start: str) -> list[Version]:
    try:
        return log.log(os.fspath(visit.store.memory_dir), limit=_SHOWN + 1, start=start)
    except NoHistory:
        return []


def _entries(
    visit: Visit, found: list[Version], *, first: int = 0, most: int = _FILES_SHOWN
) -> list[Entry]:
    """The versions with the titles of their notes: as they are now, or as they last were."""
    notes = {version.commit: _notes(version) for version in found}
    shown = {commit: files[first : first + most] for commit, files in notes.items()}
    files = [file for each in shown.values() for file in each]
    ids = dict.fromkeys(_id(line) for line, _ in files)
    rows = visit.store.ask(lambda db: browse.rows_of(db, ids))
    here = {row.note.id: row.note.title for row in rows}
    once = removed.titles(visit.store, (blob for line, blob in files if _id(line) not in here))
    return [
        Entry(
            version,
            tuple(_file(*file, here, once) for file in shown[version.commit]),
            max(0, len(notes[version.commit]) - first - most),
        )
        for version in found
    ]


def _file(line: str, blob: str, here: dict[str, str], once: dict[str, str]) -> File:
    note_id = _id(line)
    title = here.get(note_id) or once.get(blob) or note_id
    return File(_WORDS.get(line[:1], "changed"), note_id, title)


def _notes(version: Version) -> list[tuple[str, str]]:
    """The note files of a version; machines leave signs of life there as well."""
    pairs = zip(version.files, version.blobs, strict=True)
    return [(line, blob) for line, blob in pairs if line.endswith(".md")]


def _id(line: str) -> str:
    return line.rpartition("/")[2].removesuffix(".md")
