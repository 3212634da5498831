"""Move notes between the tree that travels and the one that stays on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.notes.note import SCOPES

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
    with arguments.open_store() as store:
        for note_id in [store.resolve_id(given) for given in args.id]:
            output.say(output.note_line(store.move(note_id, args.scope)))
    return 0
