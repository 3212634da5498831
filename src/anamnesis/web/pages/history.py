"""The history of the store and of one note, from git; restoring versions."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from anamnesis.ground.errors import InvalidInput, NoSuchNote
from anamnesis.notes.fields import is_valid_id
from anamnesis.operations.notes import history, undo
from anamnesis.operations.notes.history import NoHistory
from anamnesis.web import differences
from anamnesis.web.dashboard import notice_of
from anamnesis.web.pages.note import frame_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.notes.history import Version
    from anamnesis.web.request import Visit

_CHANGES = 40
_UNITS = 200  # changes that can be undone
_VERSIONS = 100  # versions of one note
_MOST_VERSIONS = 100_000
_NOTES_PER_CHANGE = 8
_NOTES_OF_VERSION = 200  # on the page of one version


def show(visit: Visit) -> Response:
    """The changes, the latest first, starting from the commit in `from`."""
    visit.dashboard.recorder.flush()
    if visit.parameter("deleted") == "1":
        return _show_deleted(visit)
    if visit.parameter("undo") == "1":
        units = list(islice(undo.undoable(visit.dashboard.home), _UNITS))
        return visit.page("history_undo.html", units=units)
    if visit.parameter("version"):
        return _show_version(visit, visit.parameter("version"))
    start = visit.parameter("from")
    machine, what = visit.parameter("machine"), visit.parameter("what")
    page = _changes(visit, start, machine=machine, what=what)
    changes = history.changes_with_titles(visit.store, page.versions, most=_NOTES_PER_CHANGE)
    visit.dashboard.look_ahead(page.ahead)
    by_day = groupby(changes, lambda change: change.version.at[:10])
    return visit.page(
        "history.html",
        days=[(day, list(group)) for day, group in by_day],
        start=start,
        of_machine=machine,
        machines=[name for name, *_ in visit.dashboard.counts.machines()],
        what=what,
        kinds=("added", "changed", "deleted"),
        filter_query=urlencode({k: v for k, v in (("machine", machine), ("what", what)) if v}),
        further=page.further,
    )


def _show_version(visit: Visit, commit: str) -> Response:
    """All notes of one version, in pages."""
    offset = visit.number("offset", 0, most=_MOST_VERSIONS)
    versions = history.changes(visit.dashboard.home, limit=1, start=commit).versions
    [change] = history.changes_with_titles(
        visit.store, versions, first=offset, most=_NOTES_OF_VERSION
    )
    return visit.page(
        "history_version.html", change=change, offset=offset, page_size=_NOTES_OF_VERSION
    )


def _show_deleted(visit: Visit) -> Response:
    start = visit.parameter("from")
    page = history.deleted_notes(visit.store, start=start)
    local_only = [] if start else list(islice(undo.deleted_here(visit.store), _UNITS))
    return visit.page("history_deleted.html", page=page, start=start, local_only=local_only)


def bring_back(visit: Visit) -> Response:
    """Restore a local-only note that was deleted."""
    note_id = _note_id(visit)
    notice = notice_of(undo.bring_back(visit.store, note_id), "Restored.")
    return visit.redirect(f"/notes/{note_id}", notice)


def show_note(visit: Visit) -> Response:
    """The versions of one note, and the diff of one of them."""
    visit.dashboard.recorder.flush()
    note_id = _note_id(visit)
    current = visit.read(note_id)
    limit = max(_VERSIONS, visit.number("limit", _VERSIONS, most=_MOST_VERSIONS))
    try:
        versions = history.versions(visit.store, note_id, limit=limit + 1)
    except NoHistory:
        versions = []
    if not versions and current is None:
        raise NoSuchNote(note_id)
    chosen = visit.parameter("at") or (versions[0].commit if versions else "")
    return visit.page(
        "note_history.html",
        note_id=note_id,
        **(frame_of(visit, current) if current else {"note": None}),
        versions=versions[:limit],
        more=limit + _VERSIONS if len(versions) > limit else None,
        chosen=chosen,
        counts=history.line_counts(visit.dashboard.home, versions[:limit]),
        restorable=_restorable(versions, chosen),
        other=visit.parameter("with"),
        lines=_changed_lines(visit, current, versions, chosen) if chosen else [],
    )


def restore(visit: Visit) -> Response:
    """Restore a version; the one before stays in the history."""
    restored = history.restore(visit.store, _note_id(visit), visit.value("revision"))
    visit.dashboard.recorder.schedule()
    notice = notice_of(restored.unit, "Restored as a new version.")
    return visit.redirect(f"/notes/{restored.note.id}", notice)


def _note_id(visit: Visit) -> str:
    """The id in the path, of a note that may be deleted. Raises NoSuchNote if it is not an id."""
    note_id = visit.path_part("id")
    if not is_valid_id(note_id):
        raise NoSuchNote(note_id[:80])
    return note_id


def _restorable(versions: list[Version], chosen: str) -> str:
    """The commit to restore: the chosen one, or the one before it if it deleted the note."""
    commits = [version.commit for version in versions]
    at = commits.index(chosen) if chosen in commits else len(commits)
    return next((version.commit for version in versions[at:] if not version.deleted), "")


def _changed_lines(
    visit: Visit, current: ReadNote | None, versions: list[Version], chosen: str
) -> list[differences.DiffLine]:
    at = next((at for at, each in enumerate(versions) if each.commit == chosen), None)
    if at is None:
        raise InvalidInput("This note has no such version.")
    home = visit.dashboard.home
    text = history.text_of(home, versions[at])
    other = visit.parameter("with")
    if other == "now":
        return differences.lines(text, current.data.decode("utf-8", "replace") if current else "")
    if other:
        other_at = next((at for at, each in enumerate(versions) if each.commit == other), None)
        if other_at is None:
            raise InvalidInput("This note has no such version.")
        older, newer = sorted((at, other_at), reverse=True)
        return differences.lines(
            history.text_of(home, versions[older]), history.text_of(home, versions[newer])
        )
    before = history.text_of(home, versions[at + 1]) if at + 1 < len(versions) else ""
    return differences.lines(before, text)


def _changes(visit: Visit, start: str, *, machine: str, what: str) -> history.ChangesPage:
    home = visit.dashboard.home
    try:
        return history.changes(home, limit=_CHANGES, start=start, machine=machine, what=what)
    except NoHistory:
        return history.ChangesPage([], "", [])
