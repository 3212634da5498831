"""What `init`, `join`, `host` and `attach` share: options, questions, closing messages."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.cli import output, questions
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.onboard import planning_setup, selftest
from anamnesis.onboard.agents import AGENTS, claude
from anamnesis.operations.machine import settings
from anamnesis.operations.travel import remote as remotes

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from anamnesis.onboard.plan import FileChange
    from anamnesis.onboard.planning_setup import Journey, Wishes

_BACKFILL_DAYS = 30


def add_options(
    parser: ArgumentParser, *, machine: str = "the host's name", asks: bool = True
) -> None:
    """Declare the options that all of them have."""
    if asks:
        parser.add_argument("--yes", action="store_true", help="do not ask; use the defaults")
    parser.add_argument("--home", metavar="DIR", help="where the store is; default: ~/.anamnesis")
    parser.add_argument("--machine-id", metavar="NAME", help=f"default: {machine}")
    parser.add_argument(
        "--agents", metavar="LIST", default="auto",
        help=f"auto (the default), or some of {','.join(AGENTS)}",
    )  # fmt: skip
    called = parser.add_mutually_exclusive_group()
    called.add_argument("--command", metavar="LINE", help="the command that agents call")
    called.add_argument("--uv-project", metavar="DIR", help="call it with uv from this checkout")
    parser.add_argument(
        "--name",
        metavar="NAME",
        default="anamnesis",
        help="name of the MCP server; default: anamnesis",
    )
    parser.add_argument("--no-mcp", action="store_true", help="do not register the MCP server")
    parser.add_argument("--no-hooks", action="store_true", help="do not install hooks")


def wishes_of(args: Namespace, *, remote: str | None, install_id: str = "") -> Wishes:
    """What the options ask for; the machine's name is asked for if no option gives it."""
    named = args.machine_id or config.resolve_machine_id()
    if not args.machine_id and not args.yes and not getattr(args, "print", False):
        named = ask_name("Name of this machine", named)
    stored = config._store_config()  # noqa: SLF001
    return planning_setup.Wishes(
        machine_id=planning_setup.machine_name(named),
        install_id=str(stored.get("install_id") or install_id or os.urandom(8).hex()),
        remote=remotes.address(remote) if remote else None,
        agents=args.agents,
        rules=tuple(getattr(args, "rules", None) or ()),
        command=planning_setup.command_line(args.command),
        uv_project=planning_setup.checkout(args.uv_project),
        name=planning_setup.server_name(args.name),
        mcp=not args.no_mcp,
        hooks=not args.no_hooks,
    )


def ask(question: str, default: str) -> str:
    """An answer typed at the terminal; the default if there is none."""
    return questions.line(f"{question} [{remotes.shown(default)}]", default)


def ask_name(question: str, default: str) -> str:
    """A name or a path typed at the terminal: y takes the default, n asks again."""
    while (answer := ask(question, default)).lower() in ("n", "no"):
        output.talk("Type another one, press Enter to take it, or Ctrl-C to stop.")
    return default if answer.lower() in ("y", "yes") else answer


def agrees(question: str) -> bool:
    """Whether the answer is yes. Without a terminal it is, because the defaults are safe."""
    return ask(f"{question} (y/n)", "y").lower() in ("y", "yes")


def agrees_to_remote(url: str, *, yes: bool) -> bool:
    """Whether a new remote may be used; asks only if it replaces another one."""
    switch = remotes.switch_to(url)
    if switch is None:
        return True
    output.talk(str(switch))
    if questions.confirmed("Change the remote?", yes=yes):
        return True
    output.talk("nothing was changed")
    return False


def say_changes(changes: Iterable[FileChange], *, diff: bool = False) -> None:
    """Print as JSON which files change, with `diff` also how."""
    output.say_json(
        [
            {"what": change.what, "path": change.path, **({"diff": change.diff} if diff else {})}
            for change in changes
        ]
    )


def show_plan(work: Journey, *, as_json: bool) -> None:
    """Print what would change as a diff."""
    plan = work.plan
    if as_json:
        say_changes(plan.changes, diff=True)
        return
    output.say(plan.text.rstrip("\n") if plan.changes else "nothing to change")


def name_files(changes: Iterable[FileChange]) -> None:
    """Print which files change."""
    for change in changes:
        output.talk(f"  {change.what:<28} {change.path}")


def set_up(work: Journey, wishes: Wishes, *, named: bool = False) -> None:
    """Make the changes, and print which files unless they have been named already."""
    planning_setup.carry_out(work, wishes)
    if not work.plan.changes:
        output.talk("everything is set up already; nothing was changed")
    name_files(() if named else work.plan.changes)
    for agent in work.agents:
        note = agent.afterwards
        if agent.name == "claude" and claude.has_plugin(work.setup):
            note = "the plugin is enabled and provides the hooks; init added none"
        output.talk(f"{agent.title}: {note or 'set up'}")
    for path in planning_setup.hooks_elsewhere(work.setup, os.curdir):
        output.talk(
            f"{path} also installs Anamnesis hooks; remove one, or every session runs them twice"
        )


def prove(work: Journey) -> bool:
    """Run the self-test and print the result."""
    steps = selftest.round_trip(work.setup)
    if work.setup.mcp:
        steps.append(selftest.handshake(work.setup))
    failed = [step for step in steps if not step.worked]
    for step in failed:
        output.talk(f"self-test: {step.name} does not work: {step.detail}")
    if not failed:
        output.talk(f"self-test: {', '.join(step.name for step in steps)}: all work")
    return not failed


def first_sync() -> bool:
    """Sync for the first time; an error is shown and does not undo the set-up."""
    from anamnesis.operations.travel import sync

    try:
        result = sync.first_sync().result
    except AnamnesisError as error:
        output.complain("sync", error)
        return False
    if result.error or result.hint or config.resolve_remote():
        output.talk(f"sync: {result.detail}" + (f"; {result.hint}" if result.hint else ""))
    return not result.error


def offer_summaries(args: Namespace) -> None:
    """Offer summaries by your own Claude Code, with their cost; without a terminal, mention it."""
    if not shutil.which("claude") or config.setting("reflection_provider"):
        return
    if not args.yes and sys.stdin and sys.stdin.isatty():
        output.talk(
            "Session notes are written without a model. Your own Claude Code can write them"
        )
        output.talk("instead: one request for each session, up to 18,000 tokens in and 1,000 out,")
        output.talk("counted against your plan; no key. Secrets are removed first.")
        if ask("Let Claude Code write them? (y/n)", "n").lower() in ("y", "yes"):
            settings.change("reflection_provider", "claude-cli")
            output.talk("Claude Code will write session notes. To switch it off:")
            output.talk("  anamnesis config unset reflection_provider")
        return
    output.talk("To let your own Claude Code write session notes, one request each:")
    output.talk("  anamnesis config set reflection_provider claude-cli")


def offer_backfill(args: Namespace) -> None:
    """Offer to turn old transcripts into notes; without a terminal, mention it."""
    from anamnesis.operations.sessions.sweep import backfill, uncaptured

    home = config.home_directory()
    number = uncaptured(home)
    if not number:
        return
    earlier = counted(number, "earlier session")
    interactive = not args.yes and sys.stdin and sys.stdin.isatty()
    if interactive and agrees(f"Turn {earlier} on this machine into notes?"):
        with output.progress("reading transcripts") as progress:
            done = backfill(home, progress=progress)
        left = counted(done.written, "session left a note", "sessions left a note")
        output.talk(f"back-fill: {left}, {done.skipped} skipped")
        for note in done.newest:
            output.talk(f"  {note.updated_at[:10]}  {note.project}  {note.title}")
        if done.written > len(done.newest):
            output.talk("  all of them:  anamnesis list --type episodic")
        return
    output.talk(f"To turn {earlier} on this machine into notes:")
    output.talk(f"  anamnesis capture --backfill --since {_BACKFILL_DAYS}d")
