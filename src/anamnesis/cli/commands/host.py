"""Host the repository that your other machines join, and print the command to run there.

Any name that ssh can reach works: a host on the local network, a Tailscale name, an ssh alias.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, setup
from anamnesis.config import home_directory
from anamnesis.ground.errors import EXIT_FAILED
from anamnesis.onboard import addresses, planning_setup, receipt
from anamnesis.operations.travel import remote
from anamnesis.operations.travel.sync import first_sync

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis host                              # ~/anamnesis-memory.git
  anamnesis host /srv/memory.git --address box.tailnet.ts.net
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "path", nargs="?", default="~/anamnesis-memory.git", metavar="PATH",
        help="the bare repository to create; default: ~/anamnesis-memory.git",
    )  # fmt: skip
    parser.add_argument(
        "--address", metavar="HOST", help="the name under which others reach this machine"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before the remote changes")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Create the repository, use it here, and print how to join."""
    planning_setup.user_home()
    if not setup.agrees_to_remote(args.path, yes=args.yes):
        return EXIT_FAILED
    path = remote.create(remote.address(args.path))
    remote.prove(path)
    remote.name(path)
    result = first_sync().result
    output.talk(f"Hosting the notes in {path}; sync: {result.detail}")
    if not addresses.accepts_ssh():
        output.talk("No ssh server is running here yet: enable remote login, or use Tailscale SSH.")
    if not receipt.load(home_directory()).agents:
        output.talk("No agent on this machine is set up yet:  anamnesis init")
    hosts = [args.address] if args.address else addresses.reachable_names()
    urls = [addresses.ssh_address(host, path) for host in hosts]
    if args.json:
        output.say_json({"repository": path, "addresses": urls})
    else:
        which = "one of these" if len(urls) > 1 else "this"
        output.talk(f"On every other machine, run {which}:")
    for url in [] if args.json else urls:
        output.say(shlex.join(["anamnesis", "join", url]))
    return 1 if result.error else 0
