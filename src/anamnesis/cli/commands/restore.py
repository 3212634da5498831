"""Restore an earlier version of a note. The version it replaces stays in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.notes.history import restore
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis history N0KGD
  anamnesis restore N0KGD 3237e8f
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    parser.add_argument("rev", metavar="REV", help="a version from `anamnesis history`")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Write the earlier version as the current one."""
    with arguments.store_to_change("restore", wait=False) as store:
        note = restore(store, args.id, args.rev).note
    if args.json:
        output.say_json(note_dict(note))
        return 0
    output.say(note.id)
    output.talk(f"Restored {tables.fitted(note.title, 30)} to {args.rev}")
    return 0
