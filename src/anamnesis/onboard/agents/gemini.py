"""Gemini CLI: hooks and the MCP server in one settings file, and a separate policy file."""

from __future__ import annotations

import json
import os
from typing import Any

from anamnesis.onboard.agents.agent import READING_TOOLS, Agent, Setup, is_installed
from anamnesis.onboard.command import hook_line
from anamnesis.onboard.edits import Edit, json_edit, own_file, with_server, without_server
from anamnesis.onboard.hooks import HooksMap, merge_hooks, without_hooks

_QUIETLY = ("--detach", "--no-sync")
# event, matcher, arguments, milliseconds. It accepts only JSON, hence the format.
_HOOKS: tuple[tuple[str, str, tuple[str, ...], int], ...] = (
    ("SessionStart", "*", ("inject", "--format", "gemini"), 15_000),
    ("BeforeAgent", "*", ("recall-hook", "--format", "gemini"), 10_000),
    ("AfterAgent", "*", ("capture", *_QUIETLY), 10_000),
    # Sent before every turn, compressed or not; only a typed /compress is certain.
    ("PreCompress", "auto", ("capture", "--source", "checkpoint", *_QUIETLY), 10_000),
    ("PreCompress", "manual", ("capture", "--inject-again", *_QUIETLY), 10_000),
    # The client does not wait for this one; the command is in the background before it is killed.
    ("SessionEnd", "*", ("capture", "--detach"), 10_000),
)


def _hooks(setup: Setup) -> HooksMap:
    built: HooksMap = {}
    for event, matcher, arguments, timeout in _HOOKS:
        hook = {
            "name": f"anamnesis-{event}",
            "type": "command",
            "command": hook_line(setup.command, setup.env, *arguments),
            "timeout": timeout,
        }
        built.setdefault(event, []).append({"matcher": matcher, "hooks": [hook]})
    return built


def _edits(setup: Setup) -> list[Edit]:
    path = os.path.join(setup.user_home, ".gemini", "settings.json")

    def install(settings: dict[str, Any]) -> dict[str, Any]:
        if setup.hooks:
            settings = merge_hooks(settings, _hooks(setup), bases=setup.bases)
        if setup.mcp:
            settings = with_server(settings, "mcpServers", setup.names, setup.server)
        return settings

    def remove(settings: dict[str, Any]) -> dict[str, Any]:
        settings = without_hooks(settings, bases=setup.bases)
        return without_server(settings, "mcpServers", setup.names)

    what = "hooks and MCP server"
    edits = [json_edit(path, what, install=install, remove=remove, comments=True)]
    if setup.mcp:
        policy = os.path.join(setup.user_home, ".gemini", "policies", "anamnesis.toml")
        edits.append(own_file(policy, "permission for reading", _policy(setup)))
    return edits


def _policy(setup: Setup) -> str:
    """The reading tools run without asking; with nobody to ask, they would be missing."""
    return (
        "[[rule]]\n"
        f"mcpName = {json.dumps(setup.name, ensure_ascii=False)}\n"
        f"toolName = {json.dumps(READING_TOOLS)}\n"
        'decision = "allow"\n'
        "priority = 100\n"
    )


def trust_path(setup: Setup) -> str:
    """The file in which the client keeps the folders that you trust, and those that you do not."""
    return os.path.join(setup.user_home, ".gemini", "trustedFolders.json")


def is_refused(folder: str, rules: dict[str, Any]) -> bool:
    """Whether you told the client not to trust a folder: no hook and no server is loaded there."""
    covering = [
        (len(place), trust)  # the longest rule decides
        for place, trust in rules.items()
        if _lies_in(folder, os.path.dirname(place) if trust == "TRUST_PARENT" else place)
    ]
    return bool(covering) and max(covering)[1] == "DO_NOT_TRUST"


def _lies_in(folder: str, place: str) -> bool:
    folder, place = os.path.realpath(folder), os.path.realpath(place)
    return folder == place or folder.startswith(os.path.join(place, ""))


AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    is_here=lambda setup: is_installed(setup, "gemini", os.path.join(setup.user_home, ".gemini")),
    edits=_edits,
    afterwards="Gemini CLI loads hooks and tools in folders that you trust only; it asks in each.",
)
