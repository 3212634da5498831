"""Take back what `anamnesis init` added, for every agent. The notes stay unless you say --purge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import output, setup
from anamnesis.counting import counted
from anamnesis.errors import EXIT_FAILED
from anamnesis.onboard import journey, receipt, uninstall
from anamnesis.onboard.command import masked

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis uninstall --print       show every change as a diff and make none
  anamnesis uninstall               hooks, permissions and servers go; notes stay
  anamnesis uninstall --purge       the notes on this machine go, too
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--print", action="store_true", help="show what would change, and stop")
    parser.add_argument("--purge", action="store_true", help="also delete this machine's store")
    parser.add_argument("--home", metavar="DIR", help="where the store is; default: ~/.anamnesis")


def run(args: Namespace) -> int:
    """Remove, and name what a person has to look at."""
    home = journey.use_home(args.home)
    setup_before = journey.this_setup(home)
    known = receipt.load(home)
    work = uninstall.removal(setup_before, known)
    if args.print:
        output.say("\n".join(change.diff for change in work.changes) or "nothing to change")
        return 0
    with journey.setup_lock(home):
        work = uninstall.removal(setup_before, known)
        uninstall.carry_out(work, known, home)
    for change in work.changes:
        output.talk(f"  {change.what:<28} {change.path}")
    output.talk(f"{counted(len(work.changes), 'file is', 'files are')} without us now")
    for problem in work.problems:
        output.complain("uninstall", problem)
    if args.purge:
        return _purge(home, yes=args.yes)
    if os.path.isdir(home):
        output.talk(f"Your notes stay in {home}; delete them with:  anamnesis uninstall --purge")
    return EXIT_FAILED if work.problems else 0


def _purge(home: str, *, yes: bool) -> int:
    remote = config.resolve_remote()
    if not yes and setup.ask(f"Delete all notes in {home}? Type purge", "no") != "purge":
        output.talk("the notes were kept")
        return EXIT_FAILED
    left = uninstall.purge(home)
    output.talk(f"{home} was deleted" + (f" but for {', '.join(left)}" if left else ""))
    if remote:
        output.talk(f"{masked(remote)} and your other machines still hold every synced note,")
        output.talk("and git there its earlier versions; delete that repository to be rid of them.")
    return 0
