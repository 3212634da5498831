"""Keep a block of the repository's notes in AGENTS.md and its like, for agents without hooks.

The block has the repository's rules (its procedural notes) and the titles of the others, within a
size. Nothing outside of it is touched. What somebody edits in the block is not overwritten: take it
into its note, or drop it.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.carried import BRIDGES
from anamnesis.cli import arguments, output
from anamnesis.ground.errors import EXIT_CONFLICT
from anamnesis.operations.repository.bridge import bridge, take
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.repository.bridge import Bridged

EXAMPLES = """\
examples:
  anamnesis bridge AGENTS.md        # begin one
  anamnesis bridge                  # bring all blocks up to date
  anamnesis bridge --take 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  anamnesis bridge --drop 01J9Z8YPM7Q3X2V4WT6B5N0KGD
"""
_LEAST = 1_000


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "file", nargs="*", help=f"default: all that have a block; {', '.join(BRIDGES)}"
    )
    parser.add_argument("--directory", default=".", help="in the repository; default: this one")
    arguments.add_count(
        parser,
        "--size",
        default=None,
        least=_LEAST,
        help="the block's size, in characters; default: 8000",
    )
    parser.add_argument("--take", metavar="ID", help="take the edit of a rule into its note")
    parser.add_argument("--drop", metavar="ID", default="", help="give the edit of a rule up")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Write the blocks, and say what waits."""
    home = config.home_directory()
    if args.take or args.drop:
        require_person("decide about an edit")
    if args.take:
        done = take(home, args.directory, args.take)
    else:
        done = bridge(home, args.directory, files=args.file, size=args.size, drop=args.drop)
    if args.json:
        output.say_json([asdict(each) for each in done])
    else:
        for each in done:
            _say(each)
    return EXIT_CONFLICT if any(each.edited or each.strays for each in done) else 0


def _say(each: Bridged) -> None:
    output.say(f"{each.path}: {'written' if each.written else 'unchanged'}")
    for line in each.strays:
        output.talk(f"  belongs to no note, so nothing was written: {line}")
    if each.strays:
        output.talk("  move such lines out of the block, then:  anamnesis bridge")
    for section in each.edited:
        output.talk(f"  edited here, not in its note: {section.title}")
        output.talk(f"    anamnesis bridge --take {section.id}    # or --drop")
