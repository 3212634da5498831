"""`make demo` shows what it tells, from a checkout."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from demo.picture import PICTURE, scene, texts

from anamnesis.onboard import build_hooks


def test_the_demo_tells_its_story_on_one_screen() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    assert len(lines) < 40
    assert all(len(line) <= 100 for line in lines if "/open?token=" not in line)
    assert "/open?token=" in ended.stdout
    # In the order in which the client calls them.
    hooks = re.findall(r" {2,}(\w+): ", ended.stdout)
    assert hooks == [
        "SessionEnd", "SessionStart", "UserPromptSubmit", "PostToolUseFailure", "PostToolUse",
    ]  # fmt: skip
    assert {*hooks} <= {*build_hooks(["anamnesis"], {}, server="anamnesis")}
    drawn = texts(PICTURE.read_text(encoding="utf-8"))
    assert drawn == [line for line in scene(ended.stdout).splitlines() if line], "make pictures"
