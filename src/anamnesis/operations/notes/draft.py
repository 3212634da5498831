"""What a writer says of a note, before it is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.ground.records import replace
from anamnesis.notes.fields import EDITED, LATER

if TYPE_CHECKING:
    from anamnesis.notes.fields import Value
    from anamnesis.notes.note import Memory, MemoryType, Scope

LATER_FIELDS = [name for name in EDITED if name in LATER]


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """The fields of a note that its writer chooses; the rest is stamped on."""

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
    """A note as an edit of it starts."""
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


def _with_line_ends(text: str, *, like: str) -> str:
    """A form sends every line end as CR LF; the note keeps its own."""
    plain = text.replace("\r\n", "\n")
    if plain == like.replace("\r\n", "\n"):
        return like
    return plain.replace("\n", "\r\n") if "\r\n" in like else plain
