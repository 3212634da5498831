"""The history of the store and of one note, from git; bringing versions back."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from anamnesis import history
from anamnesis.errors import InvalidInput, NoSuchNote
from anamnesis.history import NoHistory, NoSuchVersion, Version
from anamnesis.index import browse
from anamnesis.notes.ids import is_valid_id
from anamnesis.operations import past
from anamnesis.records import record
from anamnesis.web import differences
from anamnesis.web.dashboard import Notice

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.web.visit import Visit

_SHOWN = 40
_MOST = 500
_FILES_SHOWN = 8
_WORDS = {"A": "added", "M": "changed", "D": "deleted"}


@record
class File:
    """One file of a version."""

    what: str
    note_id: str
    title: str
    exists: bool


@record
class Entry:
    """One version of the store."""

    version: Version
    files: tuple[File, ...]
    more: int


def show(visit: Visit) -> Response:
    """What changed lately, or which notes were deleted."""
    visit.dashboard.recorder.now()
    limit = max(_SHOWN, visit.asked_number("limit", _SHOWN, most=_MOST))
    deleted = visit.asked("deleted") == "1"
    found = _log(visit, _MOST if deleted else limit + 1)
    titles = _titles(visit, found)
    entries = [_entry(version, titles) for version in found[:limit]]
    by_day = groupby(entries, lambda each: each.version.at[:10])
    return visit.page(
        "history.html",
        days=[(day, list(group)) for day, group in by_day],
        deleted=_deleted(found, titles) if deleted else None,
        more=limit + _SHOWN if len(found) > limit and limit < _MOST else None,
    )


def of_note(visit: Visit) -> Response:
    """The versions of one note, and what one of them changed."""
    visit.dashboard.recorder.now()
    note_id = visit.named("id")
    if not is_valid_id(note_id):
        raise NoSuchNote(note_id[:80])
    current = visit.store.read(note_id)
    try:
        found = past.versions(visit.store, note_id)
    except NoHistory:
        found = []
    if not found and current is None:
        raise NoSuchNote(note_id)
    chosen = visit.asked("at") or (found[0].commit if found else "")
    return visit.page(
        "note_history.html",
        note_id=note_id,
        note=current.note if current else None,
        versions=found,
        chosen=chosen,
        against_now=visit.asked("with") == "now",
        lines=_changed(visit, note_id, found, chosen) if chosen else [],
    )


def restore(visit: Visit) -> Response:
    """Make a version the current one; what was current stays in the history."""
    note_id, revision = visit.named("id"), visit.value("revision")
    if not is_valid_id(note_id):
        raise NoSuchNote(note_id[:80])
    note = past.restore(visit.store, note_id, revision)
    visit.dashboard.recorder.soon()
    return visit.go(f"/notes/{note.id}", Notice("Brought back as a new version."))


def _changed(
    visit: Visit, note_id: str, found: list[Version], chosen: str
) -> list[differences.Line]:
    at = next((at for at, each in enumerate(found) if each.commit == chosen), None)
    if at is None:
        raise InvalidInput("There is no such version of this note.")
    text = _text_at(visit, note_id, chosen)
    if visit.asked("with") == "now":
        current = visit.store.read(note_id)
        return differences.lines(text, current.data.decode("utf-8", "replace") if current else "")
    before = found[at + 1].commit if at + 1 < len(found) else ""
    return differences.lines(_text_at(visit, note_id, before) if before else "", text)


def _text_at(visit: Visit, note_id: str, revision: str) -> str:
    try:
        data = past.text_at(visit.store, note_id, revision)
    except NoSuchVersion:
        return ""  # it was deleted there
    return data.decode("utf-8", "replace")


def _log(visit: Visit, limit: int) -> list[Version]:
    try:
        return history.log(os.fspath(visit.store.memory_dir), limit=limit)
    except NoHistory:
        return []


def _titles(visit: Visit, found: list[Version]) -> dict[str, str]:
    ids = dict.fromkeys(_id(line) for version in found for line in _notes(version)[:_FILES_SHOWN])
    rows = visit.store.ask(lambda db: browse.rows_of(db, ids))
    return {row.note.id: row.note.title for row in rows}


def _entry(version: Version, titles: dict[str, str]) -> Entry:
    files = tuple(_file(line, titles) for line in _notes(version)[:_FILES_SHOWN])
    return Entry(version, files, len(_notes(version)) - len(files))


def _file(line: str, titles: dict[str, str]) -> File:
    note_id = _id(line)
    title = titles.get(note_id, note_id)
    return File(_WORDS.get(line[:1], "changed"), note_id, title, note_id in titles)


def _deleted(found: list[Version], titles: dict[str, str]) -> list[tuple[str, Version]]:
    """The notes that are gone, with the version that removed them."""
    gone: dict[str, Version] = {}
    for version in found:
        for line in _notes(version):
            note_id = _id(line)
            if line.startswith("D ") and note_id not in titles and is_valid_id(note_id):
                gone.setdefault(note_id, version)
    return list(gone.items())


def _notes(version: Version) -> list[str]:
    """The note files of a version; machines leave signs of life there as well."""
    return [line for line in version.files if line.endswith(".md")]


def _id(line: str) -> str:
    return line.rpartition("/")[2].removesuffix(".md")
