"""Who runs a command: you, or an agent in the shell that its client gave it.

Clients mark the environment of the programs that their agents start. An agent can remove the
mark, which no program on the same account could prevent: see SECURITY.md.
"""

from __future__ import annotations

import os
import sys

from anamnesis.ground.errors import AnamnesisError

# The variables that clients set for the programs of their agents.
MARKS = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "COPILOT_CLI": "copilot",
    "CURSOR_AGENT": "cursor",
    "AI_AGENT": "",  # names the agent itself
}


class PersonNeeded(AnamnesisError):
    """Something that only you may decide was asked for by an agent or a script."""

    def __init__(self, what: str, *, agent: str) -> None:
        who = f"this shell belongs to an agent ({agent})" if agent else "this is not a terminal"
        super().__init__(
            f"Cannot {what} here: {who}.",
            hint="Use a terminal of your own, or the dashboard:  anamnesis dashboard",
        )


def agent_of_shell() -> str:
    """The agent whose shell this is, as its client calls it; empty if it is yours."""
    for variable, agent in MARKS.items():
        value = os.environ.get(variable, "")
        if value and value != "0":
            return agent or " ".join(value.split())[:40]
    return ""


def origin_of_shell() -> str:
    """The origin of what a command writes; empty for you."""
    agent = agent_of_shell()
    return f"agent:{agent}" if agent else ""


def require_person(what: str) -> None:
    """Raise PersonNeeded unless you are at a terminal; `what` completes "Cannot …"."""
    agent = agent_of_shell()
    at_terminal = any(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))
    if agent or not at_terminal:
        raise PersonNeeded(what, agent=agent)
