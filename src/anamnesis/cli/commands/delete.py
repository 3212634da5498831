"""Delete notes. What they said stays in the history of the memory repository.

Notes of this machine only (`--scope machine-local`) have no history: they are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.operations.notes.delete import delete
from anamnesis.operations.notes.show import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis delete N0KGD             the end of an id is enough
  anamnesis restore ID HEAD          bring it back; the id in full, as it is printed
  anamnesis history ID               after a sync: its versions, to bring one of them back
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Delete the notes after asking."""
    with arguments.open_store() as store:
        notes = {note.id: note for note in (show(store, given).note for given in args.id)}
        for note in notes.values():
            output.talk(output.note_line(note))
        if not asking.confirmed(f"Delete {counted(len(notes), 'note')}?", yes=args.yes):
            output.talk("delete: nothing was deleted")
            return 1
        done = delete(store, notes)
    for notice in done.notices:
        output.talk(f"delete: {notice}")
    for change in done.changes:
        output.say(change.before.id)
    for error in done.errors:
        output.complain("delete", error)
    return EXIT_FAILED if done.errors else 0
