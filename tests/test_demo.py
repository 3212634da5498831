"""`make demo` shows what it tells, from a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_demo_runs_to_its_end() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "/open?token=" in ended.stdout
