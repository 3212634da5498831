"""List notes, newest first."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.index.browse import NoteFilter
from anamnesis.operations.notes.list import list_notes
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis list --project .
  anamnesis list --type procedural --limit 200
  anamnesis list --json --limit 0     everything, for a program
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_filters(parser)
    arguments.add_count(parser, "--limit", default=50, help="default: 50; 0 lists all", least=0)
    arguments.add_count(parser, "--offset", default=0, help="skip the first N notes", least=0)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print one line for each note."""
    project = arguments.project_of(args.project) or ""
    wanted = NoteFilter(args.type or "", project, args.scope or "", state="all")
    with arguments.open_store() as store:
        page = list_notes(store, wanted, limit=args.limit or None, offset=args.offset)
    if args.json:
        output.say_json([note_dict(row.note, body=False) for row in page.rows])
        return 0
    for row in page.rows:
        output.say(output.note_line(row.note))
    if page.next_offset is not None:
        output.talk(f"more with:  anamnesis list {_options(args)}")
    if not page.rows:
        output.talk('no notes; write one with:  anamnesis write "a fact"')
    return 0


def _options(args: Namespace) -> str:
    """What gives the next page of the same list."""
    asked = {"project": args.project, "type": args.type, "scope": args.scope, "limit": args.limit}
    asked["offset"] = args.offset + args.limit
    given = ((f"--{name}", str(value)) for name, value in asked.items() if value)
    return shlex.join(word for pair in given for word in pair)
