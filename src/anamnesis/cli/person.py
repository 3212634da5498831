"""Whether it is you who runs a command, where an agent must not decide for you."""

from __future__ import annotations

import os
import sys

from anamnesis.ground.errors import AnamnesisError

# What clients set in the shells that their agents use.
_AGENT_SHELLS = (
    "CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "OPENCODE", "COPILOT_CLI", "CURSOR_AGENT",
)  # fmt: skip


class NeedsPerson(AnamnesisError):
    """A decision that an agent, a script or a pipe may not make."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Only you can {what}, in a terminal of your own.",
            hint="Run this command there, outside of an agent's shell.",
        )


def require_person(what: str) -> None:
    """Raise NeedsPerson in an agent's shell and without a terminal; `what` is what is decided."""
    in_agent = any(os.environ.get(name) for name in _AGENT_SHELLS)
    if in_agent or sys.stdin is None or not sys.stdin.isatty():
        raise NeedsPerson(what)
