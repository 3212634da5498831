"""What `init` and `join` refuse, and what they make of what they are told."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.cli import main
from support.onboard import files

QUIETLY = ("--yes", "--no-sync", "--agents", "claude")


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--command", "no-such-program --x"), "no-such-program"),
        (("--command", " "), "The command line is empty"),
        (("--uv-project", "/no/such/checkout"), "/no/such/checkout"),
        (("--remote", "ext::sh -c id"), "would run a program"),
        (("--remote=-x",), "is not a git remote"),
    ],
)
def test_what_could_not_work_is_refused_before_anything_is_written(
    options: tuple[str, ...], reason: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *QUIETLY, *options]) == 2

    assert reason in capsys.readouterr().err
    assert list(home.iterdir()) == []


def test_a_command_is_named_in_one_way_only(home: Path) -> None:
    with pytest.raises(SystemExit) as left:
        main(["init", *QUIETLY, "--command", "git", "--uv-project", "."])

    assert left.value.code == 2
    assert list(home.iterdir()) == []


def test_a_command_beside_us_is_called_from_anywhere(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "memory").symlink_to(Path(sys.executable).with_name("anamnesis"))
    monkeypatch.chdir(tmp_path)

    assert main(["init", *QUIETLY, "--local-only", "--command", "./bin/memory"]) == 0

    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["anamnesis"]["command"] == str(tmp_path / "bin" / "memory")


def test_nothing_is_promised_when_the_proof_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", *QUIETLY, "--local-only", "--command", "false"]) == 1

    told = capsys.readouterr().err
    assert "write does not work" in told
    assert "From the next session on" not in told
    assert "anamnesis doctor" in told


@pytest.mark.parametrize("named", ["./shared.git", "~/shared.git"])
def test_a_folder_is_the_same_remote_from_everywhere(
    named: str, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)

    assert main(["init", "--yes", "--agents", "claude", "--remote", named]) == 0
    assert main(["remote", "set", named]) == 0
    assert main(["join", named, "--yes", "--agents", "claude"]) == 0

    assert json.loads((root / "config.json").read_text())["remote"] == str(home / "shared.git")


def test_printing_asks_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard(""))

    assert main(["init", "--print"]) == 0

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("answers", ["", "\n", "\n\n", "\n\n\n"])
def test_the_end_of_input_is_not_a_yes(
    answers: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard(answers))

    assert main(["init"]) == 130

    assert files(home) == {}
    assert list(home.iterdir()) == []


def test_hosting_without_a_name_or_a_home_is_refused_in_words(tmp_path: Path) -> None:
    finished = subprocess.run(
        [Path(sys.executable).with_name("anamnesis"), "host"],
        env={"HOME": "~", "PATH": "/usr/bin:/bin"}, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip

    assert finished.returncode == 2
    assert "Set HOME" in finished.stderr
    assert list(tmp_path.iterdir()) == []
