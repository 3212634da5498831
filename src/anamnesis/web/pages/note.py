"""One note: reading it, its source and provenance, and editing without losing changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import nan
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.hooks import receipts, runs
from anamnesis.notes.fields import EDITED, FIELDS, SCOPES, TYPES, WORDS, of_text
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.curate import review, stale
from anamnesis.operations.notes import edit as edits
from anamnesis.operations.notes import policy, undo
from anamnesis.operations.notes.browse import (
    backlinks,
    id_of_title,
    neighbours,
    related,
    succession,
)
from anamnesis.operations.notes.list import PENDING, NoteFilter, list_notes, titles
from anamnesis.operations.notes.policy import (
    LATER_FIELDS,
    NoteDraft,
    about_secrets,
    draft_of,
    revised,
)
from anamnesis.operations.notes.write import write
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.preview import LIMIT
from anamnesis.operations.sessions.preview import preview as preview_start
from anamnesis.project import GLOBAL
from anamnesis.web import markdown
from anamnesis.web.dashboard import Notice, notice_of
from anamnesis.web.pages import start

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.fields import MemoryType, Scope
    from anamnesis.notes.tree import ReadNote
    from anamnesis.web.request import Visit

_RECEIPTS = 5
_LATEST = 8  # notes that tell which project is in use
_OUTLINE = 3  # headings from which an outline is worth its space
_CARD = 600  # characters shown in a hover card
_LONGEST_TITLE = policy.policy_of("dashboard", "write").longest_title


class _NoteGone(AnamnesisError):
    """The note was deleted while it was being edited."""

    def __init__(self) -> None:
        super().__init__(
            "This note was deleted while you were editing it.",
            hint="Your text is kept here; saving it writes a new note.",
        )


def show(visit: Visit) -> Response:
    """The note, rendered."""
    read = visit.note()
    rendered = markdown.render_with_outline(read.note.body)
    later, earlier = neighbours(visit.store, read.note)
    return visit.page(
        "note.html",
        **frame_of(visit, read),
        html=rendered.html,
        outline=rendered.outline if len(rendered.outline) >= _OUTLINE else (),
        later=later,
        earlier=earlier,
        backlinks=backlinks(visit.store, read.note),
        related=related(visit.store, read.note),
        receipts=_receipts_of(visit, read.note.id),
    )


def find(visit: Visit) -> Response:
    """The note with a title; if there is none, a search for the title."""
    title = visit.parameter("title").strip()
    note_id = id_of_title(visit.store, title)
    if visit.parameter("card") and note_id:
        return _card(visit, note_id)
    query = urlencode({"q": title})
    return visit.redirect(f"/notes/{note_id}" if note_id else f"/notes?{query}")


def card(visit: Visit) -> Response:
    """The beginning of a note, for the hover card of a link to it."""
    return _card(visit, visit.path_part("id"))


def _card(visit: Visit, note_id: str) -> Response:
    read = visit.read(note_id)
    if read is None:
        raise NoSuchNote(note_id[:80])
    html = markdown.render(read.note.body[:_CARD])
    return visit.page("card.html", note=read.note, html=html, warning=visit.warning(read.note))


def source(visit: Visit) -> Response:
    """The file, unrendered."""
    read = visit.note()
    text = markdown.visible(read.data.decode("utf-8", "replace"))
    return visit.page("note_source.html", **frame_of(visit, read), text=text)


def edit(visit: Visit) -> Response:
    """The form to edit a note."""
    read = visit.note()
    return _form(visit, read, draft_of(read.note))


def save(visit: Visit) -> Response:
    """Save the form; if the note changed in the meantime, show both versions side by side."""
    read, draft = visit.note_or_none(), draft_from(visit)
    if read is None:
        return _form(visit, None, draft, error=_NoteGone())
    after, expected = revised(read.note, draft), visit.value("hash")
    is_review = visit.value("then") == "keep"
    try:  # one change, so that one undo reverses edit and review
        saved = edits.edit(
            visit.store,
            read,
            review.reviewed(after) if is_review else after,
            face="dashboard",
            expected_hash=expected,
        )
    except NoteChangedOnDisk:
        current = visit.note_or_none()
        if current is None:
            return _form(visit, None, draft, error=_NoteGone())
        return _merge(visit, current, draft)
    except AnamnesisError as error:  # whatever went wrong, the form keeps its text
        return _form(visit, read, draft, hash=visit.value("hash"), error=error)
    if is_review:
        visit.dashboard.recorder.schedule()
        return visit.redirect(
            "/review", _extended(Notice("1 note kept.", unit=saved.unit), saved.notice)
        )
    return _redirect_to_note(visit, read.note.id, Notice("Saved.", unit=saved.unit), saved.notice)


def blank(visit: Visit) -> Response:
    """The form for a new note."""
    supersedes = visit.parameter("supersedes")
    latest = list_notes(visit.store, NoteFilter(), limit=_LATEST).rows
    draft = NoteDraft(
        title=visit.parameter("title"),
        body="",
        project=visit.parameter("project") or start.project_in_use(visit, latest),
        supersedes=tuple(supersedes.split()),
    )
    return _form(visit, None, draft)


def create(visit: Visit) -> Response:
    """Write a new note."""
    draft = draft_from(visit)
    try:
        saved = write(visit.store, draft, face="dashboard", machine_id=visit.dashboard.machine)
    except AnamnesisError as error:
        return _form(visit, None, draft, error=error)
    notice = (
        notice_of(undo.written(visit.store, saved.note), "Written.")
        if saved.written
        else Notice("")
    )
    return _redirect_to_note(visit, saved.note.id, notice, saved.notice)


def redact(visit: Visit) -> Response:
    """Replace the secrets of a note."""
    read = visit.note()
    if visit.value("hash") != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    edits.redact(visit.store, read)
    visit.dashboard.recorder.schedule()
    notice = Notice("The secrets were replaced. The next sync sends the note.")
    return visit.redirect(f"/notes/{read.note.id}", notice)


def _redirect_to_note(visit: Visit, note_id: str, notice: Notice, remark: str) -> Response:
    """A redirect to the saved note, with the notice, a remark and any warning about secrets."""
    visit.dashboard.recorder.schedule()
    read = visit.read(note_id)
    warning = about_secrets(visit.dashboard.home, read) if read else ""
    return visit.redirect(f"/notes/{note_id}", _extended(_extended(notice, remark), warning))


def _extended(notice: Notice, remark: str) -> Notice:
    if not remark:
        return notice
    return replace(notice, text=" ".join(filter(None, (notice.text, remark))), tone="trouble")


def preview(visit: Visit) -> Response:
    """A body, rendered for the editor's preview."""
    return visit.page("preview.html", html=markdown.render(visit.value("body")))


def _receipts_of(visit: Visit, note_id: str) -> list[dict[str, Any]]:
    """The latest receipts that list this note."""
    records = runs.latest_lines(visit.dashboard.home.receipts, containing=note_id, whole=True)
    listing = (
        receipt
        for receipt in filter(receipts.is_whole, records)
        if any(note["id"] == note_id for note in receipt["notes"])
    )
    return list(islice(listing, _RECEIPTS))


def frame_of(visit: Visit, read: ReadNote) -> dict[str, Any]:
    """What the views of a note share: the header, the actions and the provenance."""
    return {
        "note": read.note,
        "hash": read.hash,
        "chain": succession(visit.store, read.note),
        "size": len(read.data),
        "secrets": about_secrets(visit.dashboard.home, read),
        "warning": visit.warning(read.note),
        "standings": stale.last_judged(visit.store, read.note.id),
        "to_review": PENDING in read.note.tags,
        "has_session": archive.has(visit.dashboard.home, read.note.prov_session),
    }


def _form(
    visit: Visit,
    read: ReadNote | None,
    draft: NoteDraft,
    *,
    hash: str = "",
    error: AnamnesisError | None = None,
) -> Response:
    is_invalid = isinstance(error, (InvalidInput, NoSuchNote))
    status = 400 if is_invalid else 409 if isinstance(error, _NoteGone) else 503
    facets = visit.dashboard.counts.facets(replace(visit.note_filter(), state="all"))
    return visit.page(
        "edit.html",
        status=status if error else 200,
        note=read.note if read else None,
        hash=hash or (read.hash if read else ""),
        draft=draft,
        in_review=visit.parameter("review") == "1" or visit.value("then") == "keep",
        error=error,
        longest_title=max(_LONGEST_TITLE, len(draft.title)),
        types=TYPES,
        scopes=SCOPES,
        global_start=preview_start(visit.store, project=GLOBAL),
        limit=LIMIT,
        replaced=titles(visit.store, draft.supersedes),
        later=[(name, EDITED[name], field_text(draft, name)) for name in LATER_FIELDS],
        projects=[value for value, _ in facets["project"]],
        tags=[value for value, _ in facets["tag"]],
    )


def _merge(visit: Visit, read: ReadNote, draft: NoteDraft) -> Response:
    """Both versions side by side: the one on disk to read, the one in the form to edit."""
    theirs = draft_of(read.note)
    fields = [
        (name, label, field_text(theirs, name), field_text(draft, name))
        for name, label in EDITED.items()
        if field_text(theirs, name) != field_text(draft, name)
    ]
    return visit.page(
        "merge.html",
        status=409,
        note=read.note,
        hash=read.hash,
        draft=draft,
        theirs=theirs,
        fields=fields,
        unchanged=[name for name in EDITED if name not in {field[0] for field in fields}],
        value_of=field_text,
        source=serialize(read.note),
    )


def field_text(draft: NoteDraft, name: str) -> str:
    """One field as text for a form."""
    value = draft.later.get(name, "") if name in LATER_FIELDS else getattr(draft, name)
    if isinstance(value, str | float):
        return str(value)
    return (", " if FIELDS[name].kind == WORDS else " ").join(value)


def draft_from(visit: Visit) -> NoteDraft:
    """The draft in the form."""
    try:
        confidence = float(visit.value("confidence", "1") or "1")
    except ValueError:
        confidence = nan  # rejected with the other fields, so that the form is kept
    tags = (" ".join(tag.split()) for tag in visit.value("tags").split(","))
    return NoteDraft(
        title=" ".join(visit.value("title").split()),
        body=visit.value("body").replace("\r\n", "\n"),  # forms send CRLF line endings
        type=cast("MemoryType", visit.value("type", "semantic")),  # validated with the rest
        project=" ".join(visit.value("project", "global").split()),
        scope=cast("Scope", visit.value("scope", "portable")),
        tags=tuple(tag for tag in tags if tag),
        confidence=confidence,
        supersedes=tuple(visit.value("supersedes").split()),
        later={name: of_text(name, visit.value(name)) for name in LATER_FIELDS},
    )
