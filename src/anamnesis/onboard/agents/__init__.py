"""The supported agents, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.onboard.agents import claude, codex, copilot, cursor, gemini, opencode, vscode

if TYPE_CHECKING:
    from anamnesis.onboard.agents.agent import Agent, Setup

AGENTS: dict[str, Agent] = {
    module.AGENT.name: module.AGENT
    for module in (claude, codex, gemini, opencode, copilot, cursor, vscode)
}


def chosen(names: str, setup: Setup) -> list[Agent]:
    """The agents that an option names; `auto`: Claude Code and whichever others are here.

    Raises InvalidInput.
    """
    if names == "auto":
        return [
            agent for agent in AGENTS.values() if agent.name == "claude" or agent.is_here(setup)
        ]
    requested = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in requested if name not in AGENTS]
    if unknown or not requested:
        raise InvalidInput(
            f"Unknown agent {', '.join(unknown) or names!r}.",
            hint=f"Known: auto, {', '.join(AGENTS)}",
        )
    return [AGENTS[name] for name in dict.fromkeys(requested)]
