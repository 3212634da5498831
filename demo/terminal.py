"""A machine of its own, the commands that run there, and how a step is shown."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

COMMAND = Path(sys.executable).with_name("anamnesis")
_COLUMNS = min(100, max(60, os.get_terminal_size().columns)) if sys.stdout.isatty() else 100
_ID = re.compile(r"\b[0-9A-Z]{21}([0-9A-Z]{5})\b")


def step(where: str, what: str, *, hook: str = "") -> None:
    """Say what happens, and which hook of the client it is."""
    line = f"{where:8}{what}"
    if len(line) + len(hook) + 2 <= _COLUMNS:
        print(f"\n{line:{_COLUMNS - len(hook)}}{hook}", flush=True)
    else:
        print(f"\n{line}\n{hook:>{_COLUMNS}}", flush=True)


def show(*lines: str) -> None:
    """Quote what was printed, with short ids, each line cut to the screen."""
    for line in lines:
        short = textwrap.shorten(_ID.sub(r"\1", line), _COLUMNS - 12, placeholder=" …")
        print(f"        │ {short}", flush=True)


class Machine:
    """One machine: its name, its user's folder, its store."""

    def __init__(self, name: str, base: Path) -> None:
        self.name = name
        self.user = base / name
        self.home = self.user / ".anamnesis"
        self.project = self.user / "shop"
        self.project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    def environment(self) -> dict[str, str]:
        """The environment without your own store and settings."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("ANAMNESIS_")}
        own = {"HOME": self.user, "ANAMNESIS_HOME": self.home, "ANAMNESIS_MACHINE_ID": self.name}
        return {**kept, **{key: str(value) for key, value in own.items()}}

    def run(self, *arguments: str, stdin: str = "", says: str = "", **environment: str) -> str:
        """What a command prints; the demo ends if it fails or does not say what it should."""
        finished = subprocess.run(
            [str(COMMAND), *arguments], input=stdin, capture_output=True, text=True, check=False,
            cwd=self.project, env={**self.environment(), **environment},
        )  # fmt: skip
        if finished.returncode != 0 or says not in finished.stdout:
            sys.exit(f"demo: {arguments[0]} printed:\n{finished.stdout}{finished.stderr}")
        return finished.stdout

    def hook(self, event: str, *arguments: str, says: str, **payload: str) -> str:
        """What a hook gives the agent, called as the client calls it."""
        told = {"hook_event_name": event, "cwd": str(self.project), "session_id": self.name}
        printed = self.run(
            *arguments, stdin=json.dumps({**told, **payload}), says=says,
            ANAMNESIS_START_WAIT="60000",
        )  # fmt: skip
        return _unwrapped(printed)

    def tool(self, name: str, arguments: Mapping[str, str]) -> str:
        """What a tool of the MCP server answers a hook."""
        asked = [
            {"method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
            {"method": "tools/call", "params": {"name": name, "arguments": dict(arguments)}},
        ]
        lines = [json.dumps({"jsonrpc": "2.0", "id": id, **each}) for id, each in enumerate(asked)]
        answers = self.run("serve", stdin="\n".join(lines) + "\n").splitlines()
        content = json.loads(answers[-1])["result"]["content"]
        return _unwrapped(content[0]["text"] if content else "")

    def files(self) -> dict[str, bytes]:
        """Every note that is synced."""
        return {path.name: path.read_bytes() for path in (self.home / "memory").glob("*/*.md")}


def _unwrapped(printed: str) -> str:
    """What reaches the model, whether the client wants it as JSON or as it is."""
    try:
        return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"])
    except ValueError:
        return printed
