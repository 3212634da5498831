"""The same operations for scripts, as JSON under /api (docs/reference/api.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from anamnesis.ground.errors import InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.index.browse import ORDERS, NoteFilter
from anamnesis.index.curation import PENDING
from anamnesis.notes.fields import FIELDS, NUMBER, TEXT, of_items
from anamnesis.operations.curate import review
from anamnesis.operations.notes.delete import delete as remove
from anamnesis.operations.notes.draft import LATER_FIELDS, NoteDraft, draft_of, revised
from anamnesis.operations.notes.edit import edit
from anamnesis.operations.notes.list import list_notes
from anamnesis.operations.notes.secrets import about_secrets
from anamnesis.operations.notes.show import note_dict
from anamnesis.operations.notes.write import write
from anamnesis.web import navigation
from anamnesis.web.lookup import FoundNote, looked_up
from anamnesis.web.pages import review as deciding
from anamnesis.web.visit import endpoint

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.fields import Value
    from anamnesis.web.visit import Visit

_MOST = 200
_PALETTE = 8


def routes() -> list[Route]:
    """All addresses of the API."""
    return [
        Route("/api/status", endpoint(status), methods=["GET"]),
        Route("/api/open", endpoint(open_again), methods=["POST"]),
        Route("/api/palette", endpoint(palette), methods=["GET"]),
        Route("/api/review", endpoint(waiting), methods=["GET"]),
        Route("/api/review/{id}", endpoint(beside), methods=["GET"]),
        Route("/api/review/{id}", endpoint(decide), methods=["POST"]),
        Route("/api/notes", endpoint(notes), methods=["GET"]),
        Route("/api/notes", endpoint(create), methods=["POST"]),
        Route("/api/notes/{id}", endpoint(note), methods=["GET"]),
        Route("/api/notes/{id}", endpoint(save), methods=["PUT"]),
        Route("/api/notes/{id}", endpoint(delete), methods=["DELETE"]),
    ]


def status(visit: Visit) -> Response:
    """Counts, paths and unreadable files."""
    problems = [
        {"path": found.path, "reason": found.reason, "indexed": found.indexed}
        for found in visit.store.unreadable()
    ]
    return visit.answer(
        {
            "root": visit.dashboard.home,
            "machine_id": visit.dashboard.machine,
            **visit.store.stats(),
            "degraded": visit.store.degraded,
            "unreadable": problems,
        }
    )


def open_again(visit: Visit) -> Response:
    """A fresh address that opens the dashboard once."""
    return visit.answer({"path": f"/open?token={visit.dashboard.keys.mint()}"})


def notes(visit: Visit) -> Response:
    """A page of notes, or the best answers to `q`."""
    query, shown = visit.asked("q").strip(), visit.shown()
    limit = visit.asked_number("limit", 50, most=_MOST)
    offset = visit.asked_number("offset", 0, most=1_000_000)
    order = visit.asked("sort", "updated")
    if order not in ORDERS:
        raise InvalidInput(f"sort {order[:40]!r} is none of: {', '.join(ORDERS)}.")
    if query:
        found = looked_up(visit.store, query, shown, limit=limit, offset=offset)
        hits, total = found.hits, found.total
    else:
        page = list_notes(visit.store, shown, order=order, limit=limit, offset=offset)
        hits, total = tuple(map(FoundNote, page.rows)), visit.dashboard.counts.total(shown)
    return visit.answer({"total": total, "notes": [_listed(hit) for hit in hits]})


def note(visit: Visit) -> Response:
    """One note with its body and the hash that a change must bring back."""
    return visit.answer(_read(visit, visit.note().note.id))


def create(visit: Visit) -> Response:
    """Write a note; 200 instead of 201 if exactly this was already stored."""
    draft = _draft(visit.json(), NoteDraft(title="", body=""))
    saved = write(visit.store, draft, face="api", machine_id=visit.dashboard.machine)
    visit.dashboard.recorder.soon()
    status = 201 if saved.written else 200
    return visit.answer(_read(visit, saved.note.id, saved.notice), status=status)


def save(visit: Visit) -> Response:
    """Change the fields that are given, if the note still is the one that was read."""
    found, given = visit.note(), visit.json()
    after = revised(found.note, _draft(given, draft_of(found.note)))
    expected = str(given.get("hash", ""))
    saved = edit(visit.store, found, after, face="api", expected_hash=expected)
    visit.dashboard.recorder.soon()
    return visit.answer(_read(visit, saved.note.id, saved.notice))


def delete(visit: Visit) -> Response:
    """Delete a note."""
    note_id = visit.note().note.id
    done = remove(visit.store, [note_id])
    for error in done.errors:
        raise error
    visit.dashboard.recorder.soon()
    notice = {"notice": " ".join(done.notices)} if done.notices else {}
    unit = done.unit.id if done.unit else ""
    return visit.answer({"deleted": note_id, "undo": unit, **notice})


def waiting(visit: Visit) -> Response:
    """Notes that no person has looked at yet, oldest first."""
    shown = replace(NoteFilter(project=visit.asked("project")), review=PENDING)
    limit = visit.asked_number("limit", 50, most=_MOST)
    offset = visit.asked_number("offset", 0, most=1_000_000)
    page = list_notes(visit.store, shown, order="oldest", limit=limit, offset=offset)
    total = visit.dashboard.counts.total(shown)
    notes = [note_dict(row.note, body=False) for row in page.rows]
    return visit.answer({"total": total, "notes": notes})


def beside(visit: Visit) -> Response:
    """A waiting note, what it replaces and what it resembles, all with their bodies."""
    read = visit.note()
    found = review.beside_others(visit.store, read.note.id)
    return visit.answer(
        {
            **note_dict(found.note),
            "hash": read.hash,
            "replaces": [note_dict(old) for old in found.replaces],
            "similar": [note_dict(other) for other in found.similar],
        }
    )


def decide(visit: Visit) -> Response:
    """Keep or reject a waiting note, if it still is the one that was read."""
    found, given = visit.note(), visit.json()
    if PENDING not in found.note.tags:
        raise InvalidInput("This note does not wait for a look.")
    if given.get("hash", found.hash) != found.hash:
        raise NoteChangedOnDisk(f"{found.note.id}.md")
    decision = str(given.get("decision", ""))
    deciding.decided(visit, decision, [found.note.id])
    return visit.answer({deciding.DECISIONS[decision]: found.note.id})


def palette(visit: Visit) -> Response:
    """Pages and notes for the command palette."""
    query = visit.asked("q").strip()
    pages = [
        {"kind": "page", "title": entry.name, "address": entry.address, "hint": f"g {entry.key}"}
        for entry in navigation.MENU
        if query.lower() in entry.name.lower()
    ]
    if query:
        found = looked_up(visit.store, query, NoteFilter(), limit=_PALETTE, best=_PALETTE)
        rows = [hit.row for hit in found.hits]
    else:
        rows = list(list_notes(visit.store, NoteFilter(), limit=_PALETTE).rows)
    notes = [
        {
            "kind": row.note.type,
            "title": row.note.title,
            "address": f"/notes/{row.note.id}",
            "hint": row.note.project,
        }
        for row in rows
    ]
    return visit.answer({"entries": [*pages, *notes]})


def _listed(hit: FoundNote) -> dict[str, Any]:
    matched = list(hit.excerpt.words) if hit.excerpt else []
    found = note_dict(hit.row.note, body=False)
    return {**found, "superseded": hit.row.superseded, "matched": matched}


def _read(visit: Visit, note_id: str, notice: str = "") -> dict[str, Any]:
    """A note as its file has it now, with what to tell whoever changed or reads it."""
    found = visit.read(note_id)
    if found is None:
        raise NoSuchNote(note_id)
    notices = filter(None, (notice, about_secrets(visit.dashboard.home, found)))
    said = " ".join(notices)
    known = {**note_dict(found.note), "hash": found.hash}
    return {**known, "notice": said} if said else known


def _draft(given: dict[str, Any], base: NoteDraft) -> NoteDraft:
    changes: dict[str, Any] = {}
    for name in ("title", "body", "type", "project", "scope"):
        if name in given:
            changes[name] = _checked(name, given[name], str)
    for name in ("tags", "supersedes"):
        if name in given:
            values = _checked(name, given[name], list)
            changes[name] = tuple(_checked(name, value, str) for value in values)
    if "confidence" in given:
        changes["confidence"] = float(_checked("confidence", given["confidence"], (int, float)))
    later = {name: _value(name, given[name]) for name in LATER_FIELDS if name in given}
    return replace(base, **changes, later={**base.later, **later})


def _value(name: str, given: Any) -> Value:
    kind = FIELDS[name].kind
    if kind == NUMBER:
        return float(_checked(name, given, (int, float)))
    if kind == TEXT:
        return str(_checked(name, given, str))
    return of_items(name, [_checked(name, item, str) for item in _checked(name, given, list)])


def _checked(name: str, value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(f"{name} has the wrong kind of value.")
    return value
