"""List notes that mention files or symbols that no longer exist. Changes nothing.

Only names in `code marks` count, and files that a note lists one per line.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate.stale import stale_notes
from anamnesis.project import resolve_project_key

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis stale                  # the project of this directory
  anamnesis stale ~/code/shop
"""
_SHOWN = 6


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "directory", nargs="?", default=".", help="the project's directory; default: this one"
    )
    parser.add_argument("--project", metavar="KEY", help="its key, if it is not the directory's")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print each such note with the names that were not found."""
    if not os.path.isdir(args.directory):
        raise InvalidInput(f"There is no directory {args.directory}.")
    project = arguments.project_of(args.project) or resolve_project_key(args.directory)
    with arguments.store_to_read() as store, output.progress("reading sources") as progress:
        stale = stale_notes(store, project=project, directory=args.directory, progress=progress)
        lines = tables.NoteLines(store, [each.note for each in stale])
    if args.json:
        output.say_json([{"id": e.note.id, "missing": list(e.missing)} for e in stale])
        return 0
    for each in stale:
        output.say(lines[each.note.id])
        more = f", and {len(each.missing) - _SHOWN} more" if len(each.missing) > _SHOWN else ""
        output.say(f"  not found: {', '.join(each.missing[:_SHOWN])}{more}")
    those = counted(len(stale), "note mentions", "notes mention")
    output.talk(f"{those} files or symbols that {project} no longer has")
    return 0
