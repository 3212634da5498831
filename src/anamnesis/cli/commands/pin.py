"""Pin notes: every session of their project starts with them, and nothing replaces them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.operations.curate.pin import pin
from anamnesis.operations.notes.show import note_dict, show
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

OPPOSITE = "Unpin notes: they are treated like any others again."
EXAMPLES = """\
examples:
  anamnesis pin N0KGD
  anamnesis unpin N0KGD
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Pin the notes or unpin them, and print which."""
    require_person(f"{args.invoked_as} notes")
    with arguments.store_to_change(args.invoked_as, wait=False) as store:
        notes = [show(store, name).note for name in args.id]
        pin(store, [note.id for note in notes], pinned=args.invoked_as == "pin")
        lines = tables.NoteLines(store, notes)
    if args.json:
        output.say_json([note_dict(note, body=False) for note in notes])
        return 0
    for note in notes:
        output.say(lines[note.id] if tables.is_terminal() else note.id)
    output.talk(f"{args.invoked_as}: {counted(len(notes), 'note')} {args.invoked_as}ned")
    return 0
