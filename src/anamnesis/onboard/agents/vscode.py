"""VS Code: the MCP server and an instructions file for its agent."""

from __future__ import annotations

import os
import sys

from anamnesis.onboard.agents.agent import Agent, Setup, is_installed
from anamnesis.onboard.edits import RULES, Edit, own_file, server_edit


def _directory(setup: Setup) -> str:
    if sys.platform == "darwin":
        parent = os.path.join(setup.user_home, "Library", "Application Support")
    elif os.name == "nt":
        parent = setup.directory("APPDATA", "AppData/Roaming")
    else:
        parent = setup.directory("XDG_CONFIG_HOME", ".config")
    return os.path.join(parent, "Code", "User")


def _edits(setup: Setup) -> list[Edit]:
    edits = []
    if setup.mcp:
        server = {"type": "stdio", **setup.server}
        path = os.path.join(_directory(setup), "mcp.json")
        edits.append(
            server_edit(path, key="servers", names=setup.names, server=server, comments=True)
        )
    if setup.hooks:
        path = os.path.join(_directory(setup), "prompts", "anamnesis.instructions.md")
        text = f'---\napplyTo: "**"\n---\n{RULES}'
        edits.append(own_file(path, "instructions", text))
    return edits


AGENT = Agent(
    name="vscode",
    title="VS Code",
    is_here=lambda setup: is_installed(setup, "code", _directory(setup)),
    edits=_edits,
)
