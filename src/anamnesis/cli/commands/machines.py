"""List the machines that share these notes.

In a sealed store, `approve` admits a machine by the code that `anamnesis join` printed there, and
prints a code to enter there in turn; compare both yourself. `revoke` keeps a machine from reading
anything written from now on; what it has already read stays there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.errors import EXIT_FAILED, InvalidInput
from anamnesis.operations.travel import fleet, sealed

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis machines
  anamnesis machines approve ABCD-EFGH-IJKL-MNOP
  anamnesis machines revoke old-laptop
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "approve", "revoke"), default="list",
        help="list (the default), approve CODE, or revoke NAME",
    )  # fmt: skip
    parser.add_argument("machine", nargs="?", metavar="CODE|NAME", help="which machine")
    parser.add_argument("--yes", action="store_true", help="do not ask before a machine is revoked")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Carry out one action."""
    if args.action == "list":
        return _list(as_json=args.json)
    if not sealed.is_sealed():
        raise InvalidInput(
            "The remote is not sealed, so every machine that can reach it can read the notes.",
            hint="Seal it:  anamnesis remote seal",
        )
    if not args.machine:
        raise InvalidInput("Which machine?", hint=f"anamnesis machines {args.action} CODE")
    if args.action == "approve":
        code = sealed.approve(args.machine)
        output.talk("Approved. On the new machine, run this with the same URL as before:")
        output.say(f"anamnesis join URL --code {code}")
        return 0
    if not questions.confirmed(f"Revoke {args.machine}?", yes=args.yes):
        output.talk("machines: nothing was changed")
        return EXIT_FAILED
    name = sealed.revoke(args.machine)
    output.talk(
        f"Revoked {name}. It keeps what it has read; if it was lost, change the secrets it knew."
    )
    return 0


def _list(*, as_json: bool) -> int:
    beats = fleet.machines(config.home_directory())
    if as_json:
        output.say_json(
            {
                "sealed": sealed.is_sealed(),
                "code": sealed.store_code(),
                "machines": [
                    {"name": beat.name, "machine": beat.machine, "seen": beat.seen, "key": beat.key}
                    for beat in beats
                ],
                "members": [
                    {"code": member.code, "name": member.name, "recovery": member.is_recovery}
                    for member in sealed.machines()
                ],
            }
        )
        return 0
    for beat in beats:
        here = "  this machine" if beat.machine == config.resolve_machine_id() else ""
        output.say(f"{beat.label:24} last seen {tables.moment(beat.seen)}{here}")
    members = sealed.machines()
    if not beats and not members:
        output.talk(arguments.NO_MACHINES)
    if members:
        blank = "\n" if beats else ""
        output.say(f"{blank}Sealed; store code {sealed.store_code()}. Keys that can read it:")
    for member in members:
        who = "the recovery key" if member.is_recovery else member.name or "has not reported yet"
        output.say(f"  {member.code}  {who}{'  this machine' if member.is_here else ''}")
    return 0
