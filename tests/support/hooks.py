"""Running hooks as a client does, and writing transcripts as a client does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "samples"
TRANSCRIPTS = SAMPLES / "claude-code" / "transcripts"
PAYLOADS = sorted(
    path
    for path in SAMPLES.rglob("*.json")
    if path.name.startswith("payload.") or path.parent.name == "payloads"
)
ENTRY = "import sys; from anamnesis.cli import main; sys.exit(main())"


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment with a home of its own; no sweep in the background of a test."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ANAMNESIS_HOME": str(home / ".anamnesis"),
        "ANAMNESIS_MACHINE_ID": "testbox",
        "ANAMNESIS_SWEEP": "0",
        **more,
    }


def hook(
    home: Path, *arguments: str, payload: object = None, data: bytes | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run one hook to its end in a process of its own."""
    given = json.dumps(payload or {}).encode() if data is None else data
    return subprocess.run(
        [sys.executable, "-c", ENTRY, *arguments],
        input=given, capture_output=True, check=False, timeout=60, env=environment(home, **more),
    )  # fmt: skip


class Transcript:
    """A Claude Code transcript that a test writes line by line."""

    def __init__(self, path: Path, *, session: str = "s-1", cwd: str = "/home/u/shop") -> None:
        self.path = path
        self._common = {"sessionId": session, "cwd": cwd, "gitBranch": "main"}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def line(self, **fields: Any) -> Transcript:
        """Add any line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**self._common, **fields}) + "\n")
        return self

    def user(self, content: object, **fields: Any) -> Transcript:
        """Add what a person said."""
        return self.line(type="user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: object, **fields: Any) -> Transcript:
        """Add what the agent said or did."""
        content = [
            {"type": "text", "text": block} if isinstance(block, str) else block for block in blocks
        ]
        return self.line(
            type="assistant", message={"role": "assistant", "content": content}, **fields
        )

    def edit(self, path: str, *, call: str = "t1", tool: str = "Edit") -> Transcript:
        """Add an edit that the agent proposed."""
        return self.assistant(
            {"type": "tool_use", "id": call, "name": tool, "input": {"file_path": path}}
        )

    def result(self, *, call: str = "t1", failed: bool = False) -> Transcript:
        """Add what became of it."""
        block = {"type": "tool_result", "tool_use_id": call, "content": "x", "is_error": failed}
        return self.user([block])
