"""Exporting notes: files, JSON Lines, or one document."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.counting import counting
from anamnesis.ground.errors import InvalidInput
from anamnesis.notes import tree
from anamnesis.notes.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

FORMATS = ("directory", "jsonl", "markdown")


def notes_to_export(
    store: MemoryStore,
    *,
    project: str | None = None,
    superseded: bool = False,
    machine_local: bool = False,
    progress: Progress = None,
) -> Iterator[Memory]:
    """The notes, oldest first, one at a time; local-only ones on request."""
    hidden = set() if superseded else store.superseded_ids()
    headers = store.headers(project=project, scope=None if machine_local else "portable")
    for header in counting(headers[::-1], progress):
        note = store.get(header.id)
        if note is not None and note.id not in hidden:
            yield note


def to_directory(notes: Iterable[Memory], directory: str) -> int:
    """Write one markdown file for each note, as the store has it; the directory must be new.

    Raises InvalidInput.
    """
    if os.path.isdir(directory) and os.listdir(directory):
        raise InvalidInput(f"{directory} is not empty.", hint="Name a new directory.")
    count = 0
    for note in notes:
        atomic.write_bytes(os.path.join(directory, tree.path_of(note)), tree.encode(note))
        count += 1
    return count


def jsonl_lines(notes: Iterable[Memory]) -> Iterator[str]:
    """One JSON object for each note, with every field."""
    for note in notes:
        fields = {name: getattr(note, name) for name in FIELDS}
        yield json.dumps(fields, ensure_ascii=True) + "\n"


def document_lines(notes: Iterable[Memory]) -> Iterator[str]:
    """One markdown document, to read or to print."""
    yield "# Notes\n"
    for note in notes:
        about = f"{note.type}, {note.project}, {note.updated_at[:10]}, {note.machine_id}"
        tags = f", tags: {', '.join(note.tags)}" if note.tags else ""
        yield f"\n## {' '.join(note.title.split())}\n\n_{about}{tags}_ `{note.id}`\n\n{note.body}\n"
