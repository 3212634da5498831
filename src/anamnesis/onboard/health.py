"""Checks of the agents' set-up and of the command that they call."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING, Any

from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.ground.system import is_read_only
from anamnesis.onboard import jsontext, selftest
from anamnesis.onboard import plan as plans
from anamnesis.onboard import receipt as receipts
from anamnesis.onboard.agents import AGENTS, claude, gemini
from anamnesis.onboard.hooks import ours_in
from anamnesis.onboard.planning_setup import hooks_elsewhere, setup_lock, this_setup
from anamnesis.onboard.settings import read_bytes
from anamnesis.operations.care import status
from anamnesis.operations.care.checks import (
    DOCTOR,
    FAILED,
    OK,
    WARNING,
    Check,
    Finding,
    Subject,
    examined,
    failure,
)
from anamnesis.operations.curate import native_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.config import Home
    from anamnesis.onboard.agents.agent import Agent, Setup
    from anamnesis.operations.travel.sync import KnownState
    from anamnesis.store import MemoryStore


def doctor(
    home: Home,
    *,
    store: MemoryStore | None = None,
    state: KnownState | None = None,
) -> list[Finding]:
    """The findings of all checks: contacts the remote, and runs the installed command.

    An open `store` that has just been refreshed is used as it is.
    """
    with Subject(home, store=store, state=state) as subject:
        return list(examined(subject, (*status.CHECKS, *CHECKS), face=DOCTOR))


def repaired(findings: Iterable[Finding]) -> Iterator[tuple[Finding, AnamnesisError | None]]:
    """Fix what is safe to fix; yields each such finding, with the error if fixing it failed."""
    for finding in findings:
        if finding.fix is not None:
            try:
                finding.fix()
            except AnamnesisError as error:
                yield finding, error
            else:
                yield finding, None


def known_agents(setup: Setup) -> list[Agent]:
    """The agents that were set up, installed or not, and all others that are installed."""
    set_up = receipts.load(setup.home).agents
    return [agent for agent in AGENTS.values() if agent.name in set_up or agent.is_here(setup)]


def _agents(subject: Subject) -> Iterator[Finding]:
    setup = this_setup(subject.home)
    set_up = receipts.load(subject.home).agents
    findings = [
        finding
        for agent in known_agents(setup)
        for finding in [_agent(setup, agent)]
        if agent.name in set_up or (finding.is_ok and agent.edits(setup))
    ]
    if claude.has_plugin(setup):
        yield Finding("agents", OK, "the Claude Code plugin is enabled")
    elif not findings:
        yield Finding("agents", FAILED, "no agent is set up", "anamnesis init")
    yield from findings


def _agent(setup: Setup, agent: Agent) -> Finding:
    try:
        plan = plans.make_plan(setup, [agent])
    except AnamnesisError as error:
        return failure(agent.title, error)
    if not plan.changes:
        return Finding(agent.title, OK, "set up and current")
    missing = ", ".join(f"{change.what} in {change.path}" for change in plan.changes)
    return Finding(
        agent.title, FAILED, f"not current: {missing}", f"anamnesis init --agents {agent.name}",
        fix=lambda: _repair(setup, agent),
    )  # fmt: skip


def _repair(setup: Setup, agent: Agent) -> None:
    with setup_lock(setup.home):
        plans.carry_out(plans.make_plan(setup, [agent]), setup)


def _claude_hooks(subject: Subject) -> Iterator[Finding]:
    setup = this_setup(subject.home)
    path = claude.settings_path(setup)
    chosen = _settings(path)
    if chosen.get("disableAllHooks") is True:
        remedy = f'Remove "disableAllHooks" from {path}'
        yield Finding("hooks", FAILED, "hooks are disabled in Claude Code", remedy)
    if claude.has_plugin(setup) and ours_in(chosen, bases=setup.bases):
        remedy = "anamnesis init --agents claude"
        yield Finding("hooks", WARNING, "both the plugin and init installed hooks", remedy)
    for other in hooks_elsewhere(setup, os.curdir):
        sentence = f"{other} also installs Anamnesis hooks, so every session runs them twice"
        yield Finding("hooks", WARNING, sentence, f"Remove them from {other}")


def _gemini_folder(subject: Subject) -> Iterator[Finding]:
    setup = this_setup(subject.home)
    set_up = gemini.AGENT.name in receipts.load(subject.home).agents
    if set_up and gemini.is_refused(subject.cwd, _settings(gemini.trust_path(setup))):
        sentence = "Gemini CLI does not trust this folder: it loads no hooks and no tools here"
        yield Finding("folder", WARNING, sentence, "Start gemini here and type /permissions trust")


def _native_memory(subject: Subject) -> Iterator[Finding]:
    """Claude Code's own memory: a sync may import it, but nothing switches it off."""
    setup = this_setup(subject.home)
    folder = glob.escape(setup.directory("CLAUDE_CONFIG_DIR", ".claude"))
    number = len(glob.glob(os.path.join(folder, "projects", "*", "memory", "MEMORY.md")))
    use = "imported by every sync" if native_memory.is_imported() else "not imported"
    sentence = f"{use} ({counted(number, 'project has', 'projects have')} one)"
    if _settings(claude.settings_path(setup)).get("autoMemoryEnabled") is False:
        sentence = f"disabled in Claude Code; {sentence}"
    yield Finding("native memory", OK, sentence)


def _settings(path: str) -> dict[str, Any]:
    try:
        value = jsontext.parsed((read_bytes(path) or b"{}").decode(), comments=True).value
    except (jsontext.NotJson, UnicodeDecodeError, AnamnesisError):
        return {}
    return value if isinstance(value, dict) else {}


def _command(subject: Subject) -> Iterator[Finding]:
    setup = this_setup(subject.home)
    yield _step(selftest.handshake(setup))
    if not is_read_only(subject.home):  # then nothing could be written
        yield from map(_step, selftest.round_trip(setup))


def _step(step: selftest.Step) -> Finding:
    name = step.name if step.name.startswith("MCP") else f"self-test: {step.name}"
    remedy = "" if step.worked else "anamnesis init"
    return Finding(name, OK if step.worked else FAILED, step.detail or "works", remedy)


CHECKS = (
    Check("agents", _agents, frozenset({DOCTOR}), needs_store=False),
    Check("hooks of Claude Code", _claude_hooks, frozenset({DOCTOR}), needs_store=False),
    Check("folder of Gemini CLI", _gemini_folder, frozenset({DOCTOR}), needs_store=False),
    Check("native memory", _native_memory, frozenset({DOCTOR}), needs_store=False),
    Check("command", _command, frozenset({DOCTOR})),
)
