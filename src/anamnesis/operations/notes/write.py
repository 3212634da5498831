"""Writing a note, for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.notes.fields import Memory, new_id
from anamnesis.operations.notes.policy import (
    HELD,
    notice_of_kept,
    notice_of_replaced,
    policy_of,
    require_allowed,
    trimmed,
    without_new_secrets,
)
from anamnesis.search.query import Filters
from anamnesis.trust.policy import new_tags, why_not

if TYPE_CHECKING:
    from anamnesis.notes.fields import NoteId
    from anamnesis.operations.notes.policy import Face, NoteDraft
    from anamnesis.store import MemoryStore

_KNOWN = "This note was already stored; nothing was written."
_COMPARED = 5  # a similar note is among the first hits for its own words
_ASKED = 120  # characters of the body to search with: more costs more and finds the same


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A stored note, and what its writer should know about it."""

    note: Memory
    notice: str = ""
    written: bool = True  # False: the same note was already stored
    unit: str = ""  # of an edit: what undoes it
    similar: tuple[Memory, ...] = ()  # active notes that say nearly the same


def write(
    store: MemoryStore,
    draft: NoteDraft,
    *,
    face: Face,
    machine_id: str = "unknown",
    anyway: bool = False,
    keep_secrets: bool = False,
    origin: str = "",
    directory: str = "",
) -> WrittenNote:
    """Store a new note, or give the identical one that exists.

    The note is tied to the code that it names in the checkout of `directory`. `anyway` stores it a
    second time; `keep_secrets` stores it word for word. Raises InvalidInput, NoSuchNote for a
    superseded id, StoreBusy or NotWritable; then nothing was written.
    """
    rules = policy_of(face, "write")
    plain, kinds = without_new_secrets(draft, home=store.home)
    held, typed = keep_secrets or rules.secrets == HELD, trimmed(draft)
    draft = typed if held else trimmed(plain)
    require_allowed(rules, draft)
    if rules.requires_superseded:
        require_notes(store, draft.supersedes)
    if rules.refuses_identical and not anyway and (known := _identical_note(store, draft)):
        return WrittenNote(known, notice=_KNOWN, written=False)
    similar = _similar_notes(store, draft) if rules.checks_near_duplicates and not anyway else ()
    now = utcnow()
    note = store.create(
        Memory(
            id=new_id(),
            type=draft.type,
            title=draft.title,
            body=draft.body,
            project=draft.project,
            machine_id=machine_id,
            scope=draft.scope,
            tags=new_tags(origin, draft.tags) if origin else list(draft.tags),
            created_at=now,
            updated_at=now,
            confidence=draft.confidence,
            supersedes=" ".join(draft.supersedes),
            origin=origin,
            anchors=_tied(draft, directory),
            **draft.later,  # type: ignore[arg-type]
        )
    )
    about_secrets = (notice_of_kept if held else notice_of_replaced)(kinds)
    told = [about_secrets, _review_notice(note), *map(_similar_notice, similar)]
    if kinds and rules.keeps_typed and not (held or origin):
        told.append(_kept(store, note, typed))
    return WrittenNote(note, notice=" ".join(filter(None, told)), similar=similar)


def _tied(draft: NoteDraft, directory: str) -> list[str]:
    if not directory or "`" not in draft.body:
        return []
    from anamnesis.operations.notes import anchors

    return anchors.tied(f"{draft.title}\n{draft.body}", directory)


def _kept(store: MemoryStore, note: Memory, typed: NoteDraft) -> str:
    from anamnesis.operations.notes import replaced_secrets

    return replaced_secrets.keep(store, note, typed)


def _review_notice(note: Memory) -> str:
    """What the writer should know about a note that waits for review."""
    reason = why_not(note.origin, note.tags) if note.origin else ""
    return f"It waits for review, see `anamnesis review`: {reason}." if reason else ""


def require_notes(store: MemoryStore, ids: tuple[NoteId, ...]) -> None:
    """Raise NoSuchNote for an id that names none."""
    for note_id in ids:
        store.require(note_id)


def _identical_note(store: MemoryStore, draft: NoteDraft) -> Memory | None:
    """An identical active note in the same place that replaces the same notes."""
    same = [
        note
        for note in store.titled(draft.title, project=draft.project, scope=draft.scope)
        if note.body.strip() == draft.body.strip()
        and set(draft.supersedes) <= set(note.supersedes_ids)
    ]
    superseded = store.superseded_ids() if same else ()
    return next((note for note in same if note.id not in superseded), None)


def _similar_notes(store: MemoryStore, draft: NoteDraft) -> tuple[Memory, ...]:
    """Similar active notes in the same place."""
    place = Filters((draft.project,), type=draft.type, scope=draft.scope)
    asked = f"{draft.title} {draft.body[:_ASKED]}"
    found = store.recall(asked, filters=place, k=_COMPARED, by_meaning=False, forgiving=False)
    if not found:
        return ()
    from anamnesis.reflect.similarity import THRESHOLD, likeness, shape

    own = shape(draft.body)
    return tuple(
        hit.note
        for hit in found
        if hit.note.id not in draft.supersedes and likeness(own, shape(hit.note.body)) >= THRESHOLD
    )


def _similar_notice(note: Memory) -> str:
    return f'A similar note is stored as {note.id} ("{" ".join(note.title.split())}").'
