"""Show, set or create the git repository that your machines share.

Any bare repository that all machines can reach works: a folder on a shared disk, or over ssh on a
machine that is always on. `--create` creates one and tests it with a round trip.

`seal` makes the remote hold only ciphertext: notes are encrypted to your machines' keys before they
leave. Every other machine then joins again:  anamnesis join URL
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, setup
from anamnesis.ground.errors import EXIT_FAILED, EXIT_NOT_SET_UP, InvalidInput
from anamnesis.operations.travel import remote, sealed

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis remote
  anamnesis remote --create you@always-on:anamnesis-memory.git
  anamnesis remote --create /mnt/share/anamnesis-memory.git
  anamnesis remote set you@always-on:anamnesis-memory.git      # on the other machines
  anamnesis remote remove                                      # back to one machine
  anamnesis remote seal                                        # encrypt what it holds
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action", nargs="?", choices=("show", "set", "remove", "seal"), default="show",
        help="show (the default), set URL, remove, or seal",
    )  # fmt: skip
    parser.add_argument("url", nargs="?", metavar="URL", help="path, user@host:path or https URL")
    parser.add_argument(
        "--create", metavar="URL", help="create a bare repository there, test it, and use it"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before it is changed")
    parser.add_argument(
        "--replace", action="store_true",
        help="with seal: rewrite a tampered sealed remote from this machine",
    )  # fmt: skip
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Carry out one action."""
    named = args.create or (args.url if args.action == "set" else None)
    if named and not setup.agrees_to_remote(named, yes=args.yes):
        return EXIT_FAILED
    if args.create:
        before = remote.current().url
        url = remote.create(args.create)
        remote.prove(url)
        remote.name(url)
        output.talk("remote: created and tested")
        if before and before != url:
            output.talk(f"remote: your other machines still use {before}")
            output.talk("Run there:  anamnesis remote set URL")
    elif args.action == "set":
        if not args.url:
            raise InvalidInput("No URL given.", hint="anamnesis remote set URL")
        remote.name(args.url)
        output.talk("remote: set, not tried yet; to try it:  anamnesis sync")
    elif args.action == "remove":
        remote.name(None)
        if not args.json and not remote.current().url:
            output.talk("remote: removed; the notes and their history stay on this machine")
            return 0
    elif args.action == "seal":
        return _seal(args)
    code = _show(as_json=args.json)
    return 0 if args.action == "remove" else code  # to have none is what was asked for


def _seal(args: Namespace) -> int:
    if args.replace:
        sealed.replace()
        output.talk("remote: rewritten from this machine")
        return 0
    sealed.require_sealable()
    output.talk(_BEFORE)
    if not questions.confirmed("Seal the remote?", yes=args.yes):
        output.talk("nothing was changed")
        return EXIT_FAILED
    cleared = sealed.seal(_show_recovery)
    output.talk("remote: sealed; from now on it receives only ciphertext")
    if not cleared:
        output.talk(_LEFT_OVER)
    output.talk("On each other machine run:  anamnesis join URL")
    return 0


def _show_recovery(recovery: sealed.RecoveryKey) -> None:
    """Print the key to standard output, so that it can be redirected; it is stored nowhere else."""
    output.say(f"recovery key:  {recovery.key}")
    output.say(f"store code:    {recovery.code}")
    output.talk(
        "Write both down; they are not shown again. They open the store when every machine is lost."
    )


_BEFORE = """\
The history on the remote is replaced by an encrypted one. Your other machines cannot sync until
each has joined again and been approved here. If you lose every machine and the recovery key, the
remote cannot be read any more. The notes on your machines stay readable files."""
_LEFT_OVER = """\
The host may still keep the old, unencrypted history in unused objects and backups: run `git gc`
there, or create a new repository, seal that one, and delete the old."""


def _show(*, as_json: bool) -> int:
    current = remote.current()
    if as_json:
        facts = {"remote": current.url, "named_by": current.named_by}
        output.say_json({**facts, "sealed": sealed.is_sealed()})
    elif current.url:
        output.say(f"{current.url} (sealed)" if sealed.is_sealed() else current.url)
    else:
        output.talk("remote: none; notes stay on this machine")
        output.talk("Host one here:  anamnesis host")
        output.talk("Or elsewhere:   anamnesis remote --create you@host:anamnesis-memory.git")
    return 0 if current.url else EXIT_NOT_SET_UP
