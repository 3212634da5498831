"""Print one note as its file has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.notes.show import note_dict, show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis show 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  anamnesis show N0KGD            the start or the end of an id is enough
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the note."""
    with arguments.open_store() as store:
        note = show(store, args.id).note
    if args.json:
        output.say_json(note_dict(note))
    else:
        output.say(serialize(note).removesuffix("\n"))
    return 0
