"""Setting up where things are missing, read-only, broken or oddly named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.injector import Injector

COMMAND = Path(sys.executable).parent / "anamnesis"
INIT = ("init", "--yes", "--local-only", "--agents", "claude")


def run(home: Path | None, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing but a home and a PATH without any agent."""
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **more}
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        environment["HOME"] = str(home)
    return subprocess.run(
        [COMMAND, *words], env=environment, capture_output=True, text=True, timeout=120, cwd="/"
    )


@pytest.mark.parametrize("name", ["with blanks in it", "größe-日本", "quote's & $dollar", "-dash"])
def test_a_home_with_an_unusual_name(tmp_path: Path, name: str) -> None:
    home = tmp_path / name

    finished = run(home, *INIT)

    assert finished.returncode == 0, finished.stderr
    assert "all work" in finished.stderr
    json.loads((home / ".claude" / "settings.json").read_text())


def test_a_store_with_an_unusual_name_is_found_by_the_hooks(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "it's a größe store"
    assert run(home, *INIT, "--home", str(store)).returncode == 0
    run(home, "write", "the cart rounds half to even", ANAMNESIS_HOME=str(store))
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    line = hooks["SessionStart"][0]["hooks"][0]["command"]

    given = subprocess.run(
        ["/bin/sh", "-c", line], env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        input='{"cwd": "/"}', capture_output=True, text=True,
    )  # fmt: skip

    assert "the cart rounds half to even" in given.stdout


def test_no_home_at_all(tmp_path: Path) -> None:
    """Without HOME the system is asked; whatever it says, nothing is half done."""
    finished = run(None, "init", "--print", "--local-only", ANAMNESIS_HOME=str(tmp_path / "s"))

    assert finished.returncode in (0, 2)
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("command", "code"),
    [("write x", 4), ("status", 4), ("search x", 4), ("serve", 0), ("doctor", 4), ("sync", 4),
     ("inject", 0), ("recall-hook", 0), ("capture", 0)],
)  # fmt: skip
def test_nothing_is_kept_wherever_a_command_happens_to_run(
    tmp_path: Path, command: str, code: int
) -> None:
    finished = subprocess.run(
        [COMMAND, *command.split()], env={"HOME": "~", "PATH": "/usr/bin:/bin"}, cwd=tmp_path,
        input='{"prompt": "why is x so", "cwd": "/"}', capture_output=True, text=True,
    )  # fmt: skip

    assert finished.returncode == code, finished.stderr
    assert "Traceback" not in finished.stderr
    assert ("Set HOME" in finished.stderr) == (code != 0)
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_does_not_exist(tmp_path: Path) -> None:
    finished = run(None, *INIT, HOME=str(tmp_path / "missing"))

    assert finished.returncode == 2
    assert "does not exist" in finished.stderr
    assert not (tmp_path / "missing").exists()


def test_read_only_settings_stop_the_set_up_with_a_reason(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    settings.chmod(0o444)

    finished = run(tmp_path, *INIT)

    assert finished.returncode == 1
    assert "read-only" in finished.stderr
    assert settings.read_text() == "{}"


def test_a_read_only_folder_stops_the_set_up_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir(mode=0o555)

    finished = run(tmp_path, "init", "--yes", "--local-only", "--agents", "claude,codex")

    assert finished.returncode == 1
    assert f"the folder {tmp_path}/.codex is read-only" in finished.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name != ".anamnesis"] == [".codex"]


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"SessionStart": 1}}', "{,}", "[]"])
def test_unusual_settings_stop_the_set_up_before_anything_is_written(
    tmp_path: Path, text: str
) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(text)

    finished = run(tmp_path, *INIT)

    assert finished.returncode == 1
    assert "settings.json was left unchanged" in finished.stderr
    assert settings.read_text() == text
    assert not (tmp_path / ".claude.json").exists()


@pytest.mark.parametrize("where", ["--local-only", "--remote"])
def test_a_disk_that_is_full_stops_the_set_up_with_a_reason(
    tmp_path: Path, injector: Injector, where: str
) -> None:
    """Every folder for temporary files is on that disk as well."""
    home, remote = tmp_path / "home", tmp_path / "remote.git"
    home.mkdir()
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    command = ["init", "--yes", "--agents", "claude", where, *([str(remote)] * (where[2] == "r"))]

    outcome = injector.run(
        command, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, kind="full-for-good", at=1,
        under=[home, Path("/tmp"), Path("/var/tmp"), Path("/usr/tmp"), Path.cwd()],
    )  # fmt: skip

    assert outcome.code == 1
    assert "Traceback" not in outcome.err
    assert "no space left" in outcome.err or "the disk is full" in outcome.err


def test_without_git_everything_but_travelling_works(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "env"):
        (tools / name).symlink_to(f"/bin/{name}")
    home = tmp_path / "home"

    finished = run(home, *INIT, PATH=str(tools))
    examined = run(home, "doctor", "--json", PATH=str(tools))

    assert "Traceback" not in finished.stderr
    assert "git is not installed" in finished.stderr
    assert "all work" in finished.stderr
    found = {each["name"]: each for each in json.loads(examined.stdout)}
    assert found["git"]["remedy"] == "Install git."


def test_without_any_agent_claude_code_is_prepared(tmp_path: Path) -> None:
    finished = run(tmp_path, "init", "--yes", "--local-only")

    assert finished.returncode == 0, finished.stderr
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {".anamnesis", ".claude", ".claude.json"}


PLUGIN = Path(__file__).parent.parent.parent / "plugin" / "bin" / "anamnesis"


@pytest.mark.parametrize("hook", ["inject", "recall-hook", "capture", "sync"])
@pytest.mark.parametrize("missing", ["home", "package", "a place to write"])
def test_a_hook_of_the_plugin_never_fails(tmp_path: Path, hook: str, missing: str) -> None:
    """An exit code other than 0 would take a person's prompt away."""
    tools = tmp_path / "bin"
    tools.mkdir()
    if missing != "package":
        (tools / "anamnesis").symlink_to(COMMAND)
    home = tmp_path / "home"
    home.write_text("") if missing == "a place to write" else home.mkdir()
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "ANAMNESIS_SWEEP": "0"}
    environment |= {"ANAMNESIS_HOME": str(home)} if missing == "home" else {"HOME": str(home)}

    finished = subprocess.run(
        [PLUGIN, hook], env=environment, input="{}", capture_output=True, text=True, timeout=60
    )

    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_kill_in_the_middle_leaves_files_that_can_be_taken_back(tmp_path: Path) -> None:
    """As if killed after the first file: a settings file of ours without a receipt."""
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "theme": "dark"\n}\n')
    assert run(tmp_path, *INIT).returncode == 0
    os.unlink(tmp_path / ".anamnesis" / "state" / "setup.json")

    assert run(tmp_path, "uninstall", "--yes").returncode == 0

    assert settings.read_text() == '{\n  "theme": "dark"\n}\n'
