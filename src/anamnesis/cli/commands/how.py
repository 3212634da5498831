"""Find commands that worked before: how often, when last, and what they fixed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.operations.sessions.archive import SessionFilter
from anamnesis.operations.sessions.how import how

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis how run the migrations
  anamnesis how deploy --project .
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("words", nargs="+", help="what you want to do")
    arguments.add_project(parser)
    arguments.add_limit(parser, default=10)
    arguments.add_since(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the commands, best match first."""
    project = arguments.project_of(args.project) or ""
    session_filter = SessionFilter(project=project, since=args.since or "")
    home = arguments.existing_home()
    commands = how(home, " ".join(args.words), session_filter, limit=args.limit)
    if args.json:
        output.say_json([asdict(each) for each in commands])
        return 0
    for each in commands:
        output.say(each.command)
        times = "once" if each.times == 1 else f"{each.times} times"
        where = f"{each.session.id[:12]} #{each.number}"
        output.talk(f"    worked {times}, last on {each.at[:10]} ({where})")
        if each.fixed:
            output.talk(f"    after: {each.fixed}")
    if not commands:
        output.talk("no session on this machine ran a matching command")
    return 0
