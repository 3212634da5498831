"""Join the machines that share a repository: clone, hooks, index, and proof of a round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, setup
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import journey, travel
from anamnesis.operations.travel import fleet, remote
from anamnesis.sync.remote import shown

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis join you@always-on:anamnesis-memory.git
  anamnesis join /mnt/share/anamnesis-memory.git --yes
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("remote", metavar="URL", help="user@host:path, a path or an https address")
    setup.add_options(parser)


def run(args: Namespace) -> int:
    """Prove the way there and back first, then set up and take the notes over."""
    home = journey.use_home(args.home)
    wishes = setup.wishes_of(args, remote=args.remote)
    remote.prove(remote.address(args.remote))
    output.talk(f"remote: a commit went to {shown(args.remote)} and came back")
    work = journey.prepared(home, wishes)
    setup.set_up(work, wishes)
    result = travel.first_sync().result
    with arguments.open_store() as store:
        store.refresh()
        total = store.stats()["total"]
    output.talk(f"sync: {result.detail}; {counted(total, 'note is', 'notes are')} here")
    for machine in fleet.machines(home):
        output.talk(f"  {machine.name}, last seen {machine.seen}")
    worked = setup.prove(work)
    return 0 if worked and not result.error else EXIT_FAILED
