"""Summarise recent work by project: sessions, commits, decisions, open points. Prints markdown."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import resolve_machine_id
from anamnesis.operations.sessions.standup import markdown, standup

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis standup                               # since yesterday, on this machine
  anamnesis standup --all-machines --since 7d
  anamnesis standup --project . --since 2026-11-01
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--since", metavar="WHEN", default="yesterday",
        help="yesterday (the default), today, 7d, or a date such as 2026-01-31",
    )  # fmt: skip
    arguments.add_limit(parser, default=0, least=0)
    arguments.add_project(parser)
    parser.add_argument(
        "--all-machines", action="store_true", help="include sessions synced from other machines"
    )
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print what was done."""
    machine = "" if args.all_machines else resolve_machine_id()
    with arguments.store_to_read() as store:
        project = arguments.project_of(args.project, store=store)
        done = standup(store, since=args.since, project=project, machine=machine, limit=args.limit)
    if args.json:
        output.say_json([asdict(each) for each in done])
    elif done:
        output.page([markdown(done)])
    else:
        output.talk(f"no sessions since {args.since}")
    return 0
