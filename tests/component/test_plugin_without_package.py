"""The plugin where its program is not installed: said at a session's start, silent elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PLUGIN = REPOSITORY / "plugin" / "bin" / "anamnesis"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs without anamnesis, and with a Python that does not know it."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "cat", "mkdir", "setsid", "tr", "sed"):
        (tools / name).symlink_to(
            f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}"
        )
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    return tools


def run(bare: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(bare), "HOME": str(bare.parent)}
    # It also looks where installers put programs; nothing of ours may be there.
    text = PLUGIN.read_text().replace("/opt/homebrew/bin:/usr/local/bin", "/nowhere")
    script = bare.parent / "anamnesis"
    script.write_text(text)
    return subprocess.run(
        ["/bin/sh", str(script), *arguments], env=env, input="{}", capture_output=True, text=True,
        check=False, cwd=os.sep,
    )  # fmt: skip


def test_a_session_start_says_what_to_install(bare: Path) -> None:
    done = run(bare, "inject")

    assert done.returncode == 0
    assert "uv tool install" in json.loads(done.stdout)["systemMessage"]


def test_it_names_the_place_that_the_plugin_came_from(bare: Path) -> None:
    known = bare.parent / ".claude" / "plugins" / "known_marketplaces.json"
    known.parent.mkdir(parents=True)
    from_there = {"source": {"source": "directory"}, "installLocation": str(REPOSITORY)}
    known.write_text(json.dumps({"other": {}, "anamnesis": from_there}, indent=2))

    done = run(bare, "inject")

    assert f"uv tool install '{REPOSITORY}'" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("hook", ["recall-hook", "failure-hook", "sync"])
def test_other_hooks_are_silent(bare: Path, hook: str) -> None:
    done = run(bare, hook)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_server_says_it_to_the_client(bare: Path) -> None:
    done = run(bare, "serve")

    assert done.returncode == 1
    assert "uv tool install" in done.stderr
    assert done.stdout == ""
