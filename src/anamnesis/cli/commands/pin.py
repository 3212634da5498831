"""Pin notes, so that every session gets them and nothing replaces them; or unpin them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.curate.pin import pin
from anamnesis.operations.notes.show import note_dict, show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Pin the notes or unpin them, and print which."""
    with arguments.store_to_change(args.invoked_as, wait=False) as store:
        notes = [show(store, name).note for name in args.id]
        pin(store, [note.id for note in notes], pinned=args.invoked_as == "pin")
        lines = tables.NoteLines(store, notes)
    if args.json:
        output.say_json([note_dict(note, body=False) for note in notes])
    for note in [] if args.json else notes:
        output.say(lines[note.id] if tables.is_terminal() else note.id)
    return 0
