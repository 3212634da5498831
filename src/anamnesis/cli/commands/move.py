"""Move notes between the tree that travels and the one that stays on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, undoing
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.notes.note import SCOPES
from anamnesis.operations.notes.move import move
from anamnesis.operations.notes.show import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis move N0KGD --scope machine-local    stop syncing it
  anamnesis move N0KGD --scope portable         let it travel again
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--scope", choices=SCOPES, required=True, help="where it shall live")


def run(args: Namespace) -> int:
    """Move the notes."""
    with undoing.store_to_change("move", wait=False) as store:
        done = move(store, [show(store, given).note.id for given in args.id], args.scope)
        for note_id in done.ids:
            output.say(output.note_line(show(store, note_id).note))
    for error in done.errors:
        output.complain("move", error)
    return EXIT_FAILED if done.errors else 0
