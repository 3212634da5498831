"""One note: read it, see its source and where it comes from, edit it without losing an edit."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import nan
from typing import TYPE_CHECKING, Any, cast

from anamnesis.ground.errors import AnamnesisError, InvalidInput, NoSuchNote, NoteChangedOnDisk
from anamnesis.hooks import journal, receipts
from anamnesis.notes.fields import EDITED, FIELDS, WORDS, of_text
from anamnesis.notes.frontmatter import serialize
from anamnesis.notes.note import SCOPES, TYPES
from anamnesis.operations.notes import edit as edits
from anamnesis.operations.notes import policy
from anamnesis.operations.notes.draft import LATER_FIELDS, NoteDraft, draft_of, revised
from anamnesis.operations.notes.secrets import about_secrets
from anamnesis.operations.notes.write import write
from anamnesis.web import markdown
from anamnesis.web import related as others
from anamnesis.web.dashboard import Notice
from anamnesis.web.pages import review

if TYPE_CHECKING:
    from starlette.responses import Response

    from anamnesis.notes.note import MemoryType, Scope
    from anamnesis.notes.tree import ReadNote
    from anamnesis.web.visit import Visit

_RECEIPTS = 5
_LONGEST_TITLE = policy.policy_of("dashboard", "write").longest_title


class _Gone(AnamnesisError):
    """The note that a person edited was deleted meanwhile."""

    def __init__(self) -> None:
        super().__init__(
            "This note was deleted while you edited it.",
            hint="Your words are here: saving them writes a new note.",
        )


def show(visit: Visit) -> Response:
    """The note as it reads."""
    found = visit.note()
    return visit.page(
        "note.html",
        **_common(visit, found),
        html=markdown.rendered(found.note.body),
        related=others.related(visit.store, found.note),
        given=_given(visit, found.note.id),
    )


def source(visit: Visit) -> Response:
    """The file as it is."""
    found = visit.note()
    text = found.data.decode("utf-8", "replace")
    return visit.page("note_source.html", **_common(visit, found), text=text)


def edit(visit: Visit) -> Response:
    """The form."""
    found = visit.note()
    return _form(visit, found, draft_of(found.note))


def save(visit: Visit) -> Response:
    """Save the form; a note that changed meanwhile leads to both versions side by side."""
    found, draft = visit.found_note(), draft_from(visit)
    if found is None:
        return _form(visit, None, draft, error=_Gone())
    after, expected = revised(found.note, draft), visit.value("hash")
    try:
        saved = edits.edit(visit.store, found, after, face="dashboard", expected_hash=expected)
    except NoteChangedOnDisk:
        now = visit.found_note()
        return _merge(visit, now, draft) if now else _form(visit, None, draft, error=_Gone())
    except AnamnesisError as error:  # whatever it is, the person's words stay in the form
        return _form(visit, found, draft, hash=visit.value("hash"), error=error)
    if visit.value("then") == "keep":
        notice = review.decided(visit, "keep", [found.note.id])
        return visit.go("/review", _with(notice, saved.notice))
    return _done(visit, found.note.id, Notice("Saved.", unit=saved.unit), saved.notice)


def blank(visit: Visit) -> Response:
    """The form of a new note."""
    supersedes = visit.asked("supersedes")
    draft = NoteDraft(
        title=visit.asked("title"),
        body="",
        project=visit.asked("project") or "global",
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
    notice = Notice("Written." if saved.written else "")
    return _done(visit, saved.note.id, notice, saved.notice)


def redact(visit: Visit) -> Response:
    """Replace the secrets of a note."""
    found = visit.note()
    if visit.value("hash") != found.hash:
        raise NoteChangedOnDisk(f"{found.note.id}.md")
    edits.redact(visit.store, found)
    visit.dashboard.recorder.soon()
    done = "The secrets were replaced. The note travels with the next sync."
    notice = Notice(done)
    return visit.go(f"/notes/{found.note.id}", notice)


def _done(visit: Visit, note_id: str, done: Notice, notice: str) -> Response:
    """The note that was saved, with what was done and what the person must know about it."""
    visit.dashboard.recorder.soon()
    found = visit.read(note_id)
    warning = about_secrets(visit.dashboard.home, found) if found else ""
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
    found = journal.latest(receipts.path(visit.dashboard.home), containing=note_id, whole=True)
    naming = (
        receipt
        for receipt in filter(receipts.is_whole, found)
        if any(note["id"] == note_id for note in receipt["notes"])
    )
    return list(islice(naming, _RECEIPTS))


def _common(visit: Visit, found: ReadNote) -> dict[str, Any]:
    chain = others.chain(visit.store, found.note)
    return {
        "note": found.note,
        "hash": found.hash,
        "chain": chain,
        "size": len(found.data),
        "secrets": about_secrets(visit.dashboard.home, found),
    }


def _form(
    visit: Visit,
    found: ReadNote | None,
    draft: NoteDraft,
    *,
    hash: str = "",
    error: AnamnesisError | None = None,
) -> Response:
    wrong = isinstance(error, (InvalidInput, NoSuchNote))
    status = 400 if wrong else 409 if isinstance(error, _Gone) else 503
    facets = visit.dashboard.counts.facets(replace(visit.shown(), state="all"))
    return visit.page(
        "edit.html",
        status=status if error else 200,
        note=found.note if found else None,
        hash=hash or (found.hash if found else ""),
        draft=draft,
        in_review=visit.asked("review") == "1" or visit.value("then") == "keep",
        error=error,
        longest_title=max(_LONGEST_TITLE, len(draft.title)),
        types=TYPES,
        scopes=SCOPES,
        later=[(name, EDITED[name], field_text(draft, name)) for name in LATER_FIELDS],
        projects=[value for value, _ in facets["project"]],
        tags=[value for value, _ in facets["tag"]],
    )


def _merge(visit: Visit, found: ReadNote, draft: NoteDraft) -> Response:
    """Both versions: theirs to read, the person's own to go on with."""
    theirs = draft_of(found.note)
    fields = [
        (name, label, field_text(theirs, name), field_text(draft, name))
        for name, label in EDITED.items()
        if field_text(theirs, name) != field_text(draft, name)
    ]
    return visit.page(
        "merge.html",
        status=409,
        note=found.note,
        hash=found.hash,
        draft=draft,
        theirs=theirs,
        fields=fields,
        unchanged=[name for name in EDITED if name not in {field[0] for field in fields}],
        value_of=field_text,
        source=serialize(found.note),
    )


def field_text(draft: NoteDraft, name: str) -> str:
    """One field as a form shows it."""
    value = draft.later.get(name, "") if name in LATER_FIELDS else getattr(draft, name)
    if isinstance(value, str | float):
        return str(value)
    return (", " if FIELDS[name].kind == WORDS else " ").join(value)


def draft_from(visit: Visit) -> NoteDraft:
    """What the person sent."""
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
