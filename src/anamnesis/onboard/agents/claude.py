"""Claude Code: hooks and permissions in settings.json, the MCP server in .claude.json."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from functools import lru_cache
from typing import Any

from anamnesis import config
from anamnesis.ground import process
from anamnesis.ground.errors import AnamnesisError
from anamnesis.onboard.agents.agent import READING_TOOLS, Agent, Setup, is_installed
from anamnesis.onboard.edits import Edit, json_edit, server_edit
from anamnesis.onboard.hooks import build_hooks, merge_hooks, without_hooks
from anamnesis.onboard.jsontext import NotJson, parsed
from anamnesis.onboard.settings import entries, put, read_bytes, section

PLUGIN = "anamnesis"
ACCOUNT = ".claude.json"  # also holds the login and other state of Claude Code
MOMENT_FILE = "moment_file"
_CALLS_SERVERS = (2, 1, 118)  # the first Claude Code whose hooks may call a server
_VERSION_SECONDS = 10.0
_PLUGIN_SERVER = f"plugin_{PLUGIN}_{PLUGIN}"  # as Claude Code calls the server of a plugin


def settings_path(setup: Setup) -> str:
    """The settings file of the user."""
    return os.path.join(setup.directory("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")


def servers_path(setup: Setup) -> str:
    """Where Claude Code keeps the MCP servers of the user."""
    return os.path.join(setup.variables.get("CLAUDE_CONFIG_DIR") or setup.user_home, ACCOUNT)


def rules(*servers: str) -> list[str]:
    """The permission rules that let the reading tools run without asking."""
    return [f"mcp__{server}__{tool}" for server in servers for tool in READING_TOOLS]


def has_plugin(setup: Setup) -> bool:
    """Whether the Anamnesis plugin is enabled: it has its own hooks and server."""
    try:
        data = read_bytes(settings_path(setup))
        settings = parsed(data.decode()).value if data else {}
        enabled = settings.get("enabledPlugins", {})
        return any(
            on is True and str(name).partition("@")[0] == PLUGIN for name, on in enabled.items()
        )
    except (NotJson, UnicodeDecodeError, AttributeError):
        return False


def calls_servers(setup: Setup) -> bool:
    """Whether hooks may call the server: an older Claude Code would reject the whole file.

    The version of a client that is not on PATH is unknown.
    """
    if not config.is_on(MOMENT_FILE, default=True):
        return False
    program = shutil.which("claude", path=setup.variables.get("PATH") or "")
    return program is not None and _version(program) >= _CALLS_SERVERS


@lru_cache(maxsize=4)
def _version(program: str) -> tuple[int, ...]:
    try:
        output = process.run([program, "--version"], timeout=_VERSION_SECONDS).out
    except AnamnesisError:
        return ()
    number = re.match(rb"(\d+)\.(\d+)\.(\d+)", output)
    return tuple(map(int, number.groups())) if number else ()


def _edits(setup: Setup) -> list[Edit]:
    plugin = has_plugin(setup)
    edits = []
    if setup.hooks or setup.mcp:
        edits.append(_settings_edit(setup, plugin=plugin))
    if setup.mcp:
        edits.append(_servers_edit(setup, plugin=plugin))
    return edits


def _servers_edit(setup: Setup, *, plugin: bool) -> Edit:
    server = {"type": "stdio", **setup.server}
    edit = server_edit(servers_path(setup), key="mcpServers", names=setup.names, server=server)
    # The plugin has its own server; a second one would only offer every tool twice.
    return replace(edit, install=edit.remove) if plugin else edit


def _settings_edit(setup: Setup, *, plugin: bool) -> Edit:
    command, env = list(setup.command), dict(setup.env)
    server = setup.name if setup.mcp and calls_servers(setup) else ""
    wanted_hooks = build_hooks(command, env, server=server, guarded=True)
    if plugin or not setup.hooks:
        wanted_hooks = {}
    wanted_rules = rules(_PLUGIN_SERVER if plugin else setup.name) if setup.mcp else []
    former_rules = rules(*setup.former)

    def install(settings: dict[str, Any]) -> dict[str, Any]:
        if setup.hooks:
            settings = merge_hooks(settings, wanted_hooks, bases=setup.bases)
        return _with_rules(_without_rules(settings, former_rules), wanted_rules)

    def remove(settings: dict[str, Any]) -> dict[str, Any]:
        settings = without_hooks(settings, bases=setup.bases)
        return _without_rules(settings, rules(*setup.names, _PLUGIN_SERVER))

    return json_edit(settings_path(setup), "hooks and permissions", install=install, remove=remove)


def _with_rules(settings: dict[str, Any], granted: list[str]) -> dict[str, Any]:
    permissions = section(settings, "permissions")
    allowed = entries(permissions, "allow")
    missing = [rule for rule in granted if rule not in allowed]
    if not missing:
        return settings
    return {**settings, "permissions": {**permissions, "allow": [*allowed, *missing]}}


def _without_rules(settings: dict[str, Any], unwanted: list[str]) -> dict[str, Any]:
    permissions = section(settings, "permissions")
    allowed = entries(permissions, "allow")
    kept = [rule for rule in allowed if rule not in unwanted]
    if len(kept) == len(allowed):
        return settings
    return put(settings, "permissions", put(permissions, "allow", kept))


AGENT = Agent(
    name="claude",
    title="Claude Code",
    is_here=lambda setup: is_installed(
        setup, "claude", setup.directory("CLAUDE_CONFIG_DIR", ".claude")
    ),
    edits=_edits,
    afterwards="takes effect in the next session",
)
