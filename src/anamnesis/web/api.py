"""JSON: the operations for scripts under /api (docs/reference/api.md), and news for open pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.notes.fields import FIELDS, NUMBER, TEXT, of_items
from anamnesis.operations.care.status import store_report
from anamnesis.operations.curate import review
from anamnesis.operations.notes.browse import NoteLine, find_page, rows_matching
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
from anamnesis.web.dashboard import ACTS, MENU
from anamnesis.web.pages import review as review_page
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
        Route("/events", endpoint(news), methods=["GET"]),
        Route("/api/status", endpoint(status), methods=["GET"]),
        Route("/api/open", endpoint(open_again), methods=["POST"]),
        Route("/api/palette", endpoint(palette), methods=["GET"]),
        Route("/api/review", endpoint(to_review), methods=["GET"]),
        Route("/api/review/{id}", endpoint(beside), methods=["GET"]),
        Route("/api/review/{id}", endpoint(decide), methods=["POST"]),
        Route("/api/notes", endpoint(notes), methods=["GET"]),
        Route("/api/notes", endpoint(create), methods=["POST"]),
        Route("/api/notes/{id}", endpoint(note), methods=["GET"]),
        Route("/api/notes/{id}", endpoint(save), methods=["PUT"]),
        Route("/api/notes/{id}", endpoint(delete), methods=["DELETE"]),
    ]


def news(visit: Visit) -> Response:
    """What all notes are, and what the file of one note is, each as a mark to compare.

    A browser opens few connections to one server, and a stream that stays open in every tab would
    use them up. So a page that is looked at asks every moment, and compares. `version` is the mark
    that pages are drawn with: cheap, but it moves more often than notes do.
    """
    dashboard = visit.dashboard
    dashboard.refresh()
    note_id = visit.parameter("note")
    state = f"{dashboard.counts.contents()}-{dashboard.sync_state.generation}"
    hash = _hash(visit, note_id) if note_id else ""
    return visit.answer({"version": dashboard.counts.version(), "notes": state, "hash": hash})


def _hash(visit: Visit, note_id: str) -> str:
    """The hash of the file as it is; empty if it is gone or cannot be read."""
    try:
        read = visit.read(note_id)
    except AnamnesisError:
        return ""
    return read.hash if read else ""


def status(visit: Visit) -> Response:
    """Counts, paths and unreadable files."""
    return visit.answer(store_report(visit.store))


def open_again(visit: Visit) -> Response:
    """A fresh link for a browser, for scripts only: a session must not make others."""
    if not visit.request.state.by_script:
        raise InvalidInput("Only the command gives out links.", hint="Run:  anamnesis dashboard")
    return visit.answer({"link": visit.dashboard.link(plain=visit.parameter("plain") == "1")})


def notes(visit: Visit) -> Response:
    """A page of notes, or the best answers to `q`."""
    query, wanted = visit.parameter("q").strip(), visit.note_filter()
    limit = visit.number("limit", 50, most=_MOST)
    offset = visit.number("offset", 0, most=1_000_000)
    order = visit.parameter("sort", "updated")
    if order not in ORDERS:
        raise InvalidInput(f"sort {order[:40]!r} is none of: {', '.join(ORDERS)}.")
    if query:
        lines = find_page(visit.store, query, wanted, limit=limit, offset=offset)
        total = visit.dashboard.counts.total(wanted, rows_matching(visit.store, query))
    else:
        listed = list_notes(visit.store, wanted, order=order, limit=limit, offset=offset)
        lines, total = list(map(NoteLine, listed.rows)), visit.dashboard.counts.total(wanted)
    return visit.answer({"total": total, "notes": [_line(line) for line in lines]})


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
    read, sent = visit.note(), visit.json()
    after = revised(read.note, _draft(sent, draft_of(read.note)))
    expected = str(sent.get("hash", ""))
    saved = edit(visit.store, read, after, face="api", expected_hash=expected)
    visit.dashboard.recorder.soon()
    return visit.answer(_read(visit, saved.note.id, saved.notice))


def delete(visit: Visit) -> Response:
    """Delete a note."""
    note_id = visit.note().note.id
    change = remove(visit.store, [note_id])
    for error in change.errors:
        raise error
    visit.dashboard.recorder.soon()
    notice = {"notice": " ".join(change.notices)} if change.notices else {}
    unit = change.unit.id if change.unit else ""
    return visit.answer({"deleted": note_id, "undo": unit, **notice})


def to_review(visit: Visit) -> Response:
    """Notes to review, oldest first."""
    wanted = NoteFilter(project=visit.parameter("project"), review=PENDING)
    limit = visit.number("limit", 50, most=_MOST)
    offset = visit.number("offset", 0, most=1_000_000)
    page = list_notes(visit.store, wanted, order="oldest", limit=limit, offset=offset)
    total = visit.dashboard.counts.total(wanted)
    notes = [note_dict(row.note, body=False) for row in page.rows]
    return visit.answer({"total": total, "notes": notes})


def beside(visit: Visit) -> Response:
    """A note to review, what it replaces and what it resembles, all with their bodies."""
    read = visit.note()
    pending = review.beside_others(visit.store, read.note.id)
    return visit.answer(
        {
            **note_dict(pending.note),
            "hash": read.hash,
            "replaces": [note_dict(old) for old in pending.replaces],
            "similar": [note_dict(other) for other in pending.similar],
        }
    )


def decide(visit: Visit) -> Response:
    """Keep or reject a note to review, if it still is the one that was read."""
    read, sent = visit.note(), visit.json()
    if PENDING not in read.note.tags:
        raise InvalidInput("This note is not to review.")
    if sent.get("hash", read.hash) != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    decision = str(sent.get("decision", ""))
    review_page.decided(visit, decision, [read.note.id])
    return visit.answer({review_page.DECISIONS[decision]: read.note.id})


def palette(visit: Visit) -> Response:
    """Pages, acts and notes for the command palette."""
    query = visit.parameter("q").strip()
    pages = [
        {"kind": "page", "title": entry.name, "address": entry.address, "hint": f"g {entry.key}"}
        for entry in MENU
        if query.lower() in entry.name.lower()
    ]
    acts = [
        {"kind": "act", "title": act.name, "address": act.address, "hint": "", "fields": act.fields}
        for act in ACTS
        if query and query.lower() in act.name.lower()
    ]
    if query:
        found = find_page(visit.store, query, NoteFilter(), limit=_PALETTE, best=_PALETTE)
        rows = [line.row for line in found]
    else:
        rows = list(list_notes(visit.store, NoteFilter(), limit=_PALETTE).rows)
    notes = [
        {
            "kind": row.note.type,
            "title": markdown.plain_title(row.note.title),
            "address": f"/notes/{row.note.id}",
            "hint": markdown.visible(visit.short_project(row.note.project)),
        }
        for row in rows
    ]
    return visit.answer({"entries": [*pages, *acts, *notes]})


def _line(line: NoteLine) -> dict[str, Any]:
    matched = list(line.excerpt.words) if line.excerpt else []
    fields = note_dict(line.row.note, body=False)
    return {**fields, "superseded": line.row.superseded, "matched": matched}


def _read(visit: Visit, note_id: str, notice: str = "") -> dict[str, Any]:
    """A note as its file has it now, with what to tell whoever changed or reads it."""
    read = visit.read(note_id)
    if read is None:
        raise NoSuchNote(note_id)
    notices = " ".join(filter(None, (notice, about_secrets(visit.dashboard.home, read))))
    fields = {**note_dict(read.note), "hash": read.hash}
    return {**fields, "notice": notices} if notices else fields


def _draft(sent: dict[str, Any], base: NoteDraft) -> NoteDraft:
    changes: dict[str, Any] = {}
    for name in ("title", "body", "type", "project", "scope"):
        if name in sent:
            changes[name] = _checked(name, sent[name], str)
    for name in ("tags", "supersedes"):
        if name in sent:
            values = _checked(name, sent[name], list)
            changes[name] = tuple(_checked(name, value, str) for value in values)
    if "confidence" in sent:
        changes["confidence"] = float(_checked("confidence", sent["confidence"], (int, float)))
    later = {name: _value(name, sent[name]) for name in LATER_FIELDS if name in sent}
    return replace(base, **changes, later={**base.later, **later})


def _value(name: str, sent: Any) -> Value:
    kind = FIELDS[name].kind
    if kind == NUMBER:
        return float(_checked(name, sent, (int, float)))
    if kind == TEXT:
        return str(_checked(name, sent, str))
    return of_items(name, [_checked(name, item, str) for item in _checked(name, sent, list)])


def _checked(name: str, value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(f"{name} has the wrong kind of value.")
    return value
