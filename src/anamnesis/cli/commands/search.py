"""Find notes by what they say: whole questions are fine, the best overlap comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis search how do we deploy the api
  anamnesis search "sqlite locked" --project . -k 3
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", nargs="+", help="words to look for")
    arguments.add_filters(parser)
    parser.add_argument("-k", type=int, default=8, help="at most so many notes; default: 8")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the hits, best first."""
    with arguments.open_store() as store:
        found = store.search(
            " ".join(args.query),
            project=arguments.project_of(args.project),
            type=args.type,
            scope=args.scope,
            k=args.k,
        )
    if args.json:
        output.say_json([output.note_dict(note) for note in found])
        return 0
    for note in found:
        output.say(output.note_line(note))
    if not found:
        output.talk("nothing found")
    return 0
