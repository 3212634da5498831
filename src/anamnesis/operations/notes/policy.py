"""What a writer may say in a note, and what each face allows: one row per face and verb.

A difference between two faces is a difference between two rows, and has its reason beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.notes.fields import EDITED, LATER, SCOPES, TYPES

if TYPE_CHECKING:
    from typing import Literal, TypeVar

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory, MemoryType, Scope, Value
    from anamnesis.notes.tree import ReadNote

    T = TypeVar("T", "Memory", "NoteDraft")
    Face = Literal["command", "tool", "dashboard", "api"]
    Verb = Literal["write", "edit"]

LATER_FIELDS = [name for name in EDITED if name in LATER]
REPLACED = "replaced"  # secrets are removed before the note is stored, and the writer is told
HELD = "held"  # the note is stored unchanged, and is not synced

_TITLE = 300  # characters: a line that people and models read in lists
_BODY = 256 * 1024  # bytes: a note is read by models; anything larger belongs in a file
_LABEL = 1000  # characters of a project key or a tag


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """The fields of a note that its writer chooses; the rest is filled in."""

    title: str
    body: str
    type: MemoryType = "semantic"
    project: str = "global"
    scope: Scope = "portable"
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    supersedes: tuple[str, ...] = ()
    later: dict[str, Value] = field(default_factory=dict)  # editable fields of later versions


def draft_of(note: Memory) -> NoteDraft:
    """The draft that an edit of a note starts with."""
    return NoteDraft(
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


def revised(before: Memory, draft: NoteDraft) -> Memory:
    """A note with the changes of a draft; nothing is checked here."""
    return replace(
        before,
        title=draft.title,
        body=_with_line_ends(draft.body, like=before.body),
        type=draft.type,
        project=draft.project,
        scope=draft.scope,
        tags=list(draft.tags),
        confidence=draft.confidence,
        supersedes=" ".join(draft.supersedes),
        **draft.later,
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for one verb of one face."""

    face: Face
    verb: Verb
    longest_title: int  # characters
    largest_body: int  # bytes of UTF-8
    refuses_identical: bool  # refuse an identical note in the same place; `--anyway` waives it
    requires_superseded: bool  # every superseded id must be a note
    checks_near_duplicates: bool  # tell the writer about similar notes
    secrets: str  # REPLACED or HELD; `--allow-secret` asks for HELD
    keeps_typed: bool  # what was replaced is kept on this machine, to be put back


# An edit already has its note: finding duplicates is left to `dedup`. Tools write
# corrections as new notes, so there is no row for an edit by a tool. Only what a person
# typed is kept: programs have their text.
POLICIES = (
    #       face         verb     title   body   identical supersedes similar secrets    typed
    Policy("command",   "write", _TITLE, _BODY,  True,     True,      True,   REPLACED,  True),
    Policy("tool",      "write", _TITLE, _BODY,  True,     True,      True,   REPLACED,  False),
    Policy("dashboard", "write", _TITLE, _BODY,  True,     True,      True,   REPLACED,  True),
    Policy("api",       "write", _TITLE, _BODY,  True,     True,      True,   REPLACED,  False),
    Policy("command",   "edit",  _TITLE, _BODY,  False,    True,      False,  REPLACED,  True),
    Policy("dashboard", "edit",  _TITLE, _BODY,  False,    True,      False,  REPLACED,  True),
    Policy("api",       "edit",  _TITLE, _BODY,  False,    True,      False,  REPLACED,  False),
)  # fmt: skip
_ROWS = {(row.face, row.verb): row for row in POLICIES}


def policy_of(face: Face, verb: Verb) -> Policy:
    """The row for a face and a verb."""
    return _ROWS[face, verb]


def trimmed(note: T) -> T:
    """A note or draft without space around its title and project; no project is `global`."""
    title, project = note.title.strip(), note.project.strip() or "global"
    if (title, project) == (note.title, note.project):
        return note
    return replace(note, title=title, project=project)


def require_allowed(rules: Policy, draft: NoteDraft, *, before: NoteDraft | None = None) -> None:
    """Raise InvalidInput for values that a note may not have.

    Violations that a note had `before` an edit may stay, so that a note from elsewhere can be
    improved step by step; an edit may not add any.
    """
    _require_known_values(draft, before)
    if not draft.title and (before is None or before.title):
        raise InvalidInput(
            "The title is empty.", hint="Give it one line that says what the note is about."
        )
    if len(draft.title) > max(rules.longest_title, len(before.title) if before else 0):
        raise InvalidInput(
            f"The title has {len(draft.title)} characters; {rules.longest_title} are allowed.",
            hint="Shorten the title and put the rest into the body.",
        )
    size = _size(draft)
    if size > max(rules.largest_body, _size(before) if before else 0):
        raise InvalidInput(
            f"The body has {size // 1024} KB; {rules.largest_body // 1024} KB are allowed.",
            hint="Keep the essence, and name a file for the rest.",
        )
    known = (before.project, *before.tags) if before else ()
    for label in (draft.project, *draft.tags):
        if len(label) > _LABEL and label not in known:
            raise InvalidInput(f"{label[:40]}… is longer than {_LABEL} characters.")


def without_new_secrets(
    note: T, *, home: Home, before: T | None = None
) -> tuple[T, tuple[str, ...]]:
    """A note or draft without its secrets, and the kinds that were removed.

    Values that the store at `home` allows may stay, and those that the note had `before` an edit.
    """
    from anamnesis.secrets import allow_list, findings, redact

    known: str = "\n".join(_texts(before)) if before else ""
    allowed = (*allow_list(home), *(known[f.start : f.end] for f in findings(known)))
    texts = _texts(note)
    kinds = tuple(found.kind for text in texts for found in findings(text, allow=allowed))
    if not kinds:
        return note, ()
    title, body, project = (redact(text, allow=allowed) for text in texts[:3])
    tags = type(note.tags)(redact(text, allow=allowed) for text in texts[3:])
    return replace(note, title=title, body=body, project=project, tags=tags), kinds


def about_secrets(home: Home, found: ReadNote) -> str:
    """Why a portable note is not synced, as a sentence; nothing if it is."""
    if found.note.scope != "portable":
        return ""
    from anamnesis.secrets import secrets_stay_here

    reason = secrets_stay_here(home)("", found.data)
    return f"This note is not synced: {reason}." if reason else ""


def notice_of_replaced(kinds: tuple[str, ...]) -> str:
    """What to tell the writer about replaced secrets; nothing if there were none."""
    return f"Secrets were replaced before storing: {_listed(kinds)}." if kinds else ""


def notice_of_kept(kinds: tuple[str, ...]) -> str:
    """What to tell the writer about secrets that were kept; nothing if there are none."""
    from anamnesis.secrets import ALLOWED

    return (
        f"It seems to hold a secret ({_listed(kinds)}): sync keeps it on this machine, "
        f"unless the value is in {ALLOWED}."
        if kinds
        else ""
    )


def _require_known_values(draft: NoteDraft, before: NoteDraft | None) -> None:
    if before is None or draft.type != before.type:  # a newer version's type may stay
        tree.require_one_of("type", draft.type, TYPES)
    tree.require_one_of("scope", draft.scope, SCOPES)
    for name, value in draft.later.items():
        if isinstance(value, float) and value - value != 0.0:
            raise InvalidInput(f"The {name} is not a number.")
    if before is not None and draft.confidence == before.confidence:
        return
    if not 0.0 <= draft.confidence <= 1.0:
        raise InvalidInput("The confidence is a number from 0 to 1.")


def _size(draft: NoteDraft) -> int:
    return len(draft.body.encode("utf-8", "surrogatepass"))


def _with_line_ends(text: str, *, like: str) -> str:
    """The text with the line ends of the note; forms send CR LF."""
    plain = text.replace("\r\n", "\n")
    if plain == like.replace("\r\n", "\n"):
        return like
    return plain.replace("\n", "\r\n") if "\r\n" in like else plain


def _texts(note: Memory | NoteDraft) -> list[str]:
    return [note.title, note.body, note.project, *note.tags]


def _listed(kinds: tuple[str, ...]) -> str:
    return ", ".join(sorted(set(kinds)))
