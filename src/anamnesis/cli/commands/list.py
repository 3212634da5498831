"""List notes, newest first."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output

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
    arguments.add_count(parser, "--offset", default=0, help="skip so many", least=0)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print one line for each note."""
    with arguments.open_store() as store:
        found = store.headers(
            project=arguments.project_of(args.project),
            type=args.type,
            scope=args.scope,
            limit=args.limit + 1 if args.limit > 0 else None,
            offset=args.offset,
        )
    shown = found[: args.limit] if args.limit > 0 else found
    if args.json:
        output.say_json([output.note_dict(note, body=False) for note in shown])
        return 0
    for note in shown:
        output.say(output.note_line(note))
    if len(found) > len(shown):
        output.talk(f"more with:  anamnesis list {_options(args)}")
    if not found:
        output.talk('no notes; write one with:  anamnesis write "a fact"')
    return 0


def _options(args: Namespace) -> str:
    """What gives the next page of the same list."""
    asked = {"project": args.project, "type": args.type, "scope": args.scope, "limit": args.limit}
    asked["offset"] = args.offset + args.limit
    given = ((f"--{name}", str(value)) for name, value in asked.items() if value)
    return shlex.join(word for pair in given for word in pair)
