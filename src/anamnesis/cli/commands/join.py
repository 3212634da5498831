"""Join an existing store: clone it, set up hooks and index, and test the connection.

A sealed store admits a machine only after another one has approved it. The first `join` creates
this machine's keys and prints a code for `anamnesis machines approve`; that prints a second code
for `join --code`, which makes sure that this is your store and no other.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, setup, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED, EXIT_NOT_SET_UP, InvalidInput
from anamnesis.onboard import planning_setup
from anamnesis.operations.machine import index
from anamnesis.operations.travel import fleet, remote, sealed
from anamnesis.operations.travel.sync import first_sync

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis join you@always-on:anamnesis-memory.git
  anamnesis join /mnt/share/anamnesis-memory.git --yes
  anamnesis join you@git-host:notes.git --code ABCD-EFGH-IJKL-MNOP  # a sealed store, once approved
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("remote", metavar="URL", help="user@host:path, a path or an https address")
    parser.add_argument(
        "--code", metavar="CODE", help="the code that `anamnesis machines approve` printed"
    )
    parser.add_argument(
        "--recovery", action="store_true",
        help="join with the recovery key, which you are asked for; needs --code",
    )  # fmt: skip
    setup.add_options(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Test the remote first, then set up and fetch the notes."""
    home = planning_setup.use_home(args.home)
    if not setup.agrees_to_remote(args.remote, yes=args.yes):
        return EXIT_FAILED
    wishes = setup.wishes_of(args, remote=args.remote)
    url = remote.address(args.remote)
    is_sealed = remote.prove(url, may_be_sealed=True)
    output.talk(f"remote: {remote.shown(args.remote)} works; a test commit was pushed and fetched")
    if is_sealed and not _is_admitted(url, args):
        return EXIT_NOT_SET_UP
    if sealed.is_sealed() and not is_sealed:
        raise InvalidInput(
            f"This machine's notes are sealed, and {remote.shown(url)} is not.",
            hint="To send them there unencrypted:  anamnesis config set sealed 0",
        )
    work = planning_setup.prepared(home, wishes)
    setup.set_up(work, wishes)
    done = first_sync()
    result = done.result
    with arguments.open_store() as store:
        total = index.reindex(store, only_if_needed=True).notes
    output.talk(f"sync: {result.detail}; {counted(total, 'note')} on this machine")
    for machine in fleet.machines(home):
        output.talk(f"  {machine.label}, last seen {tables.ago(machine.seen)}")
    worked = setup.prove(work)
    if args.json:
        output.say_json({"notes": total, "works": worked, **done.as_dict()})
    return 0 if worked and not result.error else EXIT_FAILED


def _is_admitted(url: str, args: Namespace) -> bool:
    """Whether this machine may read a sealed store; prints what to do if not."""
    if args.recovery:
        if not args.code:
            raise InvalidInput("The recovery key needs its code.", hint="Add:  --code CODE")
        sealed.recover(url, questions.secret("Recovery key"), args.code)
    elif args.code:
        sealed.accept(url, args.code)
    if sealed.is_member(url):
        return True
    code = sealed.ask(url)
    output.talk("This store is sealed. On a machine that can read it, run:")
    if args.json:
        output.say_json({"approve": code})
    else:
        output.say(f"anamnesis machines approve {code}")
    output.talk("Then run here, with the code that it prints:")
    output.talk(f"  anamnesis join {shlex.quote(args.remote)} --code CODE")
    return False
