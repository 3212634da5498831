"""What the hooks load, proven in a child process: each name costs more than the hook's own work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from support.hooks import environment

HEAVY = {
    "argparse", "asyncio", "dataclasses", "fastmcp", "filelock", "hashlib", "httpx",
    "importlib.metadata", "inspect", "logging", "mcp", "pathlib", "pydantic", "rich", "socket",
    "starlette", "subprocess", "typing", "urllib", "yaml",
}  # fmt: skip
REPORT = "import json, os, sys\nos.write(2, json.dumps(sorted(sys.modules)).encode())"


def loaded_by(code: str, home: Path, payload: object) -> tuple[str, set[str]]:
    """What a child process printed, and the modules that it had loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"],
        input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=60,
        env=environment(home),
    )  # fmt: skip
    return done.stdout.decode(), set(json.loads(done.stderr))


@pytest.mark.parametrize("name", ["inject", "recall-hook"])
def test_a_hook_loads_nothing_heavy(home: Path, name: str) -> None:
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout.")
    payload = {"cwd": "/u/demo", "session_id": "s", "prompt": "why is sqlite in WAL mode slow?"}
    _, always = loaded_by("pass", home, payload)

    printed, loaded = loaded_by(f"from anamnesis.cli import main\nmain(['{name}'])", home, payload)

    assert "Set busy_timeout." in printed
    assert (loaded - always) & HEAVY == set()


def test_a_capture_without_a_model_loads_no_network(home: Path) -> None:
    code = "from anamnesis.cli import main\nmain(['capture', '--no-sync'])"
    _, always = loaded_by("pass", home, {})

    _, loaded = loaded_by(code, home, {"cwd": "/u/demo"})

    assert (loaded - always) & {"fastmcp", "mcp", "pydantic", "rich", "httpx", "starlette"} == set()
