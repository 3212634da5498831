"""Set this machine up: the store, the hooks and the MCP server of your agents, the first sync.

Run it as often as you like: what is there already is left alone. Settings files are backed up,
and `anamnesis uninstall` takes everything back.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import output, setup
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import journey
from anamnesis.sync.remote import shown

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.ground.home import Home
    from anamnesis.onboard.journey import Wishes

EXAMPLES = """\
examples:
  anamnesis init                          ask, then set up every agent that is found
  anamnesis init --print                  show every change as a diff and make none
  anamnesis init --yes --local-only       one machine, no questions
  anamnesis init --remote you@always-on:anamnesis-memory.git
  anamnesis init --agents claude,codex --rules .
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    setup.add_options(parser)
    parser.add_argument("--print", action="store_true", help="show the plan as a diff, and stop")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--remote", metavar="URL", help="the repository that your machines share")
    where.add_argument("--local-only", action="store_true", help="no remote; forgets an old one")
    parser.add_argument("--no-sync", action="store_true", help="leave the first sync for later")
    parser.add_argument(
        "--rules", metavar="DIR", action="append",
        help="also tell agents without hooks of the memory, in this project's AGENTS.md",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Plan, ask, carry out, prove."""
    home = journey.use_home(_home(args))
    known = config.resolve_remote()
    wishes = setup.wishes_of(args, remote=_remote(args))
    work = journey.prepared(home, wishes)
    if args.print:
        setup.show_plan(work)
        return 0
    if work.plan.changes and not args.yes and not setup.agrees(_question(len(work.plan.changes))):
        output.talk("nothing was changed")
        return EXIT_FAILED
    if wishes.remote and wishes.remote != known and not args.no_sync:
        _reach(wishes.remote)
    setup.set_up(work, wishes)
    synced = args.no_sync or setup.first_sync()
    setup.offer_backfill(args)
    worked = setup.prove(work)
    if worked:
        _say_what_next(home, wishes)
    else:
        output.talk("Agents cannot use it like this. Look closer with:  anamnesis doctor")
    return 0 if worked and synced else EXIT_FAILED


def _home(args: Namespace) -> str | None:
    if args.home or args.yes or args.print:
        return str(args.home) if args.home else None
    return setup.ask("Where to keep the notes", config.home_directory())


def _remote(args: Namespace) -> str | None:
    if args.local_only:
        return None
    if args.remote:
        return str(args.remote)
    known = config.resolve_remote()
    if args.yes or args.print:
        return known
    answer = setup.ask("Git remote that your machines share", known or "none")
    return None if answer.lower() in ("none", "-") else answer


def _question(number: int) -> str:
    return f"Change {counted(number, 'file')}? (see them with --print)"


def _reach(url: str) -> None:
    from anamnesis.onboard import travel

    made = travel.reach(url)
    output.talk(f"remote: {shown(url)} {'was created and works' if made else 'works'}")


def _say_what_next(home: Home, wishes: Wishes) -> None:
    output.talk("")
    output.talk(f"The notes are in {home}/memory. From the next session on, agents start with what")
    output.talk("you know about a project, and each session leaves a note.")
    if wishes.remote:
        output.talk(f"On the next machine:  anamnesis join {shlex.quote(shown(wishes.remote))}")
    else:
        output.talk("To share them between machines:  anamnesis host   (or init --remote URL)")
    output.talk("Look after it:  anamnesis status, anamnesis doctor")
