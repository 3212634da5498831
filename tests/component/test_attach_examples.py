"""The devcontainer feature and the GitHub Action: their formats, and their commands run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder

from anamnesis import DISTRIBUTION, __version__
from support.fleet import Fleet
from support.package import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = str(tmp_path_factory.mktemp("wheel"))
    return Path(next(WheelBuilder(str(REPOSITORY)).build(directory=folder, versions=["standard"])))


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A machine with a bare Python, whose pip finds what this package needs without a network."""
    beside = tmp_path_factory.mktemp("beside")
    for entry in Path(pytest.__file__).parents[1].iterdir():
        if "anamnesis" not in entry.name:
            (beside / entry.name).symlink_to(entry)
    ours = Path(sys.executable).parent  # last: for `pip`, where the system's Python has none
    return {
        "PATH": f"{Path(sys.base_prefix) / 'bin'}:{os.environ['PATH']}:{ours}",
        "PYTHONPATH": str(beside),
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }


def install(script: Path, prefix: Path, offline: dict[str, str], **options: str) -> str:
    """Where pip says that it took the package from, after the installed command has run."""
    env = {**offline, "HOME": str(prefix), "ANAMNESIS_PREFIX": str(prefix), **options}
    done = subprocess.run(["sh", str(script)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([prefix / "bin" / "anamnesis", "--version"], env=env, capture_output=True)
    assert __version__ in said.stdout.decode()
    [record] = prefix.glob("share/anamnesis/lib/*/site-packages/anamnesis_memory-*.dist-info")
    origin = record / "direct_url.json"
    return str(json.loads(origin.read_text())["url"]) if origin.exists() else "an index"


def copied(tmp_path: Path) -> Path:
    """The feature alone, as a build of an image sees it."""
    return Path(shutil.copytree(FEATURE, tmp_path / "anamnesis_0")) / "install.sh"


def test_the_feature_works_as_the_guide_copies_it(tmp_path: Path, offline: dict[str, str]) -> None:
    guide = (REPOSITORY / "docs" / "guides" / "ephemeral.md").read_text()
    block = re.findall(r"(?:^    .+\n)+", guide, re.MULTILINE)[-1]
    (tmp_path / "project").mkdir()

    done = subprocess.run(
        ["bash", "-ec", block], cwd=REPOSITORY, env={**offline, "HOME": str(tmp_path)}, check=False
    )

    assert done.returncode == 0
    script = tmp_path / "project" / ".devcontainer" / FEATURE.name / "install.sh"
    [wheel] = script.parent.glob("*.whl")
    assert install(script, tmp_path, offline) == wheel.as_uri()


def test_the_feature_installs_from_a_git_address(tmp_path: Path, offline: dict[str, str]) -> None:
    there = (tmp_path / "there.git").as_uri()
    words = ["git", "clone", "-q", "--bare", str(REPOSITORY), str(tmp_path / "there.git")]
    subprocess.run(words, check=True)

    assert install(copied(tmp_path), tmp_path, offline, PACKAGE=f"git+{there}") == there


def test_the_feature_installs_from_an_index(
    tmp_path: Path, wheel: Path, offline: dict[str, str]
) -> None:
    shelf = tmp_path / "index" / DISTRIBUTION
    shelf.mkdir(parents=True)
    shutil.copy(wheel, shelf)
    (shelf / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
    index = (tmp_path / "index").as_uri()

    options = {"PACKAGE": DISTRIBUTION, "INDEX": index}
    assert install(copied(tmp_path), tmp_path, offline, **options) == "an index"


def test_a_feature_that_has_nothing_to_install_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(["sh", copied(tmp_path)], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "put a wheel beside" in done.stderr


def test_every_option_reaches_the_script() -> None:
    """The tool that builds the image gives each option as a variable in capitals."""
    options = json.loads((FEATURE / "devcontainer-feature.json").read_text())["options"]
    script = (FEATURE / "install.sh").read_text()

    assert all(f"${{{name.upper()}:-" in script for name in options)
    assert {row["default"] for row in options.values()} == {""}


def test_the_example_container_uses_the_feature_beside_it() -> None:
    container = json.loads((FEATURE.parent / "devcontainer.json").read_text())

    assert list(container["features"]) == [f"./{FEATURE.name}"]


def test_the_action_installs_its_checkout_and_attaches_the_job(
    tmp_path: Path, remote: Path, offline: dict[str, str]
) -> None:
    action = yaml.safe_load(ACTION.read_text())
    inputs = {name: str(row.get("default", "")) for name, row in action["inputs"].items()}
    inputs |= {"remote": str(remote), "agents": "claude"}
    home = tmp_path / "runner"
    runner = {
        **offline, "RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_PATH": str(tmp_path / "path"),
        "GITHUB_ACTION_PATH": str(ACTION.parent),
    }  # fmt: skip
    for step in action["runs"]["steps"]:
        given = {
            name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, value in step["env"].items()
        }

        done = run(step["run"], home, **runner, **given)

        assert done.returncode == 0, done
        installed = Path(runner["GITHUB_PATH"]).read_text().strip()
        runner["PATH"] = f"{installed}:{offline['PATH']}"
    assert attached(home) == ["01JEXAMPLE"]
    named = {word for step in action["runs"]["steps"] for word in step["env"].values()}
    assert named == {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]}
    # No input is pasted into a script: nobody's text becomes a command.
    assert all("${{" not in step["run"] for step in action["runs"]["steps"])


def test_the_example_workflow_gives_what_the_action_asks_for() -> None:
    action = yaml.safe_load(ACTION.read_text())
    workflow = yaml.safe_load((ACTION.parent / "workflow.yml").read_text())
    [step] = [s for s in workflow["jobs"]["agent"]["steps"] if "github-action" in s.get("uses", "")]

    assert step["with"].keys() <= action["inputs"].keys()
    assert {name for name, row in action["inputs"].items() if row.get("required")} <= step[
        "with"
    ].keys()
