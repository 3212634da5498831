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
# What reading a few notes and one payload can do without; loading these takes half a Python.
SLOW = {
    "collections", "contextlib", "datetime", "enum", "functools", "importlib", "json", "re",
    "sqlite3", "warnings",
}  # fmt: skip
REPORT = "import os, sys\nos.write(2, ' '.join(sys.modules).encode())"


def loaded_by(code: str, home: Path, payload: object) -> tuple[str, set[str]]:
    """What a child process printed, and the modules that it had loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"],
        input=json.dumps(payload).encode(), capture_output=True, check=True, timeout=60,
        env=environment(home),
    )  # fmt: skip
    return done.stdout.decode(), set(done.stderr.decode().split())


@pytest.mark.parametrize("name", ["inject", "recall-hook"])
def test_a_hook_loads_nothing_heavy(home: Path, name: str) -> None:
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout.")
    payload = {"cwd": "/u/demo", "session_id": "s", "prompt": "why is sqlite in WAL mode slow?"}
    _, always = loaded_by("pass", home, payload)

    printed, loaded = loaded_by(f"from anamnesis.cli import main\nmain(['{name}'])", home, payload)

    assert "Set busy_timeout." in printed
    assert (loaded - always) & (HEAVY | {"json"}) == set()


def test_a_session_start_in_a_repository_loads_no_patterns(home: Path, tmp_path: Path) -> None:
    repository = tmp_path / "shop"
    origin = ["remote", "add", "origin", "git@work:u/shop.git"]
    for arguments in (["init", "--quiet", str(repository)], ["-C", str(repository), *origin]):
        subprocess.run(["git", *arguments], check=True)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host work\n  HostName git.example.com\n")
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="Shop", body="Set it.", project="git.example.com/u/shop")
    payload = {"cwd": str(repository), "session_id": "s", "source": "startup"}
    _, always = loaded_by("pass", home, payload)

    printed, loaded = loaded_by("from anamnesis.cli import main\nmain(['inject'])", home, payload)

    assert "Set it." in printed
    assert (loaded - always) & SLOW == set()


def test_a_session_start_without_an_index_loads_only_what_masks_secrets_besides(home: Path) -> None:
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout.")
    for path in (home / ".anamnesis").glob("index.db*"):
        path.unlink()
    code = (
        "from anamnesis.hooks import background\nbackground.start = lambda arguments: None\n"
        "from anamnesis.cli import main\nmain(['inject'])"
    )
    payload = {"cwd": "/u/demo", "session_id": "s", "source": "startup"}
    _, always = loaded_by("pass", home, payload)

    printed, loaded = loaded_by(code, home, payload)

    assert "Set busy_timeout." in printed
    masking = {"collections", "enum", "functools", "re", "warnings"}
    assert (loaded - always) & SLOW <= masking


def test_a_sync_with_nothing_to_do_loads_what_it_needs_for_that(home: Path) -> None:
    with MemoryStore(home / ".anamnesis") as store:
        store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout.")
    code = "from anamnesis.cli import main\nmain(['sync'])"
    loaded_by(code, home, {})
    _, always = loaded_by("pass", home, {})

    printed, loaded = loaded_by(code, home, {})

    assert "nothing to commit" in printed
    seldom = {"anamnesis.secrets", "anamnesis.sync.merge", "difflib", "sqlite3", "datetime"}
    assert (loaded - always) & (HEAVY - {"subprocess"} | seldom) == set()


def test_a_capture_without_a_model_loads_no_network(home: Path) -> None:
    code = "from anamnesis.cli import main\nmain(['capture', '--no-sync'])"
    _, always = loaded_by("pass", home, {})

    _, loaded = loaded_by(code, home, {"cwd": "/u/demo"})

    assert (loaded - always) & {"fastmcp", "mcp", "pydantic", "rich", "httpx", "starlette"} == set()
