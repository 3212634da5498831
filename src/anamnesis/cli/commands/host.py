"""Let this machine keep the repository that the others join, and print the line to paste there.

Any name that ssh reaches will do: a host of the local network, a Tailscale name, an alias.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, setup
from anamnesis.config import home_directory
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import addresses, journey, receipt
from anamnesis.operations.travel import remote
from anamnesis.operations.travel.sync import first_sync

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis host                              ~/anamnesis-memory.git
  anamnesis host /srv/memory.git --address box.tailnet.ts.net
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "path", nargs="?", default="~/anamnesis-memory.git", metavar="PATH",
        help="the bare repository to make; default: ~/anamnesis-memory.git",
    )  # fmt: skip
    parser.add_argument(
        "--address", metavar="HOST", help="the name that others reach this machine by"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before the remote changes")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Make the repository, use it here, and say how others join."""
    journey.user_home()
    if not setup.agrees_to_remote(args.path, yes=args.yes):
        return EXIT_FAILED
    path = remote.create(remote.address(args.path))
    remote.prove(path)
    remote.name(path)
    result = first_sync().result
    output.talk(f"{path} keeps the notes of your machines; sync: {result.detail}")
    if not addresses.accepts_ssh():
        output.talk("No ssh server answers here yet: switch on remote login, or use Tailscale SSH.")
    if not receipt.load(home_directory()).agents:
        output.talk("No agent of this machine uses it yet; set them up with:  anamnesis init")
    hosts = [args.address] if args.address else addresses.reachable_names()
    urls = [addresses.ssh_address(host, path) for host in hosts]
    if args.json:
        output.say_json({"repository": path, "addresses": urls})
    else:
        output.talk("On each other machine run one of:")
    for url in [] if args.json else urls:
        output.say(shlex.join(["anamnesis", "join", url]))
    return 1 if result.error else 0
