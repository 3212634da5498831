"""Print the file of one note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, turns
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.notes.search import warnings
from anamnesis.operations.notes.show import note_dict, show
from anamnesis.operations.sessions.archive import session_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis show 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  anamnesis show N0KGD            # the start or the end of an id is enough
  anamnesis show N0KGD --session  # the session that it was made from
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    parser.add_argument(
        "--session",
        action="store_true",
        help="print the session that it was made from, word for word",
    )
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the note."""
    with arguments.store_to_read(beside=True) as store:
        note = show(store, args.id).note
        warning = warnings([note]).get(note.id, "")
        if args.session:
            turns.say_session(session_of(store.home, note), as_json=args.json)
            return 0
    if args.json:
        output.say_json(note_dict(note, warning=warning))
    else:
        if warning:
            output.talk(warning)
        output.page([serialize(note).removesuffix("\n")])
    return 0
