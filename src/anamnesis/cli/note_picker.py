"""Picking one of several notes at the terminal, by its number."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.operations.notes.show import find

if TYPE_CHECKING:
    from collections.abc import Sequence


def one_of(ids: Sequence[str]) -> str | None:
    """The id that you pick; None without a terminal, or if you pick none."""
    if not sys.stdin or not sys.stdin.isatty():
        return None
    with arguments.store_to_read() as store:
        notes = [read.note for note_id in ids if (read := find(store, note_id))]
        lines = tables.NoteLines(store, notes)
    output.talk(f"{'':3} {lines.heading}")
    for number, note in enumerate(notes, start=1):
        output.talk(f"{number:>3} {lines[note.id]}")
    answer = questions.line(f"Which one? (1 to {len(notes)}, Enter for none)", "")
    number = int(answer) if answer.isdecimal() else 0
    return notes[number - 1].id if 1 <= number <= len(notes) else None
