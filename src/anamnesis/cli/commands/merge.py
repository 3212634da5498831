"""Merge several notes into one: every paragraph once. The old notes are superseded but kept.

Shows the new note; writes it with --apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import resolve_machine_id
from anamnesis.operations.curate import merge
from anamnesis.operations.notes.show import note_dict, show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis merge N0KGD 7Q3X2
  anamnesis merge N0KGD 7Q3X2 --title "Release steps" --file release.md --apply
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser, nargs="*")
    parser.add_argument("--title", default="", help="default: the title of the first note")
    parser.add_argument("--file", metavar="PATH", help="read the text from a file")
    parser.add_argument("--apply", action="store_true", help="write the note")
    arguments.add_no_sync(parser)
    arguments.add_undo(parser, what="merge")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show the merged note, or write it."""
    with arguments.store_to_change("merge") as store:
        if args.undo:
            return arguments.take_back(store, "merge", as_json=args.json)
        note = merge.merged_note(
            store,
            [show(store, name).note.id for name in args.id],
            machine_id=resolve_machine_id(),
            title=args.title,
            body=arguments.text_of(args.file).strip() if args.file else "",
        )
        if args.apply:
            merge.merge(store, note)
    if args.json:
        output.say_json(note_dict(note))
    elif args.apply:
        output.say(note.id)
        output.talk("undo it:  anamnesis merge --undo")
    else:
        output.say(f"# {note.title}\n\n{note.body}")
        output.talk(
            f"\nreplaces {note.supersedes}\nnothing was written; to write it, add:  --apply"
        )
    return 0
