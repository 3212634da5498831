"""Delete notes. Versions that were synced stay in the history of the memory repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output
from anamnesis.counting import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Delete the notes after asking."""
    with arguments.open_store() as store:
        ids = dict.fromkeys(map(store.resolve_id, args.id))
        notes = [store.require(note_id).note for note_id in ids]
        for note in notes:
            output.talk(output.note_line(note))
        if not asking.confirmed(f"Delete {counted(len(notes), 'note')}?", yes=args.yes):
            output.talk("delete: nothing was deleted")
            return 1
        for note in notes:
            store.delete(note.id)
            output.say(note.id)
    return 0
