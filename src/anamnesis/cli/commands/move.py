"""Make notes local only, or sync them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.notes.fields import SCOPES
from anamnesis.operations.notes.move import move
from anamnesis.operations.notes.show import note_dict, show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis move N0KGD --scope machine-local    # stop syncing it
  anamnesis move N0KGD --scope portable         # sync it again
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--scope", choices=SCOPES, required=True, help="synced or local only")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Move the notes."""
    with arguments.store_to_change("move", wait=False) as store:
        done = move(store, [show(store, name).note.id for name in args.id], args.scope)
        notes = [show(store, note_id).note for note_id in done.ids]
        lines = tables.NoteLines(store, notes)
    if args.json:
        output.say_json([note_dict(note, body=False) for note in notes])
    for note in [] if args.json else notes:
        output.say(lines[note.id])
    if notes and not args.json:
        those = counted(len(notes), "note is", "notes are")
        output.talk(f"move: {those} now {'synced' if args.scope == 'portable' else 'local only'}")
    for notice in [] if args.json else done.notices:
        output.talk(f"move: {notice}")
    for error in done.errors:
        output.complain("move", error)
    return EXIT_FAILED if done.errors else 0
