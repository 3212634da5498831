"""Use the store in a container, a Codespace or a CI job that is thrown away afterwards.

It asks no questions. All such machines share one name, every note is pushed as soon as it is
written, and sessions get their notes while the index is still being built. Without a URL the remote
is ANAMNESIS_GIT_REMOTE. If ANAMNESIS_EPHEMERAL=1 is set as well, hooks attach automatically and you
do not need this command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import arguments, output, setup
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import EXIT_FAILED, InvalidInput
from anamnesis.onboard import planning_setup
from anamnesis.operations.machine import settings
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel.sync import sync

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis attach https://git.example.com/you/memory.git
  ANAMNESIS_GIT_REMOTE=/mnt/memory.git anamnesis attach --agents claude
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "remote", metavar="URL", nargs="?",
        help="user@host:path, a path or an https address; default: ANAMNESIS_GIT_REMOTE",
    )  # fmt: skip
    setup.add_options(parser, machine=config.EPHEMERAL_MACHINE, asks=False)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Set up without asking, fetch the notes, and build the index in the background."""
    home = planning_setup.use_home(args.home)
    url = args.remote or config.resolve_remote()
    if not url:
        raise InvalidInput(
            "No repository given.", hint="Pass its URL, or set ANAMNESIS_GIT_REMOTE."
        )
    _require_no_other_use()
    args.yes, args.machine_id = True, args.machine_id or config.EPHEMERAL_MACHINE
    wishes = setup.wishes_of(args, remote=url, install_id=fleet.EPHEMERAL)
    settings.change(
        "ephemeral", "1"
    )  # first: if killed after this, the machine is still not one of its own
    work = planning_setup.prepared(home, wishes)
    setup.set_up(work, wishes)
    done = sync()
    result = done.result
    if args.json:
        output.say_json(done.as_dict())
    output.talk(f"sync: {result.detail}; {counted(result.received, 'note')} received")
    if result.hint:
        output.talk(result.hint)
    return EXIT_FAILED if result.error or result.offline else 0


def _require_no_other_use() -> None:
    """Refuse on a machine that has its own name: its notes would be filed under another one."""
    if fleet.install_id() not in ("", fleet.EPHEMERAL):
        raise InvalidInput(
            "This machine is already set up under its own name.",
            hint="To sync it:  anamnesis sync   (attach is for machines that are thrown away)",
        )
