"""JSON: the API for scripts (docs/reference/api.md), and change marks and drafts for open pages."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.notes.fields import FIELDS, NUMBER, TEXT, of_items
from anamnesis.operations.care.status import store_report
from anamnesis.operations.curate import review
from anamnesis.operations.notes.browse import NoteLine, find_page, lines_of, rows_matching
from anamnesis.operations.notes.delete import delete as remove
from anamnesis.operations.notes.edit import edit
from anamnesis.operations.notes.list import ORDERS, PENDING, NoteFilter, list_notes
from anamnesis.operations.notes.policy import (
    LATER_FIELDS,
    NoteDraft,
    about_secrets,
    draft_of,
    revised,
)
from anamnesis.operations.notes.show import note_dict
from anamnesis.operations.notes.write import write
from anamnesis.web import markdown
from anamnesis.web.dashboard import MENU, PALETTE_ACTIONS
from anamnesis.web.drafts import Draft
from anamnesis.web.pages import review as review_page
from anamnesis.web.request import endpoint

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.fields import Value
    from anamnesis.web.request import Visit

_MOST = 200  # notes in one response
_PALETTE_NOTES = 8


def routes() -> list[Route]:
    """All addresses of the API."""
    return [
        Route("/events", endpoint(change_marks), methods=["GET"]),
        Route("/drafts", endpoint(drafts), methods=["GET"]),
        Route("/drafts", endpoint(keep_drafts), methods=["POST"]),
        Route("/api/status", endpoint(status), methods=["GET"]),
        Route("/api/open", endpoint(fresh_link), methods=["POST"]),
        Route("/api/palette", endpoint(palette), methods=["GET"]),
        Route("/api/review", endpoint(to_review), methods=["GET"]),
        Route("/api/review/{id}", endpoint(note_to_review), methods=["GET"]),
        Route("/api/review/{id}", endpoint(decide), methods=["POST"]),
        Route("/api/notes", endpoint(notes), methods=["GET"]),
        Route("/api/notes", endpoint(create), methods=["POST"]),
        Route("/api/notes/{id}", endpoint(note), methods=["GET"]),
        Route("/api/notes/{id}", endpoint(save), methods=["PUT"]),
        Route("/api/notes/{id}", endpoint(delete), methods=["DELETE"]),
    ]


def change_marks(visit: Visit) -> Response:
    """Marks of the state of all notes and of one note's file, for an open page to compare.

    Browsers limit the connections to one server, and a stream in every tab would use them up. So
    the visible page polls and compares. `version` is the mark that pages are rendered with: cheap,
    but it changes more often than notes do.
    """
    dashboard = visit.dashboard
    dashboard.refresh()
    note_id = visit.parameter("note")
    state = f"{dashboard.counts.contents()}-{dashboard.sync_state.generation}"
    hash = _hash(visit, note_id) if note_id else ""
    return visit.json_response(
        {"version": dashboard.counts.version(), "notes": state, "hash": hash}
    )


def drafts(visit: Visit) -> Response:
    """The drafts of one form, the latest first."""
    found = visit.dashboard.drafts.of(visit.parameter("subject"))
    return visit.json_response({"drafts": [asdict(draft) for draft in found]})


def keep_drafts(visit: Visit) -> Response:
    """Keep a tab's drafts, and drop those that were saved or discarded."""
    body = visit.json_body()
    for value in body.get("keep", ()):
        visit.dashboard.drafts.keep(Draft.of(value))
    for draft_id in body.get("drop", ()):
        visit.dashboard.drafts.drop(str(draft_id))
    return visit.json_response({})


def _hash(visit: Visit, note_id: str) -> str:
    """The hash of a note's file; empty if it is gone or cannot be read."""
    try:
        read = visit.read(note_id)
    except AnamnesisError:
        return ""
    return read.hash if read else ""


def status(visit: Visit) -> Response:
    """Counts, paths and unreadable files."""
    return visit.json_response(store_report(visit.store))


def fresh_link(visit: Visit) -> Response:
    """A link that signs in one browser; for scripts only, since a session must not make others."""
    if not visit.request.state.by_script:
        raise InvalidInput("Only the command gives out links.", hint="Run:  anamnesis dashboard")
    return visit.json_response(
        {"link": visit.dashboard.link(plain=visit.parameter("plain") == "1")}
    )


def notes(visit: Visit) -> Response:
    """A page of notes, or the best answers to `q`."""
    query, note_filter = visit.parameter("q").strip(), visit.note_filter()
    limit = visit.number("limit", 50, most=_MOST)
    offset = visit.number("offset", 0, most=1_000_000)
    order = visit.parameter("sort", "updated")
    if order not in ORDERS:
        raise InvalidInput(f"{order[:40]!r} is not one of: {', '.join(ORDERS)}.")
    if query:
        lines = find_page(visit.store, query, note_filter, limit=limit, offset=offset)
        total = visit.dashboard.counts.total(note_filter, rows_matching(visit.store, query))
    else:
        page = list_notes(visit.store, note_filter, order=order, limit=limit, offset=offset)
        lines, total = lines_of(page), visit.dashboard.counts.total(note_filter)
    return visit.json_response({"total": total, "notes": [_line(line) for line in lines]})


def note(visit: Visit) -> Response:
    """One note with its body, and the hash that a change must send back."""
    return visit.json_response(_note_fields(visit, visit.note().note.id))


def create(visit: Visit) -> Response:
    """Write a note; 200 instead of 201 if exactly this was already stored."""
    draft = _draft(visit.json_body(), NoteDraft(title="", body=""))
    saved = write(visit.store, draft, face="api", machine_id=visit.dashboard.machine)
    visit.dashboard.recorder.schedule()
    status = 201 if saved.written else 200
    return visit.json_response(_note_fields(visit, saved.note.id, saved.notice), status=status)


def save(visit: Visit) -> Response:
    """Change the fields in the body, unless the note changed since it was read."""
    read, body = visit.note(), visit.json_body()
    after = revised(read.note, _draft(body, draft_of(read.note)))
    expected = str(body.get("hash", ""))
    saved = edit(visit.store, read, after, face="api", expected_hash=expected)
    visit.dashboard.recorder.schedule()
    return visit.json_response(_note_fields(visit, saved.note.id, saved.notice))


def delete(visit: Visit) -> Response:
    """Delete a note."""
    note_id = visit.note().note.id
    change = remove(visit.store, [note_id])
    for error in change.errors:
        raise error
    visit.dashboard.recorder.schedule()
    notice = {"notice": " ".join(change.notices)} if change.notices else {}
    unit = change.unit.id if change.unit else ""
    return visit.json_response({"deleted": note_id, "undo": unit, **notice})


def to_review(visit: Visit) -> Response:
    """Notes to review, oldest first."""
    note_filter = NoteFilter(project=visit.parameter("project"), review=PENDING)
    limit = visit.number("limit", 50, most=_MOST)
    offset = visit.number("offset", 0, most=1_000_000)
    page = list_notes(visit.store, note_filter, order="oldest", limit=limit, offset=offset)
    total = visit.dashboard.counts.total(note_filter)
    notes = [note_dict(each.row.note, body=False, warning=each.warning) for each in lines_of(page)]
    return visit.json_response({"total": total, "notes": notes})


def note_to_review(visit: Visit) -> Response:
    """A note to review, the notes that it replaces and similar ones, with their bodies."""
    read = visit.note()
    pending = review.beside_others(visit.store, read.note.id)
    return visit.json_response(
        {
            **note_dict(pending.note, warning=pending.warning),
            "hash": read.hash,
            "replaces": [note_dict(old) for old in pending.replaces],
            "similar": [note_dict(other) for other in pending.similar],
        }
    )


def decide(visit: Visit) -> Response:
    """Keep or reject a note to review, unless it changed since it was read."""
    read, body = visit.note(), visit.json_body()
    if PENDING not in read.note.tags:
        raise InvalidInput("This note is not to review.")
    if body.get("hash", read.hash) != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    decision = str(body.get("decision", ""))
    review_page.apply_decision(visit, decision, [read.note.id])
    return visit.json_response({review_page.DECISIONS[decision]: read.note.id})


def palette(visit: Visit) -> Response:
    """Pages, actions and notes for the command palette."""
    query = visit.parameter("q").strip()
    pages = [
        {"kind": "page", "title": entry.name, "address": entry.address, "hint": f"g {entry.key}"}
        for entry in MENU
        if query.lower() in entry.name.lower()
    ]
    actions = [
        {
            "kind": "action",
            "title": action.name,
            "address": action.address,
            "hint": "",
            "fields": action.fields,
        }
        for action in PALETTE_ACTIONS
        if query and query.lower() in action.name.lower()
    ]
    if query:
        lines = find_page(
            visit.store, query, NoteFilter(), limit=_PALETTE_NOTES, best=_PALETTE_NOTES
        )
        rows = [line.row for line in lines]
    else:
        rows = list(list_notes(visit.store, NoteFilter(), limit=_PALETTE_NOTES).rows)
    notes = [
        {
            "kind": row.note.type,
            "title": markdown.plain_title(row.note.title),
            "address": f"/notes/{row.note.id}",
            "hint": f"{'to review · ' * bool(visit.warning(row.note))}"
            f"{markdown.visible(visit.short_project(row.note.project))}",
        }
        for row in rows
    ]
    return visit.json_response({"entries": [*pages, *actions, *notes]})


def _line(line: NoteLine) -> dict[str, Any]:
    matched = list(line.excerpt.words) if line.excerpt else []
    fields = note_dict(line.row.note, body=False, warning=line.warning)
    return {**fields, "superseded": line.row.superseded, "matched": matched}


def _note_fields(visit: Visit, note_id: str, notice: str = "") -> dict[str, Any]:
    """The fields of a note as they are on disk, with its hash and any notice."""
    read = visit.read(note_id)
    if read is None:
        raise NoSuchNote(note_id)
    notices = " ".join(filter(None, (notice, about_secrets(visit.dashboard.home, read))))
    fields = {**note_dict(read.note, warning=visit.warning(read.note)), "hash": read.hash}
    return {**fields, "notice": notices} if notices else fields


def _draft(fields: dict[str, Any], base: NoteDraft) -> NoteDraft:
    changes: dict[str, Any] = {}
    for name in ("title", "body", "type", "project", "scope"):
        if name in fields:
            changes[name] = _require_type(name, fields[name], str)
    for name in ("tags", "supersedes"):
        if name in fields:
            values = _require_type(name, fields[name], list)
            changes[name] = tuple(_require_type(name, value, str) for value in values)
    if "confidence" in fields:
        confidence = _require_type("confidence", fields["confidence"], (int, float))
        changes["confidence"] = float(confidence)
    later = {name: _field_value(name, fields[name]) for name in LATER_FIELDS if name in fields}
    return replace(base, **changes, later={**base.later, **later})


def _field_value(name: str, value: Any) -> Value:
    kind = FIELDS[name].kind
    if kind == NUMBER:
        return float(_require_type(name, value, (int, float)))
    if kind == TEXT:
        return str(_require_type(name, value, str))
    items = _require_type(name, value, list)
    return of_items(name, [_require_type(name, item, str) for item in items])


def _require_type(name: str, value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(f"{name} has the wrong type.")
    return value
