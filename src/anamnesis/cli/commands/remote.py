"""The git repository that your machines share: show it, name it, create it.

Any bare repository that all machines reach will do: a folder on a shared disk, or a machine
that is always on, over ssh. `--create` makes one and proves it with a round trip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.errors import EXIT_NOT_SET_UP, InvalidInput
from anamnesis.operations.travel import remote

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis remote
  anamnesis remote --create you@always-on:anamnesis-memory.git
  anamnesis remote --create /mnt/share/anamnesis-memory.git
  anamnesis remote set you@always-on:anamnesis-memory.git      on the other machines
  anamnesis remote remove                                      back to one machine
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action", nargs="?", choices=("show", "set", "remove"), default="show",
        help="show (the default), set URL, or remove",
    )  # fmt: skip
    parser.add_argument("url", nargs="?", metavar="URL", help="path, user@host:path or https URL")
    parser.add_argument(
        "--create", metavar="URL", help="make a bare repository there, prove it, and use it"
    )
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Carry out one action."""
    if args.create:
        url = remote.create(args.create)
        remote.prove(url)
        remote.name(url)
        output.talk("remote: created, and a commit went there and came back")
    elif args.action == "set":
        if not args.url:
            raise InvalidInput("Which remote?", hint="anamnesis remote set URL")
        remote.name(args.url)
    elif args.action == "remove":
        remote.name(None)
    return _show(as_json=args.json)


def _show(*, as_json: bool) -> int:
    found = remote.current()
    if as_json:
        output.say_json({"remote": found.url, "named_by": found.named_by})
    elif found.url:
        output.say(found.url)
    else:
        output.talk("remote: none; the notes stay on this machine")
        output.talk("Set one with:  anamnesis remote --create you@host:anamnesis-memory.git")
    return 0 if found.url else EXIT_NOT_SET_UP
