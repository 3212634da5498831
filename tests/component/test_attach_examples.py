"""The devcontainer feature and the GitHub Action: their formats, and their commands run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.fleet import Fleet

EXAMPLES = Path(__file__).parents[2] / "examples"
FEATURE = EXAMPLES / "devcontainer" / "anamnesis"
ACTION = EXAMPLES / "github-action" / "action.yml"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    fleet = Fleet(tmp_path)
    fleet.machine("desk").write("01JEXAMPLE", "A note for containers.")
    fleet.machine("desk").sync()
    return fleet.remote


def run(line: str, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    around = {"HOME": str(home), "PATH": path, **env}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", line], env=around, cwd=home, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip


def attached(home: Path) -> list[str]:
    return [path.stem for path in (home / ".anamnesis/memory/semantic").iterdir()]


def test_the_feature_attaches_at_each_start_of_a_container(tmp_path: Path, remote: Path) -> None:
    feature = json.loads((FEATURE / "devcontainer-feature.json").read_text())
    assert {"id", "version", "name"} <= feature.keys()
    assert feature["id"] == FEATURE.name
    home = tmp_path / "codespace"

    given = {**feature["containerEnv"], "ANAMNESIS_GIT_REMOTE": str(remote)}

    done = run(feature["postStartCommand"], home, **given)

    assert done.returncode == 0, done
    assert attached(home) == ["01JEXAMPLE"]


def test_the_feature_installs_what_its_option_names(tmp_path: Path) -> None:
    """With pip as a recorder: the environment is real, what it would download is not."""
    options = json.loads((FEATURE / "devcontainer-feature.json").read_text())["options"]
    recorder = tmp_path / "bin" / "python3"
    recorder.parent.mkdir()
    recorder.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec {sys.executable} "$@"\nmkdir -p "$3/bin"\n'
        'printf "#!/bin/sh\\necho \\"\\$@\\" >> %s/calls\\n" "$3" > "$3/bin/python"\n'
        'chmod +x "$3/bin/python"\n'
    )
    recorder.chmod(0o755)
    env = {"PATH": f"{recorder.parent}:{os.environ['PATH']}", "ANAMNESIS_PREFIX": str(tmp_path)}

    done = subprocess.run(
        ["sh", str(FEATURE / "install.sh")], env={**env, "PACKAGE": "some-wheel.whl"}, check=False
    )

    assert done.returncode == 0
    place = tmp_path / "share" / "anamnesis"
    assert (place / "calls").read_text().split()[-1] == "some-wheel.whl"
    assert os.readlink(tmp_path / "bin" / "anamnesis") == str(place / "bin" / "anamnesis")
    assert options["package"]["default"] in (FEATURE / "install.sh").read_text()


def test_the_example_container_uses_the_feature_beside_it() -> None:
    container = json.loads((FEATURE.parent / "devcontainer.json").read_text())

    assert list(container["features"]) == [f"./{FEATURE.name}"]


def test_the_action_attaches_a_job(tmp_path: Path, remote: Path) -> None:
    action = yaml.safe_load(ACTION.read_text())
    steps: dict[str, dict[str, Any]] = {step["name"]: step for step in action["runs"]["steps"]}
    inputs = {"remote": str(remote), "agents": "claude"}
    given = {
        name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in steps["Attach"]["env"].items()
    }
    home = tmp_path / "runner"

    done = run(steps["Attach"]["run"], home, **given)

    assert done.returncode == 0, done
    assert attached(home) == ["01JEXAMPLE"]
    named = {word for step in steps.values() for word in step.get("env", {}).values()}
    assert named == {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]}
    assert all("${{" not in step["run"] for step in steps.values())  # no injection by an input


def test_the_example_workflow_gives_what_the_action_asks_for() -> None:
    action = yaml.safe_load(ACTION.read_text())
    workflow = yaml.safe_load((ACTION.parent / "workflow.yml").read_text())
    [step] = [s for s in workflow["jobs"]["agent"]["steps"] if "github-action" in s.get("uses", "")]

    assert step["with"].keys() <= action["inputs"].keys()
    assert {name for name, row in action["inputs"].items() if row.get("required")} <= step[
        "with"
    ].keys()
