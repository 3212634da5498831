"""Delete notes. Versions that were synced stay in the history of the memory repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output
from anamnesis.counting import counted
from anamnesis.errors import NoSuchNote

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("id", nargs="+", help="notes' ids, or enough of their start or end")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Delete the notes after asking."""
    with arguments.open_store() as store:
        notes = []
        for note_id in dict.fromkeys(map(store.resolve_id, args.id)):
            note = store.get(note_id)
            if note is None:
                raise NoSuchNote(note_id)
            notes.append(note)
        for note in notes:
            output.talk(output.note_line(note))
        if not asking.confirmed(f"Delete {counted(len(notes), 'note')}?", yes=args.yes):
            output.talk("delete: nothing was deleted")
            return 1
        for note in notes:
            store.delete(note.id)
            output.say(note.id)
    return 0
