"""What `init`, `join` and `host` share: the options, the questions, and what is said at the end."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.onboard import journey, selftest
from anamnesis.onboard.agents import AGENTS, claude
from anamnesis.operations.travel import remote as connect
from anamnesis.sync.remote import shown

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.onboard.journey import Journey, Wishes

_BACKFILL_DAYS = 30


def add_options(parser: ArgumentParser) -> None:
    """Declare what all of them take."""
    parser.add_argument("--yes", action="store_true", help="do not ask, take the defaults")
    parser.add_argument("--home", metavar="DIR", help="where the store is; default: ~/.anamnesis")
    parser.add_argument("--machine-id", metavar="NAME", help="default: the host's name")
    parser.add_argument(
        "--agents", metavar="LIST", default="auto",
        help=f"auto (the default), or some of {','.join(AGENTS)}",
    )  # fmt: skip
    called = parser.add_mutually_exclusive_group()
    called.add_argument("--command", metavar="LINE", help="how agents are to call anamnesis")
    called.add_argument("--uv-project", metavar="DIR", help="call it by uv from this checkout")
    parser.add_argument(
        "--name", metavar="NAME", default="anamnesis", help="of the MCP server; default: anamnesis"
    )
    parser.add_argument("--no-mcp", action="store_true", help="do not register the MCP server")
    parser.add_argument("--no-hooks", action="store_true", help="do not install hooks")


def wishes_of(args: Namespace, *, remote: str | None) -> Wishes:
    """What the options ask for; the machine's name is asked for if nobody named it."""
    named = args.machine_id or config.resolve_machine_id()
    if not args.machine_id and not args.yes and not getattr(args, "print", False):
        named = ask("Name of this machine", named)
    stored = config._store_config()  # noqa: SLF001
    return journey.Wishes(
        machine_id=journey.machine_name(named),
        install_id=str(stored.get("install_id") or os.urandom(8).hex()),
        remote=connect.address(remote) if remote else None,
        agents=args.agents,
        rules=tuple(getattr(args, "rules", None) or ()),
        command=journey.command_line(args.command),
        uv_project=journey.checkout(args.uv_project),
        name=journey.server_name(args.name),
        mcp=not args.no_mcp,
        hooks=not args.no_hooks,
    )


def ask(question: str, default: str) -> str:
    """An answer from the person; the default if there is nobody to ask."""
    if not sys.stdin or not sys.stdin.isatty():
        return default
    sys.stderr.write(f"{question} [{shown(default)}]: ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:  # the person closed the input, which is no agreement
        sys.stderr.write("\n")
        raise KeyboardInterrupt
    return answer.strip() or default


def agrees(question: str) -> bool:
    """Whether the person says yes; nobody there means yes, because defaults are safe."""
    return ask(f"{question} (y/n)", "y").lower() in ("y", "yes")


def show_plan(work: Journey) -> None:
    """Print what would change as a diff."""
    plan = work.plan
    output.say(plan.text.rstrip("\n") if plan.changes else "nothing to change")


def set_up(work: Journey, wishes: Wishes) -> None:
    """Make the changes and say which."""
    journey.done(work, wishes)
    if not work.plan.changes:
        output.talk("everything is set up already; nothing was changed")
    for change in work.plan.changes:
        output.talk(f"  {change.what:<28} {change.path}")
    for agent in work.agents:
        note = agent.afterwards
        if agent.name == "claude" and claude.has_plugin(work.setup):
            note = "the plugin is switched on and brings the hooks; none were installed twice"
        output.talk(f"{agent.title}: {note or 'set up'}")
    for path in journey.hooks_elsewhere(work.setup, os.curdir):
        output.talk(
            f"{path} also installs Anamnesis hooks; remove one, or every session runs them twice"
        )


def prove(work: Journey) -> bool:
    """Run the self-test and say how it went."""
    steps = selftest.round_trip(work.setup)
    if work.setup.mcp:
        steps.append(selftest.handshake(work.setup))
    failed = [step for step in steps if not step.worked]
    for step in failed:
        output.talk(f"self-test: {step.name} does not work: {step.said}")
    if not failed:
        output.talk(f"self-test: {', '.join(step.name for step in steps)}: all work")
    return not failed


def first_sync() -> bool:
    """Exchange notes for the first time; trouble is told and does not undo the set-up."""
    from anamnesis.onboard import travel

    try:
        result = travel.first_sync().result
    except AnamnesisError as error:
        output.complain("sync", error)
        return False
    output.talk(f"sync: {result.detail}" + (f"; {result.hint}" if result.hint else ""))
    return not result.error


def offer_backfill(args: Namespace) -> None:
    """Offer to turn old transcripts into notes; without a person it is only mentioned."""
    from anamnesis.capture import discovery
    from anamnesis.operations.sessions.sweep import backfill

    home = config.home_directory()
    old = discovery.uncaptured(home, since=0.0)
    if not old:
        return
    interactive = not args.yes and sys.stdin and sys.stdin.isatty()
    if interactive and agrees(
        f"Turn {counted(len(old), 'earlier session')} on this machine into notes?"
    ):
        with output.progress("reading transcripts") as progress:
            done = backfill(home, progress=progress)
        output.talk(f"back-fill: {counted(done.written, 'note')}, {done.skipped} skipped")
        return
    output.talk(f"{counted(len(old), 'earlier session')} on this machine can become notes:")
    output.talk(f"  anamnesis capture --backfill --since {_BACKFILL_DAYS}d")
