"""Cursor: the MCP server; the block in AGENTS.md says how to use it."""

from __future__ import annotations

import os

from anamnesis.onboard.agents.agent import Agent, Setup, is_installed
from anamnesis.onboard.edits import Edit, server_edit


def _edits(setup: Setup) -> list[Edit]:
    path = os.path.join(setup.user_home, ".cursor", "mcp.json")
    server = server_edit(path, key="mcpServers", names=setup.names, server=setup.server)
    return [server] if setup.mcp else []


AGENT = Agent(
    name="cursor",
    title="Cursor",
    is_here=lambda setup: is_installed(setup, "cursor", os.path.join(setup.user_home, ".cursor")),
    edits=_edits,
    afterwards="set up without hooks; in each project, run:  anamnesis init --rules .",
)
