"""Show what changed in a note: since the last sync, since a version, or between two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.operations.notes.history import difference

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis diff N0KGD                     # the file against the last sync
  anamnesis diff N0KGD 3237e8f             # the file against a version
  anamnesis diff N0KGD 3237e8f 9a01c44     # one version against another
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    parser.add_argument("old", nargs="?", default="", metavar="REV", help="a version")
    parser.add_argument("new", nargs="?", default="", metavar="REV", help="another version")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the difference."""
    with arguments.store_to_read() as store:
        changes = difference(store, args.id, args.old, args.new)
    if args.json:
        output.say_json({"diff": changes})
    elif changes:
        output.page([changes.rstrip("\n")])
    else:
        output.talk("diff: no difference")
    return 0
