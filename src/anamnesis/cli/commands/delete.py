"""Delete notes. For 30 days `anamnesis undo` brings them back.

Their text also stays in the git history, unless they were local only. To remove a note from all
machines for good:  anamnesis forget
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.show import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis delete N0KGD             # the end of an id is enough
  anamnesis undo                     # bring it back
  anamnesis history ID               # its versions, even after 30 days; needs the full id
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Delete the notes after asking."""
    with arguments.store_to_change("delete", wait=False) as store:
        notes = {note.id: note for note in (show(store, name).note for name in args.id)}
        lines = tables.NoteLines(store, list(notes.values()))
        for note_id in notes:
            output.talk(lines[note_id])
        if not questions.confirmed(f"Delete {counted(len(notes), 'note')}?", yes=args.yes):
            output.talk("delete: nothing was deleted")
            return 1
        done = delete(store, notes)
    for notice in done.notices:
        output.talk(f"delete: {notice}")
    if args.json:
        output.say_json({"deleted": list(done.ids)})
    for note_id in [] if args.json else done.ids:
        output.say(note_id)
    if done.unit:
        output.talk("undo it:  anamnesis undo")
    for error in done.errors:
        output.complain("delete", error)
    return EXIT_FAILED if done.errors else 0
