"""Codex CLI: hooks in hooks.json, the MCP server in config.toml."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from anamnesis.onboard import tomltext
from anamnesis.onboard.agents.agent import Agent, Setup, is_installed
from anamnesis.onboard.command import hook_line
from anamnesis.onboard.edits import Content, Edit, is_our_server, json_edit, require_free
from anamnesis.onboard.hooks import HooksMap, merge_hooks, without_hooks
from anamnesis.onboard.settings import UnusualSettings, UnusualShape

if TYPE_CHECKING:
    from collections.abc import Sequence

# event, arguments, seconds. It rejects unknown keys, and stops the last hook
# after three seconds.
_HOOKS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("SessionStart", ("inject", "--format", "codex"), 15),
    ("UserPromptSubmit", ("recall-hook", "--format", "codex"), 10),
    ("Stop", ("capture", "--detach", "--no-sync"), 10),
    ("PreCompact", ("capture", "--detach", "--no-sync"), 10),
    ("SessionEnd", ("capture", "--detach"), 3),
)


def _directory(setup: Setup) -> str:
    return setup.directory("CODEX_HOME", ".codex")


def _hooks(setup: Setup) -> HooksMap:
    return {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": hook_line(setup.command, setup.env, *arguments),
                        "timeout": timeout,
                    }
                ]
            }
        ]
        for event, arguments, timeout in _HOOKS
    }


def _edits(setup: Setup) -> list[Edit]:
    edits = []
    if setup.hooks:
        edits.append(_hooks_edit(setup))
    if setup.mcp:
        path = os.path.join(_directory(setup), "config.toml")
        edits.append(_server_edit(setup, path))
    return edits


def _server_edit(setup: Setup, path: str) -> Edit:
    def install(data: Content) -> Content:
        kept = _without(path, data, setup.former)
        table = ("mcp_servers", setup.name)
        try:
            require_free(setup.name, tomltext.table_of(path, kept, table))
        except UnusualShape as error:
            raise UnusualSettings(path, str(error)) from None
        return tomltext.with_table(path, kept, table, setup.server)

    def remove(data: Content) -> Content:
        return _without(path, data, setup.names)

    return Edit(path, "MCP server", install=install, remove=remove)


def _without(path: str, data: Content, names: Sequence[str]) -> Content:
    for name in names:
        table = ("mcp_servers", name)
        if is_our_server(tomltext.table_of(path, data, table)):
            data = tomltext.without_table(path, data, table)
    return data


def _hooks_edit(setup: Setup) -> Edit:
    def install(settings: dict[str, Any]) -> dict[str, Any]:
        return merge_hooks(settings, _hooks(setup), bases=setup.bases)

    def remove(settings: dict[str, Any]) -> dict[str, Any]:
        return without_hooks(settings, bases=setup.bases)

    path = os.path.join(_directory(setup), "hooks.json")
    return json_edit(path, "hooks", install=install, remove=remove)


AGENT = Agent(
    name="codex",
    title="Codex CLI",
    is_here=lambda setup: is_installed(setup, "codex", _directory(setup)),
    edits=_edits,
    afterwards="runs hooks only after you trust them: start codex and type /hooks",
)
