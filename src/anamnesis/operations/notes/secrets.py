"""Secrets stay out of notes, and notes that hold one stay on this machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.config import home_directory

if TYPE_CHECKING:
    from typing import TypeVar

    from anamnesis.ground.home import Home
    from anamnesis.notes.note import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.operations.notes.draft import NoteDraft

    T = TypeVar("T", Memory, NoteDraft)


def without_secrets(text: str, *, known: str = "") -> tuple[str, tuple[str, ...]]:
    """The text without its secrets, and what kinds were taken out.

    What `known`, the text before an edit, held already may stay: a person let it in.
    """
    from anamnesis.redact import findings, redact
    from anamnesis.redact.allowed import allow_list

    allowed = (*allow_list(home_directory()), *(known[f.start : f.end] for f in findings(known)))
    kinds = tuple(finding.kind for finding in findings(text, allow=allowed))
    return (redact(text, allow=allowed) if kinds else text), kinds


def without_new_secrets(note: T, *, before: T | None = None) -> tuple[T, tuple[str, ...]]:
    """A note or draft without the secrets that an edit, or whoever made it, brought in."""
    known = "\n".join(_texts(before)) if before else ""
    cleaned = [without_secrets(text, known=known) for text in _texts(note)]
    kinds = tuple(kind for _, found in cleaned for kind in found)
    title, body, project, *tags = (text for text, _ in cleaned)
    tags_alike = type(note.tags)(tags)
    return replace(note, title=title, body=body, project=project, tags=tags_alike), kinds


def _texts(note: Memory | NoteDraft) -> list[str]:
    return [note.title, note.body, note.project, *note.tags]


def about_secrets(home: Home, found: ReadNote) -> str:
    """Why a note does not travel although it may, as a sentence; nothing if it does."""
    if found.note.scope != "portable":
        return ""
    from anamnesis.redact.allowed import secrets_stay_here

    objection = secrets_stay_here(home)("", found.data)
    return f"This note stays on this machine: {objection}." if objection else ""


def replaced(kinds: tuple[str, ...]) -> str:
    """What to tell the writer about secrets that were taken out; nothing if none were."""
    return f"Secrets were replaced before storing: {_listed(kinds)}." if kinds else ""


def kept(kinds: tuple[str, ...]) -> str:
    """What to tell the writer about secrets that were left in; nothing if there are none."""
    from anamnesis.redact.allowed import FILE_NAME

    return (
        f"It holds what looks like a secret ({_listed(kinds)}): sync keeps it on this machine, "
        f"unless the value is in {FILE_NAME}."
        if kinds
        else ""
    )


def _listed(kinds: tuple[str, ...]) -> str:
    return ", ".join(sorted(set(kinds)))
