"""List notes whose code changed, moved or is gone since they were written.

A note is tied to the functions, classes and files that it names in `code marks` when it is written
inside a repository. One that was not is listed if it names what no longer exists. Nothing changes
but with --confirm, which says that notes still hold and ties them to the code as it is now.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate.stale import confirm, stale_notes
from anamnesis.operations.notes.show import show
from anamnesis.project import resolve_project_key

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis stale                  # the project of this directory
  anamnesis stale ~/code/shop
  anamnesis stale --confirm 01J9Z8  # the note still holds
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "directory", nargs="?", default=".", help="the project's directory; default: this one"
    )
    parser.add_argument(
        "--confirm", metavar="ID", nargs="+", help="tie notes to the code as it is: they still hold"
    )
    parser.add_argument("--project", metavar="KEY", help="its key, if it is not the directory's")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print each such note with what became of its code."""
    if not os.path.isdir(args.directory):
        raise InvalidInput(f"There is no directory {args.directory}.")
    if args.confirm:
        return _confirm(args)
    with arguments.store_to_read() as store, output.progress("reading sources") as progress:
        project = arguments.project_of(args.project, store=store)
        project = project or resolve_project_key(args.directory)
        stale = stale_notes(store, project=project, directory=args.directory, progress=progress)
        lines = tables.NoteLines(store, [each.note for each in stale])
    if args.json:
        output.say_json([
            {"id": e.note.id, "state": e.state, "about": e.sentence, "missing": list(e.missing)}
            for e in stale
        ])  # fmt: skip
        return 0
    for each in stale:
        output.say(lines[each.note.id])
        output.say(f"  {each.sentence}")
    those = counted(len(stale), "note speaks", "notes speak")
    output.talk(f"{those} of code in {project} that is not as it was")
    if stale:
        output.talk("one that still holds:  anamnesis stale --confirm ID")
    return 0


def _confirm(args: Namespace) -> int:
    with arguments.store_to_change("confirm") as store:
        ids = [show(store, name).note.id for name in args.confirm]
        unit = confirm(store, ids, directory=args.directory)
    if args.json:
        output.say_json({"confirmed": ids, "undo": unit.id if unit else ""})
        return 0
    output.say(f"{counted(len(ids), 'note')} confirmed")
    return 0
