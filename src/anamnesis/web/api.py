"""The same operations for scripts, as JSON under /api (docs/reference/api.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from anamnesis.ground.errors import InvalidInput, NoteChangedOnDisk
from anamnesis.ground.records import replace
from anamnesis.index.browse import ORDERS, Shown
from anamnesis.index.curation import PENDING
from anamnesis.notes.fields import FIELDS, NUMBER, TEXT, of_items, plain
from anamnesis.operations.curate import review
from anamnesis.operations.notes import browse, edit
from anamnesis.operations.notes.edit import Draft
from anamnesis.web import navigation
from anamnesis.web.pages import review as deciding
from anamnesis.web.visit import endpoint

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.fields import Value
    from anamnesis.notes.note import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.notes.browse import Hit
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
    """Counts, paths and files that need a person."""
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
        found = browse.search(visit.store, query, shown, limit=limit, offset=offset)
        hits, total = found.hits, found.total
    else:
        hits = tuple(browse.page(visit.store, shown, order=order, limit=limit, offset=offset))
        total = visit.dashboard.counts.total(shown)
    return visit.answer({"total": total, "notes": [_listed(hit) for hit in hits]})


def note(visit: Visit) -> Response:
    """One note with its body and the hash that a change must bring back."""
    return visit.answer(_read(visit, visit.note()))


def create(visit: Visit) -> Response:
    """Write a note."""
    draft = _draft(visit.json(), Draft(title="", body=""))
    written = edit.create(visit.store, draft, machine_id=visit.dashboard.machine)
    visit.dashboard.recorder.soon()
    found = visit.store.read(written.id)
    return visit.answer(_read(visit, found) if found else _whole(written), status=201)


def save(visit: Visit) -> Response:
    """Change the fields that are given, if the note still is the one that was read."""
    found, given = visit.note(), visit.json()
    draft = _draft(given, edit.draft_of(found.note))
    expected = str(given.get("hash", ""))
    if expected != found.hash:
        raise NoteChangedOnDisk(f"{found.note.id}.md")
    edit.revise(visit.store, found.note, draft, expected_hash=expected)
    visit.dashboard.recorder.soon()
    return note(visit)


def delete(visit: Visit) -> Response:
    """Delete a note."""
    found = visit.note()
    visit.dashboard.recorder.keep([found.note.id])
    visit.store.delete(found.note.id)
    visit.dashboard.recorder.soon()
    return visit.answer({"deleted": found.note.id})


def waiting(visit: Visit) -> Response:
    """Notes that no person has looked at yet, oldest first."""
    shown = replace(Shown(project=visit.asked("project")), review=PENDING)
    limit = visit.asked_number("limit", 50, most=_MOST)
    offset = visit.asked_number("offset", 0, most=1_000_000)
    hits = browse.page(visit.store, shown, order="oldest", limit=limit, offset=offset)
    total = visit.dashboard.counts.total(shown)
    return visit.answer({"total": total, "notes": [_fields(hit.row.note) for hit in hits]})


def beside(visit: Visit) -> Response:
    """A waiting note, what it replaces and what it resembles, all with their bodies."""
    read = visit.note()
    found = review.beside_others(visit.store, read.note.id)
    return visit.answer(
        {
            **_whole(found.note),
            "hash": read.hash,
            "replaces": [_whole(old) for old in found.replaces],
            "similar": [_whole(other) for other in found.similar],
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
        hits = browse.search(visit.store, query, Shown(), limit=_PALETTE, best=_PALETTE).hits
    else:
        hits = tuple(browse.page(visit.store, Shown(), limit=_PALETTE))
    found = [
        {
            "kind": hit.row.note.type,
            "title": hit.row.note.title,
            "address": f"/notes/{hit.row.note.id}",
            "hint": hit.row.note.project,
        }
        for hit in hits
    ]
    return visit.answer({"entries": [*pages, *found]})


def _listed(hit: Hit) -> dict[str, Any]:
    matched = list(hit.excerpt.words) if hit.excerpt else []
    return {**_fields(hit.row.note), "superseded": hit.row.superseded, "matched": matched}


def _read(visit: Visit, found: ReadNote) -> dict[str, Any]:
    warning = edit.about_secrets(visit.dashboard.home, found)
    known = {**_whole(found.note), "hash": found.hash}
    return {**known, "notice": warning} if warning else known


def _whole(note: Memory) -> dict[str, Any]:
    return {**_fields(note), "body": note.body}


def _fields(note: Memory) -> dict[str, Any]:
    return {name: plain(note, name) for name, row in FIELDS.items() if row.key}


def _draft(given: dict[str, Any], base: Draft) -> Draft:
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
    later = {name: _value(name, given[name]) for name in edit.LATER_FIELDS if name in given}
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
