"""Cursor and VS Code by what they document: no client runs here, so their formats are the contract.

Each file is read as its editor says it reads it, and the server that it names is started.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anamnesis.config import Home
from anamnesis.onboard import uninstall
from support.onboard import files, set_up

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "e"}},
}  # fmt: skip
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
# Keys of a server that is started, and the type of each. Both editors refuse or ignore others.
CURSOR = {"type": str, "command": str, "args": list, "env": dict, "envFile": str}
VSCODE = {**CURSOR, "cwd": str, "dev": dict}


@pytest.fixture
def editors(home: Path, root: Path) -> Path:
    set_up(root, agents="cursor,vscode")
    return home


def cursor_server(home: Path) -> dict[str, Any]:
    """`~/.cursor/mcp.json`: strict JSON, servers by name under `mcpServers`."""
    servers = json.loads((home / ".cursor/mcp.json").read_text())["mcpServers"]
    return dict(servers["anamnesis"])


def vscode_server(home: Path) -> dict[str, Any]:
    """`mcp.json` of the user's folder: JSON with comments, servers by name under `servers`."""
    text = re.sub(r"(?m)^\s*//.*$", "", (home / ".config/Code/User/mcp.json").read_text())
    return dict(json.loads(text)["servers"]["anamnesis"])


def tools_of(server: dict[str, Any], home: Path) -> list[str]:
    """What a server lists that is started as an editor starts it: anywhere, with its `env`."""
    messages = "".join(json.dumps(each) + "\n" for each in (INITIALIZE, LIST))
    done = subprocess.run(
        [server["command"], *server.get("args", ())], input=messages, capture_output=True,
        text=True, check=True, timeout=60, cwd=os.sep,
        env={"HOME": str(home), "PATH": os.environ["PATH"], **server.get("env", {})},
    )  # fmt: skip
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    return [tool["name"] for tool in answers[2]["result"]["tools"]]


def test_the_server_of_cursor_is_as_it_documents(editors: Path) -> None:
    server = cursor_server(editors)

    assert {name: type(value) for name, value in server.items()}.items() <= CURSOR.items()
    assert "memory_search" in tools_of(server, editors)


def test_the_server_of_vs_code_is_as_it_documents(editors: Path) -> None:
    server = vscode_server(editors)

    assert server["type"] == "stdio"
    assert {name: type(value) for name, value in server.items()}.items() <= VSCODE.items()
    assert "memory_search" in tools_of(server, editors)


def test_the_instructions_of_vs_code_apply_everywhere(editors: Path) -> None:
    """Files named `*.instructions.md` in `prompts`; `applyTo` is a glob in their front matter."""
    [path] = (editors / ".config/Code/User/prompts").iterdir()
    _, front, body = path.read_text().split("---\n", 2)

    assert path.name.endswith(".instructions.md")
    assert front == 'applyTo: "**"\n'
    assert "memory_search" in body


def test_both_are_left_as_they_were(home: Path, root: Path) -> None:
    """Comments are allowed in VS Code's file only."""
    cursor, vscode = home / ".cursor/mcp.json", home / ".config/Code/User/mcp.json"
    for path, text in (
        (cursor, '{"mcpServers": {"other": {"url": "https://example.com/mcp"}}}'),
        (
            vscode,
            '{\n  // mine\n  "inputs": [],\n  "servers": {\n    "other": {"command": "x"},\n  }\n}',
        ),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    before = files(home)

    set_up(root, agents="cursor,vscode")
    assert json.loads(cursor.read_text())["mcpServers"].keys() == {"other", "anamnesis"}
    assert "// mine" in vscode.read_text()
    assert '"anamnesis"' in vscode.read_text()
    uninstall.leave(Home(root))

    assert files(home) == before
