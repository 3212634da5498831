"""What the server loads before it answers: a client drops one that is not ready at once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from support.mcp_client import INITIALIZE, PATIENCE, line

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {
    "argparse", "asyncio", "concurrent.futures", "dataclasses", "fastmcp", "filelock", "hashlib",
    "inspect", "logging", "mcp", "pathlib", "pydantic", "queue", "rich", "socket", "sqlite3",
    "starlette", "subprocess", "typing", "uvicorn", "yaml", "anamnesis.store",
}  # fmt: skip
QUESTIONS = ["initialize", "tools/list", "prompts/list", "resources/list", "ping"]


def test_start_and_listing_load_nothing_heavy(root: Path) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": INITIALIZE}
        for number, method in enumerate(QUESTIONS)
    ]

    loaded = _loaded("from anamnesis.cli import main; main(['serve'])", b"".join(map(line, asked)))

    assert "anamnesis.mcp.stdio" in loaded
    assert (loaded - _loaded("pass", b"")) & HEAVY == set()


def test_a_search_loads_no_framework(root: Path) -> None:
    call = {"name": "memory_search", "arguments": {"query": "anything"}}
    asked = line({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})

    loaded = _loaded("from anamnesis.cli import main; main(['serve'])", asked)

    assert "sqlite3" in loaded
    assert not loaded & {"asyncio", "fastmcp", "mcp", "pydantic", "starlette"}


def _loaded(code: str, given: bytes) -> set[str]:
    """The modules that a child process has loaded after running some code."""
    script = f"{code}\nimport json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=given,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    return set(json.loads(done.stderr))
