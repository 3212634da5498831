"""How the agents on this machine are set up, and whether what they call really answers."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING, Any

from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError
from anamnesis.onboard import jsontext, selftest
from anamnesis.onboard import plan as plans
from anamnesis.onboard import receipt as receipts
from anamnesis.onboard.agents import AGENTS, claude
from anamnesis.onboard.hooks import ours_in
from anamnesis.onboard.journey import hooks_elsewhere, setup_lock, this_setup
from anamnesis.onboard.settings import read_bytes
from anamnesis.operations.care.doctor import BAD, GOOD, WARNING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.onboard.agents.agent import Agent, Setup


def examined(home: str) -> Iterator[Finding]:
    """Each agent that was set up, the command that it calls, and the server behind it."""
    setup = this_setup(home)
    receipt = receipts.load(home)
    if claude.has_plugin(setup):
        yield Finding("agents", GOOD, "the plugin of Claude Code is switched on")
    elif not receipt.agents:
        yield Finding("agents", BAD, "no agent was set up", "anamnesis init")
    for name in receipt.agents:
        if name in AGENTS:
            yield _agent(setup, AGENTS[name], home)
    yield from _claude(setup)
    if not os.path.isdir(home):
        return  # trying would make a store
    yield _step(selftest.handshake(setup))
    for step in selftest.round_trip(setup):
        yield _step(step)


def _agent(setup: Setup, agent: Agent, home: str) -> Finding:
    try:
        plan = plans.planned(setup, [agent])
    except AnamnesisError as error:
        return Finding(agent.title, BAD, error.message, error.hint)
    if not plan.changes:
        return Finding(agent.title, GOOD, "set up and current")
    missing = ", ".join(f"{change.what} in {change.path}" for change in plan.changes)
    return Finding(
        agent.title, BAD, f"not current: {missing}", f"anamnesis init --agents {agent.name}",
        fix=lambda: _repair(setup, agent, home),
    )  # fmt: skip


def _repair(setup: Setup, agent: Agent, home: str) -> None:
    with setup_lock(home):
        plans.carry_out(plans.planned(setup, [agent]), setup, home)


def _claude(setup: Setup) -> Iterator[Finding]:
    said = _said(claude.settings_path(setup))
    if said.get("disableAllHooks") is True:
        remedy = f'Remove "disableAllHooks" from {claude.settings_path(setup)}'
        yield Finding("hooks", BAD, "Claude Code is told to run no hooks", remedy)
    if claude.has_plugin(setup) and ours_in(said, bases=setup.bases):
        remedy = "anamnesis init --agents claude"
        yield Finding("hooks", WARNING, "both the plugin and init installed hooks", remedy)
    for path in hooks_elsewhere(setup, os.curdir):
        yield Finding("hooks", WARNING, f"{path} runs us a second time", f"Edit {path}")
    yield _native_memory(setup, said)


def _native_memory(setup: Setup, said: dict[str, Any]) -> Finding:
    """Claude Code's own memory is the person's: we read it, and never switch it off."""
    folder = glob.escape(setup.directory("CLAUDE_CONFIG_DIR", ".claude"))
    number = len(glob.glob(os.path.join(folder, "projects", "*", "memory", "MEMORY.md")))
    if said.get("autoMemoryEnabled") is False:
        return Finding("native memory", GOOD, "switched off by you")
    return Finding(
        "native memory", GOOD, f"left alone ({counted(number, 'project has', 'projects have')} one)"
    )


def _said(path: str) -> dict[str, Any]:
    try:
        said = jsontext.parsed((read_bytes(path) or b"{}").decode()).value
    except (jsontext.NotJson, UnicodeDecodeError, AnamnesisError):
        return {}
    return said if isinstance(said, dict) else {}


def _step(step: selftest.Step) -> Finding:
    part = step.name if step.name.startswith("MCP") else f"self-test: {step.name}"
    remedy = "" if step.worked else "anamnesis init"
    return Finding(part, GOOD if step.worked else BAD, step.said or "works", remedy)
