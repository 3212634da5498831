"""One note: read it, see its source and where it comes from, edit it without losing an edit."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import nan
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.hooks import receipts, runs, usefulness
from anamnesis.notes.fields import EDITED, FIELDS, SCOPES, TYPES, WORDS, of_text
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.curate import review
from anamnesis.operations.notes import edit as edits
from anamnesis.operations.notes import policy, undo
from anamnesis.operations.notes.browse import (
    backlinks,
    id_of_title,
    neighbours,
    related,
    succession,
)
from anamnesis.operations.notes.list import NoteFilter, list_notes, titles
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
from anamnesis.web.pages import pulse

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.fields import MemoryType, Scope
    from anamnesis.notes.tree import ReadNote
    from anamnesis.web.visit import Visit

_RECEIPTS = 5
_LATEST = 8  # notes among which the project in use is looked for
_OUTLINE = 3  # headings that make one worth its room
_CARD = 600  # characters of a note that is only glanced at
_LONGEST_TITLE = policy.policy_of("dashboard", "write").longest_title


class _NoteGone(AnamnesisError):
    """The note was deleted while it was edited."""

    def __init__(self) -> None:
        super().__init__(
            "This note was deleted while you edited it.",
            hint="Your words are here: saving them writes a new note.",
        )


def show(visit: Visit) -> Response:
    """The note as it reads."""
    read = visit.note()
    text = markdown.read(read.note.body)
    later, earlier = neighbours(visit.store, read.note)
    return visit.page(
        "note.html",
        **frame_of(visit, read),
        html=text.html,
        outline=text.outline if len(text.outline) >= _OUTLINE else (),
        later=later,
        earlier=earlier,
        backlinks=backlinks(visit.store, read.note),
        related=related(visit.store, read.note),
        given=_given(visit, read.note.id),
        uses=usefulness.uses_by_note(visit.dashboard.home).get(read.note.id),
    )


def find(visit: Visit) -> Response:
    """The note that a text means by its title; if there is none, what a search finds."""
    title = visit.parameter("title").strip()
    note_id = id_of_title(visit.store, title)
    if visit.parameter("card") and note_id:
        return _card(visit, note_id)
    query = urlencode({"q": title})
    return visit.go(f"/notes/{note_id}" if note_id else f"/notes?{query}")


def card(visit: Visit) -> Response:
    """The beginning of a note, shown while the pointer is over a link to it."""
    return _card(visit, visit.path_part("id"))


def _card(visit: Visit, note_id: str) -> Response:
    read = visit.read(note_id)
    if read is None:
        raise NoSuchNote(note_id[:80])
    return visit.page("card.html", note=read.note, html=markdown.rendered(read.note.body[:_CARD]))


def source(visit: Visit) -> Response:
    """The file as it is."""
    read = visit.note()
    text = markdown.visible(read.data.decode("utf-8", "replace"))
    return visit.page("note_source.html", **frame_of(visit, read), text=text)


def edit(visit: Visit) -> Response:
    """The form."""
    read = visit.note()
    return _form(visit, read, draft_of(read.note))


def save(visit: Visit) -> Response:
    """Save the form; a note that changed meanwhile leads to both versions side by side."""
    read, draft = visit.note_or_none(), draft_from(visit)
    if read is None:
        return _form(visit, None, draft, error=_NoteGone())
    after, expected = revised(read.note, draft), visit.value("hash")
    is_kept = visit.value("then") == "keep"
    if is_kept:
        after = review.reviewed(after)  # in one change with the edit, for one undo
    try:
        saved = edits.edit(visit.store, read, after, face="dashboard", expected_hash=expected)
    except NoteChangedOnDisk:
        now = visit.note_or_none()
        return _merge(visit, now, draft) if now else _form(visit, None, draft, error=_NoteGone())
    except AnamnesisError as error:  # whatever it is, the form keeps its text
        return _form(visit, read, draft, hash=visit.value("hash"), error=error)
    if is_kept:
        review.vouch(visit.store, [saved.note])
        visit.dashboard.recorder.soon()
        return visit.go("/review", _with(Notice("1 note kept.", unit=saved.unit), saved.notice))
    return _done(visit, read.note.id, Notice("Saved.", unit=saved.unit), saved.notice)


def blank(visit: Visit) -> Response:
    """The form of a new note."""
    supersedes = visit.parameter("supersedes")
    latest = list_notes(visit.store, NoteFilter(), limit=_LATEST).rows
    draft = NoteDraft(
        title=visit.parameter("title"),
        body="",
        project=visit.parameter("project") or pulse.project_in_use(visit, latest),
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
    return _done(visit, saved.note.id, notice, saved.notice)


def redact(visit: Visit) -> Response:
    """Replace the secrets of a note."""
    read = visit.note()
    if visit.value("hash") != read.hash:
        raise NoteChangedOnDisk(f"{read.note.id}.md")
    edits.redact(visit.store, read)
    visit.dashboard.recorder.soon()
    done = "The secrets were replaced. The next sync sends the note."
    notice = Notice(done)
    return visit.go(f"/notes/{read.note.id}", notice)


def _done(visit: Visit, note_id: str, done: Notice, notice: str) -> Response:
    """The note that was saved, with what was done and what to know about it."""
    visit.dashboard.recorder.soon()
    read = visit.read(note_id)
    warning = about_secrets(visit.dashboard.home, read) if read else ""
    return visit.go(f"/notes/{note_id}", _with(_with(done, notice), warning))


def _with(notice: Notice, more: str) -> Notice:
    if not more:
        return notice
    return replace(notice, text=" ".join(filter(None, (notice.text, more))), tone="trouble")


def preview(visit: Visit) -> Response:
    """A body as it will read."""
    return visit.page("preview.html", html=markdown.rendered(visit.value("body")))


def _given(visit: Visit, note_id: str) -> list[dict[str, Any]]:
    """The latest receipts of sessions that were given this note."""
    records = runs.latest_lines(visit.dashboard.home.receipts, containing=note_id, whole=True)
    naming = (
        receipt
        for receipt in filter(receipts.is_whole, records)
        if any(note["id"] == note_id for note in receipt["notes"])
    )
    return list(islice(naming, _RECEIPTS))


def frame_of(visit: Visit, read: ReadNote) -> dict[str, Any]:
    """What the views of a note share: its head, its acts and its provenance."""
    return {
        "note": read.note,
        "hash": read.hash,
        "chain": succession(visit.store, read.note),
        "size": len(read.data),
        "secrets": about_secrets(visit.dashboard.home, read),
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
    wrong = isinstance(error, (InvalidInput, NoSuchNote))
    status = 400 if wrong else 409 if isinstance(error, _NoteGone) else 503
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
        everywhere=preview_start(visit.store, project=GLOBAL),
        room=LIMIT,
        replaced=titles(visit.store, draft.supersedes),
        later=[(name, EDITED[name], field_text(draft, name)) for name in LATER_FIELDS],
        projects=[value for value, _ in facets["project"]],
        tags=[value for value, _ in facets["tag"]],
    )


def _merge(visit: Visit, read: ReadNote, draft: NoteDraft) -> Response:
    """Both versions: the one on disk to read, the form's own to go on with."""
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
    """One field as a form shows it."""
    value = draft.later.get(name, "") if name in LATER_FIELDS else getattr(draft, name)
    if isinstance(value, str | float):
        return str(value)
    return (", " if FIELDS[name].kind == WORDS else " ").join(value)


def draft_from(visit: Visit) -> NoteDraft:
    """The draft in the form."""
    try:
        confidence = float(visit.value("confidence", "1") or "1")
    except ValueError:
        confidence = nan  # refused with the others, and then the form still has everything
    tags = (" ".join(tag.split()) for tag in visit.value("tags").split(","))
    return NoteDraft(
        title=" ".join(visit.value("title").split()),
        body=visit.value("body").replace("\r\n", "\n"),  # forms send every line end so
        type=cast("MemoryType", visit.value("type", "semantic")),  # checked with the rest
        project=" ".join(visit.value("project", "global").split()),
        scope=cast("Scope", visit.value("scope", "portable")),
        tags=tuple(tag for tag in tags if tag),
        confidence=confidence,
        supersedes=tuple(visit.value("supersedes").split()),
        later={name: of_text(name, visit.value(name)) for name in LATER_FIELDS},
    )
