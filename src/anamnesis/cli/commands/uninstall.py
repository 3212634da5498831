"""Undo what `anamnesis init` added for every agent. Your notes stay unless you add --purge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, setup
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import planning_setup, receipt, uninstall

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.config import Home

EXAMPLES = """\
examples:
  anamnesis uninstall --print       # show every change as a diff and make none
  anamnesis uninstall               # remove hooks, permissions and servers
  anamnesis uninstall --purge       # also delete the notes on this machine
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--print", action="store_true", help="show the changes as a diff and make none"
    )
    parser.add_argument("--purge", action="store_true", help="also delete this machine's store")
    parser.add_argument("--home", metavar="DIR", help="where the store is; default: ~/.anamnesis")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Remove, and name the files that need you."""
    if args.print:
        _show(planning_setup.use_home(args.home), as_json=args.json)
        return 0
    planning_setup.forget_missing_home()
    home = planning_setup.use_home(args.home)
    work = uninstall.leave(home)
    if args.json:
        setup.say_changes(work.changes)
    for change in work.changes:
        output.talk(f"  {change.what:<28} {change.path}")
    if work.changes:
        output.talk(f"Removed Anamnesis from {counted(len(work.changes), 'file')}")
    else:
        output.talk("Anamnesis is not set up for any agent; nothing to change")
    for problem in work.problems:
        output.complain("uninstall", problem)
    if work.problems:  # what remains to be done is recorded in the store
        return EXIT_FAILED
    if args.purge:
        return 0 if _purged(home, yes=args.yes) else EXIT_FAILED
    if os.path.isdir(home):
        output.talk(f"Your notes stay in {home}; delete them with:  anamnesis uninstall --purge")
    return 0


def _show(home: Home, *, as_json: bool) -> None:
    plan = uninstall.removal(planning_setup.this_setup(home), receipt.load(home))
    if as_json:
        setup.say_changes(plan.changes, diff=True)
    else:
        output.say("\n".join(change.diff for change in plan.changes) or "nothing to change")


def _purged(home: Home, *, yes: bool) -> bool:
    """Whether the store is gone; unsynced notes are shown before you agree."""
    if not os.path.isdir(home):
        output.talk(f"there is no {home}")
        return True
    for line in uninstall.left_elsewhere():
        output.talk(line)
    if not yes and setup.ask(f"Delete all notes in {home}? Type purge", "no") != "purge":
        output.talk("the notes were kept")
        return False
    left = uninstall.purge(home)
    output.talk(f"{home} was deleted" + (f" except for {', '.join(left)}" if left else ""))
    return True
