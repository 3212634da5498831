"""Make one note of several: every paragraph once. The old notes are superseded and stay on disk.

Shows the new note; writes it with --apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, undoing
from anamnesis.config import resolve_machine_id
from anamnesis.importers.draft import read_text
from anamnesis.operations.curate import curate
from anamnesis.operations.notes.show import note_dict

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
    parser.add_argument("--file", metavar="PATH", help="take the text from a file")
    parser.add_argument("--apply", action="store_true", help="write the note")
    undoing.add_option(parser, what="merge")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show the merged note, or write it."""
    with undoing.store_to_change("merge") as store:
        if args.undo:
            return undoing.take_back(store, "merge")
        note = curate.merged_note(
            store,
            [store.resolve_id(given) for given in args.id],
            machine_id=resolve_machine_id(),
            title=args.title,
            body=read_text(args.file).strip() if args.file else "",
        )
        if args.apply:
            curate.merge(store, note)
    if args.json:
        output.say_json(note_dict(note))
    elif args.apply:
        output.say(note.id)
    else:
        output.say(f"# {note.title}\n\n{note.body}")
        output.talk(f"\nreplaces {note.supersedes}\nnothing was written; to write it:  --apply")
    return 0
