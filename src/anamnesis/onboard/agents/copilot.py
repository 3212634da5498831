"""Copilot CLI: a separate hook file and an entry in its list of MCP servers."""

from __future__ import annotations

import json
import os

from anamnesis.onboard.agents.agent import Agent, Setup, is_installed
from anamnesis.onboard.command import hook_line
from anamnesis.onboard.edits import Edit, own_file, server_edit

# Its payloads do not name their event, so the moment is an argument.
_HOOKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("sessionStart", ("inject", "--format", "copilot")),
    ("userPromptSubmitted", ("recall-hook", "--format", "copilot")),
    ("agentStop", ("capture", "--source", "checkpoint", "--detach", "--no-sync")),
    # There is no event for its end; the next prompt brings the memory back.
    (
        "preCompact",
        ("capture", "--source", "precompact", "--inject-again", "--detach", "--no-sync"),
    ),
    ("sessionEnd", ("capture", "--detach")),
)
_TIMEOUT_SECONDS = 15


def _directory(setup: Setup) -> str:
    return setup.directory("COPILOT_HOME", ".copilot")


def _edits(setup: Setup) -> list[Edit]:
    edits = []
    if setup.hooks:
        path = os.path.join(_directory(setup), "hooks", "anamnesis.json")
        edits.append(own_file(path, "hooks", _hook_file(setup)))
    if setup.mcp:
        server = {"type": "local", **setup.server, "tools": ["*"]}
        path = os.path.join(_directory(setup), "mcp-config.json")
        edits.append(server_edit(path, key="mcpServers", names=setup.names, server=server))
    return edits


def _hook_file(setup: Setup) -> str:
    hooks = {
        event: [
            {
                "type": "command",
                "bash": hook_line(setup.command, setup.env, *arguments),
                "timeoutSec": _TIMEOUT_SECONDS,
            }
        ]
        for event, arguments in _HOOKS
    }
    return json.dumps({"version": 1, "hooks": hooks}, ensure_ascii=False, indent=2) + "\n"


AGENT = Agent(
    name="copilot",
    title="Copilot CLI",
    is_here=lambda setup: is_installed(setup, "copilot", _directory(setup)),
    edits=_edits,
)
