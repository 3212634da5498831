"""opencode: a plugin file and an entry in its configuration."""

from __future__ import annotations

import json
import os
from importlib import resources

from anamnesis.onboard.agents.agent import Agent, Setup, is_installed
from anamnesis.onboard.edits import Edit, own_file, server_edit


def _directory(setup: Setup) -> str:
    configuration = setup.directory("XDG_CONFIG_HOME", ".config")
    return os.path.join(configuration, "opencode")


def _configuration(setup: Setup) -> str:
    """The configuration file that exists, else the usual one."""
    names = ("opencode.jsonc", "opencode.json")
    paths = [os.path.join(_directory(setup), name) for name in names]
    return next((path for path in paths if os.path.exists(path)), paths[-1])


def _edits(setup: Setup) -> list[Edit]:
    edits = []
    if setup.hooks:
        path = os.path.join(_directory(setup), "plugin", "anamnesis.js")
        edits.append(own_file(path, "plugin with the hooks", _plugin(setup)))
    if setup.mcp:
        server: dict[str, object] = {
            "type": "local",
            "command": [*setup.command, "serve"],
            "enabled": True,
        }
        if setup.env:
            server["environment"] = dict(setup.env)
        path = _configuration(setup)
        edits.append(server_edit(path, key="mcp", names=setup.names, server=server, comments=True))
    return edits


def _plugin(setup: Setup) -> str:
    template = (
        resources.files("anamnesis.onboard.agents").joinpath("opencode.js").read_text("utf-8")
    )
    return template.replace("__COMMAND__", json.dumps(list(setup.command))).replace(
        "__ENVIRONMENT__", json.dumps(dict(setup.env))
    )


AGENT = Agent(
    name="opencode",
    title="opencode",
    is_here=lambda setup: is_installed(setup, "opencode", _directory(setup)),
    edits=_edits,
)
