"""A session ends on one machine; the next one, on another machine, starts with what it learnt."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from demo.terminal import Terminal, say

SESSION = "5f0c1d2e-3b4a-4c5d-8e6f-7a8b9c0d1e2f"
ASK = "The nightly import fails since Monday, please find out why and fix it"
OUTCOME = (
    "Fixed: the import read the CSV with the wrong delimiter since the supplier switched to "
    "semicolons. read_orders() now sniffs the delimiter, and a test covers both."
)


def show(laptop: Terminal, desk: Terminal) -> None:
    """Capture on the laptop, sync, inject and recall on the desk."""
    here, there = (_project(machine.user / "shop") for machine in (laptop, desk))
    transcript = _transcript(laptop.user / "session.jsonl", here)

    say("A session ends on the laptop: the SessionEnd hook turns its transcript into one note.")
    ended = _payload("SessionEnd", here, transcript_path=str(transcript))
    laptop.run(
        "capture", "--no-sync", stdin=ended, says="the import read the CSV with the wrong delimiter"
    )

    say("The hook also syncs, in the background; here it is a step of its own.")
    laptop.run("sync", says="pushed=True")

    say("The next session is on the desk. It starts with what was learnt: the SessionStart hooks.")
    desk.run("sync", says="pulled=1")
    started = _payload("SessionStart", there, source="startup", session_id="next")
    desk.run("inject", stdin=started, says=OUTCOME)

    say("A note that answers a prompt comes with it: the UserPromptSubmit hook.")
    desk.run(
        "write", "The supplier's CSV files have semicolons and a byte order mark since November.",
        "--title", "Supplier CSV delimiter", "--project", "shop",
    )  # fmt: skip
    prompt = "which delimiter do the CSV files of the supplier have?"
    asked = _payload("UserPromptSubmit", there, prompt=prompt)
    desk.run("recall-hook", stdin=asked, says="semicolons and a byte order mark")


def _project(directory: Path) -> Path:
    directory.mkdir()
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    return directory


def _payload(event: str, cwd: Path, **more: str) -> str:
    told = {"session_id": SESSION, "hook_event_name": event, "cwd": str(cwd), **more}
    return json.dumps(told)


def _transcript(path: Path, cwd: Path) -> Path:
    common = {"sessionId": SESSION, "cwd": str(cwd), "gitBranch": "main", "version": "2.1.325"}
    edit = {"file_path": str(cwd / "orders.py"), "old_string": "a", "new_string": "b"}
    lines: list[dict[str, object]] = [
        {"type": "user", "message": {"role": "user", "content": ASK}},
        _said({"type": "tool_use", "id": "t1", "name": "Edit", "input": edit}),
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}],
            },
        },
        _said({"type": "text", "text": OUTCOME}),
    ]
    path.write_text("".join(json.dumps({**line, **common}) + "\n" for line in lines))
    return path


def _said(block: dict[str, object]) -> dict[str, object]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}
