"""Saving an edit of a note, without overwriting anybody else's."""

from __future__ import annotations

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import fresh, record, replace
from anamnesis.notes import validity
from anamnesis.notes.fields import EDITED, LATER
from anamnesis.notes.ids import is_valid_id
from anamnesis.notes.note import SCOPES, TYPES, Memory
from anamnesis.operations.notes.secrets import without_new_secrets
from anamnesis.redact.allowed import secrets_stay_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.notes.fields import Value
    from anamnesis.notes.note import MemoryType, Scope
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

LATER_FIELDS = [name for name in EDITED if name in LATER]
_LONGEST_LINE = 1000  # characters of a title, project or tag


@record
class Draft:
    """What a person may change of a note."""

    title: str
    body: str
    type: MemoryType = "semantic"
    project: str = "global"
    scope: Scope = "portable"
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    supersedes: tuple[str, ...] = ()
    later: dict[str, Value] = fresh(default_factory=dict)  # editable fields of later versions


def draft_of(note: Memory) -> Draft:
    """A note as a person starts to edit it."""
    return Draft(
        title=note.title,
        body=note.body,
        type=note.type,
        project=note.project,
        scope=note.scope,
        tags=tuple(note.tags),
        confidence=note.confidence,
        supersedes=note.supersedes_ids,
        later={name: getattr(note, name) for name in LATER_FIELDS},
    )


def revise(store: MemoryStore, before: Memory, draft: Draft, *, expected_hash: str) -> Memory:
    """Save an edit; raises NoteChangedOnDisk if the note is no longer the one that was read."""
    return store.update(revised(before, draft), expected_hash=expected_hash)


def about_secrets(home: str, found: ReadNote) -> str:
    """Why a note does not travel although it may, as a sentence; nothing if it does.

    A person's words are never changed behind their back: they are told, and `redact` is offered.
    """
    if found.note.scope != "portable":
        return ""
    objection = secrets_stay_here(home)("", found.data)
    return f"This note stays on this machine: {objection}." if objection else ""


def redact(store: MemoryStore, found: ReadNote) -> Memory:
    """Replace what looks like a secret in a note."""
    plain, _ = without_new_secrets(found.note)
    return store.update(plain, expected_hash=found.hash)


def revised(before: Memory, draft: Draft) -> Memory:
    """A note with a person's changes, or InvalidInput."""
    _require_valid(draft, known_type=before.type)
    return replace(
        before,
        title=" ".join(draft.title.split()),
        body=_with_line_ends(draft.body, like=before.body),
        type=draft.type,
        project=" ".join(draft.project.split()) or "global",
        scope=draft.scope,
        tags=list(draft.tags),
        confidence=draft.confidence,
        supersedes=" ".join(draft.supersedes),
        **draft.later,
    )


def create(store: MemoryStore, draft: Draft, *, machine_id: str) -> Memory:
    """Write a new note."""
    _require_valid(draft)
    note = store.write(
        type=draft.type,
        title=" ".join(draft.title.split()),
        body=_with_line_ends(draft.body, like=""),
        project=" ".join(draft.project.split()) or "global",
        machine_id=machine_id,
        scope=draft.scope,
        tags=draft.tags,
        confidence=draft.confidence,
        supersedes=" ".join(draft.supersedes),
    )
    return store.put(replace(note, **draft.later)) if any(draft.later.values()) else note


def _require_valid(draft: Draft, *, known_type: str = "") -> None:
    if draft.type != known_type:  # a type that a newer version wrote may stay
        validity.require_one_of("type", draft.type, TYPES)
    validity.require_one_of("scope", draft.scope, SCOPES)
    if not draft.title.strip():
        raise InvalidInput("The title is empty.", hint="Say in one line what the note is about.")
    for line in (draft.title, draft.project, *draft.tags):
        if len(line) > _LONGEST_LINE:
            raise InvalidInput(f"{line[:40]}… is longer than {_LONGEST_LINE} characters.")
    if not 0.0 <= draft.confidence <= 1.0:
        raise InvalidInput("The confidence is a number from 0 to 1.")
    for name, value in draft.later.items():
        if isinstance(value, float) and value - value != 0.0:
            raise InvalidInput(f"The {name} is not a number.")
    for note_id in draft.supersedes:
        if not is_valid_id(note_id):
            raise InvalidInput(f"{note_id[:80]!r} is not a note id.")


def _with_line_ends(text: str, *, like: str) -> str:
    """A form sends every line end as CR LF; the note keeps its own."""
    plain = text.replace("\r\n", "\n")
    if plain == like.replace("\r\n", "\n"):
        return like
    return plain.replace("\n", "\r\n") if "\r\n" in like else plain
