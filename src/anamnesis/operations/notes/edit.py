"""Saving an edit of a note, for every face, without overwriting another one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.errors import NoteChangedOnDisk
from anamnesis.history import undo
from anamnesis.operations.notes.policy import (
    HELD,
    draft_of,
    notice_of_kept,
    notice_of_replaced,
    policy_of,
    require_allowed,
    trimmed,
    without_new_secrets,
)
from anamnesis.operations.notes.write import WrittenNote, require_notes
from anamnesis.trust.policy import edited_tags, lowest

if TYPE_CHECKING:
    from anamnesis.notes.fields import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.notes.policy import Face
    from anamnesis.store import MemoryStore


def edit(
    store: MemoryStore,
    before: ReadNote,
    after: Memory,
    *,
    face: Face,
    expected_hash: str | None = None,
    origin: str = "",
) -> WrittenNote:
    """Save an edit of a note as it was read, or as it was when it had `expected_hash`.

    `origin` names the agent that edits; empty for you. Raises InvalidInput, NoSuchNote for a
    superseded id that the edit adds, and NoteChangedOnDisk if the note is no longer the one that
    was read; then nothing was changed.
    """
    if origin:
        tags = edited_tags(before.note.tags, after.tags)
        after = replace(after, tags=tags, origin=lowest([before.note.origin, origin]))
    allowed, notice = checked(store, before.note, after, face=face)
    if expected_hash is not None and expected_hash != before.hash:
        if allowed == before.note:  # saved before, but the answer never arrived
            return WrittenNote(before.note, notice=notice)
        raise NoteChangedOnDisk(f"{before.note.id}.md")
    done = undo.replaced(store, allowed, before=before)
    typed = trimmed(after)
    keeps_typed = policy_of(face, "edit").keeps_typed and not origin
    if keeps_typed and draft_of(typed) != draft_of(allowed):
        from anamnesis.operations.notes import replaced_secrets

        notice = f"{notice} {replaced_secrets.keep(store, done.note, typed)}"
    return WrittenNote(done.note, notice=notice, unit=done.unit.id if done.unit else "")


def checked(store: MemoryStore, before: Memory, after: Memory, *, face: Face) -> tuple[Memory, str]:
    """An edited note as it may be stored, and a notice for its writer. Raises as `edit` does."""
    rules = policy_of(face, "edit")
    plain, kinds = without_new_secrets(after, home=store.home, before=before)
    held = rules.secrets == HELD
    allowed = trimmed(after if held else plain)
    require_allowed(rules, draft_of(allowed), before=draft_of(before))
    if rules.requires_superseded:
        added = (id for id in allowed.supersedes_ids if id not in before.supersedes_ids)
        require_notes(store, tuple(added))
    return allowed, (notice_of_kept if held else notice_of_replaced)(kinds)


def redact(store: MemoryStore, found: ReadNote) -> None:
    """Replace secrets in a note; undo does not keep them. Raises NoteChangedOnDisk."""
    plain, _ = without_new_secrets(found.note, home=store.home)
    changes = undo.changes_of(store, [(found, replace(plain, updated_at=utcnow()))])
    undo.erase(store, changes, ids=[found.note.id])
