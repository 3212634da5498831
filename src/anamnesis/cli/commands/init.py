"""Set this machine up: the store, the hooks and the MCP server of your agents, the first sync.

You can run it again at any time: what is already set up is left alone. Settings files are backed
up, and `anamnesis uninstall` undoes everything.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import arguments, output, setup
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import planning_setup
from anamnesis.operations.sessions import archive
from anamnesis.operations.travel.remote import reach, shown

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.config import Home
    from anamnesis.onboard.planning_setup import Journey, Wishes

EXAMPLES = """\
examples:
  anamnesis init                          # ask, then set up every agent that is found
  anamnesis init --print                  # show every change as a diff and make none
  anamnesis init --yes --local-only       # one machine, no questions
  anamnesis init --remote you@always-on:anamnesis-memory.git
  anamnesis init --agents claude,codex --rules .
"""
_NO_REMOTE = ("none", "-", "n", "no")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    setup.add_options(parser)
    arguments.add_json(parser)
    parser.add_argument(
        "--print", action="store_true", help="show the changes as a diff and make none"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--remote", metavar="URL", help="the repository that your machines share")
    where.add_argument(
        "--local-only", action="store_true", help="no remote; drops one that was set"
    )
    parser.add_argument("--no-sync", action="store_true", help="do not sync yet")
    parser.add_argument(
        "--rules", metavar="DIR", action="append",
        help="also mention the memory in this project's AGENTS.md, for agents without hooks",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Plan, ask, carry out, prove."""
    if (earlier := planning_setup.earlier_home()) is not None:
        output.talk(f"Found the hooks of version 0.1.x; its store is {earlier}.")
        if not os.environ.get("ANAMNESIS_HOME") and not config.pointed_to():
            args.home = args.home or earlier
    home = planning_setup.use_home(_home(args))
    if earlier is not None:
        output.talk(
            f"Its notes, history and settings are kept{_reflection()}; its hooks are replaced."
        )
    known = config.resolve_remote()
    wishes = setup.wishes_of(args, remote=_remote(args))
    work = planning_setup.prepared(home, wishes)
    if args.print:
        setup.show_plan(work, as_json=args.json)
        return 0
    if wishes.remote and not setup.agrees_to_remote(wishes.remote, yes=args.yes):
        return EXIT_FAILED
    if work.plan.changes and not args.yes and not _agrees(work, wishes):
        output.talk("nothing was changed")
        return EXIT_FAILED
    if wishes.remote and wishes.remote != known and not args.no_sync:
        _reach(wishes.remote)
    setup.set_up(work, wishes, named=not args.yes)
    if args.json:
        setup.say_changes(work.plan.changes)
    synced = args.no_sync or setup.first_sync()
    setup.offer_backfill(args)
    setup.offer_summaries(args)
    worked = setup.prove(work)
    if worked:
        _say_what_next(home, wishes)
    else:
        output.talk("Agents cannot use Anamnesis yet. Find out why:  anamnesis doctor")
    return 0 if worked and synced else EXIT_FAILED


def _reflection() -> str:
    """Which model reflects, according to the settings of an earlier version."""
    provider, model = map(config.setting, ("reflection_provider", "reflection_model"))
    return f", reflection by {' '.join(filter(None, (provider, model)))} too" if provider else ""


def _home(args: Namespace) -> str | None:
    if args.home or args.yes or args.print:
        return str(args.home) if args.home else None
    return setup.ask_name("Where to keep notes", config.home_directory())


def _remote(args: Namespace) -> str | None:
    if args.local_only:
        return None
    if args.remote:
        return str(args.remote)
    known = config.resolve_remote()
    if args.yes or args.print:
        return known
    answer = setup.ask("Git remote that your machines share", known or "none")
    if answer.lower() in ("y", "yes"):
        return known
    return None if answer.lower() in _NO_REMOTE else answer


def _agrees(work: Journey, wishes: Wishes) -> bool:
    """Whether all of it is right; says what was answered and which files change first."""
    remote = f"shared through {shown(wishes.remote)}" if wishes.remote else "on this machine only"
    output.talk(f"Notes in {work.setup.home}, {remote}; this machine is {wishes.machine_id}.")
    setup.name_files(work.plan.changes)
    number = counted(len(work.plan.changes), "file")
    return setup.agrees(f"Change {number}? (--print shows the changes)")


def _reach(url: str) -> None:
    made = reach(url)
    output.talk(f"remote: {shown(url)} {'was created and works' if made else 'works'}")


def _say_what_next(home: Home, wishes: Wishes) -> None:
    output.talk("")
    output.talk(f"Notes are stored in {home}/memory. From the next session on, your agents")
    output.talk("start with what is known about a project, and every session that did something")
    output.talk("leaves a note.")
    if wishes.remote:
        output.talk(f"To add a machine:  anamnesis join {shlex.quote(shown(wishes.remote))}")
    else:
        output.talk("To share notes between machines:  anamnesis host")
    if archive.is_on():
        output.talk("Sessions are also kept word for word, on this machine only. To stop that:")
        output.talk("  anamnesis config set archive 0")
    output.talk("To check on everything:  anamnesis status, anamnesis doctor")
