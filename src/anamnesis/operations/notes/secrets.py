"""Secrets stay out of notes, and notes that hold one stay on this machine."""

from __future__ import annotations

from anamnesis.config import home_directory
from anamnesis.ground.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory


def without_secrets(text: str, *, known: str = "") -> tuple[str, tuple[str, ...]]:
    """The text without its secrets, and what kinds were taken out.

    What `known`, the text before an edit, held already may stay: a person let it in.
    """
    from anamnesis.redact import findings, redact
    from anamnesis.redact.allowed import allow_list

    allowed = (*allow_list(home_directory()), *(known[f.start : f.end] for f in findings(known)))
    kinds = tuple(finding.kind for finding in findings(text, allow=allowed))
    return (redact(text, allow=allowed) if kinds else text), kinds


def without_any(texts: Iterable[str], *, known: str = "") -> tuple[list[str], tuple[str, ...]]:
    """Several texts without their secrets, and what kinds were taken out of them."""
    cleaned = [without_secrets(text, known=known) for text in texts]
    return [text for text, _ in cleaned], tuple(kind for _, kinds in cleaned for kind in kinds)


def without_new_secrets(
    note: Memory, *, before: Memory | None = None
) -> tuple[Memory, tuple[str, ...]]:
    """A note without the secrets that an edit, or whoever made it, brought in."""
    known = "\n".join(_texts(before)) if before else ""
    (title, body, project, *tags), kinds = without_any(_texts(note), known=known)
    return replace(note, title=title, body=body, project=project, tags=tags), kinds


def _texts(note: Memory) -> list[str]:
    return [note.title, note.body, note.project, *note.tags]


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
