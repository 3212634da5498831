"""`sync --detach` starts the sync and returns, having loaded next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.cli import detached_sync, main
from anamnesis.hooks import background
from support.hooks import environment

REPORT = "import json, sys; sys.stdout.write(json.dumps(sorted(sys.modules)))"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    seen: list[list[str]] = []
    monkeypatch.setattr(background, "start", lambda arguments: seen.append(list(arguments)))
    return seen


def test_it_hands_its_options_on(started: list[list[str]]) -> None:
    assert main(["sync", "--detach", "--timeout=5", "--accept-deletions"]) == 0

    assert started == [["sync", "--timeout=5", "--accept-deletions"]]


@pytest.mark.parametrize("option", ["--timeout=soon", "--json", "--nonsense", "--timeout=-1"])
def test_any_other_option_is_left_to_the_command(started: list[list[str]], option: str) -> None:
    assert detached_sync.sync(["--detach", option]) is None
    assert started == []


def test_it_loads_neither_sync_nor_the_store(home: Path) -> None:
    code = (
        "from anamnesis.hooks import background\nbackground.start = lambda arguments: None\n"
        f"from anamnesis.cli import main\nmain(['sync', '--detach'])\n{REPORT}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment(home)
    )
    ours = {name for name in json.loads(done.stdout) if name.startswith("anamnesis.")}

    assert not any(name.split(".")[1] in ("sync", "store", "operations", "index") for name in ours)
    assert not {"argparse", "sqlite3", "subprocess"} & set(json.loads(done.stdout))
    assert len(ours) <= 12
