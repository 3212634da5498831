"""What `init` and `join` refuse, and what they make of what they are told."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from anamnesis import config
from anamnesis.cli import main, setup
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


@pytest.mark.parametrize(("answer", "provider"), [("\n", ""), ("n\n", ""), ("y\n", "claude-cli")])
def test_summaries_by_claude_code_are_offered_with_their_cost(
    answer: str, provider: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    root.mkdir()
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", Keyboard(answer))

    setup.offer_summaries(Namespace(yes=False))

    assert (config.setting("reflection_provider") or "") == provider
    assert "18,000 tokens in and 1,000 out" in capsys.readouterr().err


def test_summaries_are_not_offered_without_claude_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    setup.offer_summaries(Namespace(yes=True))

    assert capsys.readouterr().err == ""


def test_init_says_that_sessions_are_kept_and_how_not_to(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["init", *QUIETLY, "--local-only"]) == 0
    assert "word for word, on this machine only" in (told := capsys.readouterr().err)
    assert "anamnesis config set archive 0" in told

    monkeypatch.setenv("ANAMNESIS_ARCHIVE", "0")
    assert main(["init", *QUIETLY, "--local-only"]) == 0
    assert "word for word" not in capsys.readouterr().err


def test_init_run_again_keeps_the_store_in_use(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANAMNESIS_HOME")
    elsewhere = home / "notes of mine"
    assert main(["init", *QUIETLY, "--local-only", "--home", str(elsewhere)]) == 0
    hooks = (home / ".claude" / "settings.json").read_bytes()
    monkeypatch.delenv("ANAMNESIS_HOME")  # which the command sets for what it starts

    assert main(["write", "found by every command"]) == 0
    assert main(["init", *QUIETLY, "--local-only"]) == 0

    assert (home / ".claude" / "settings.json").read_bytes() == hooks
    assert len(list(elsewhere.rglob("memory/semantic/*.md"))) == 1
    assert config.resolve_home() == elsewhere
    assert not (home / ".anamnesis").exists()


def test_a_store_that_is_not_there_is_not_begun_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its disk may not be mounted: notes written below the mount point would be hidden later."""
    monkeypatch.delenv("ANAMNESIS_HOME")
    disk, aside = home / "disk", home / "unmounted"
    assert main(["init", *QUIETLY, "--local-only", "--home", str(disk / "notes")]) == 0
    assert main(["write", "on the disk"]) == 0
    disk.rename(aside)
    capsys.readouterr()

    hook = '{"session_id": "s", "cwd": "/", "hook_event_name": "SessionStart"}'
    monkeypatch.setattr("sys.stdin", io.StringIO(hook))
    assert main(["write", "in vain"]) == 4
    assert main(["init", *QUIETLY, "--local-only"]) == 4
    monkeypatch.delenv("ANAMNESIS_HOME", raising=False)  # hooks have it, commands may not
    assert main(["sync"]) == 4
    assert main(["inject"]) == 0
    assert main(["uninstall", "--print"]) == 4

    printed = capsys.readouterr().err
    assert printed.count(f"The store {disk / 'notes'} is not there.") == 4
    assert f"mkdir -p {disk / 'notes'}" in printed
    assert not disk.exists()
    aside.rename(disk)
    assert main(["search", "disk"]) == 0

    disk.rename(aside)
    assert main(["uninstall"]) == 0
    assert not (home / ".config" / "anamnesis" / "home").exists()


def test_the_usual_place_needs_no_pointer_and_a_deleted_store_leaves_none(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_HOME")
    pointer = home / ".config" / "anamnesis" / "home"
    assert main(["init", *QUIETLY, "--local-only", "--home", str(home / "else")]) == 0
    assert pointer.read_text() == f"{home / 'else'}\n"
    assert main(["init", *QUIETLY, "--local-only", "--home", str(home / ".anamnesis")]) == 0
    assert not pointer.exists()

    assert main(["init", *QUIETLY, "--local-only", "--home", str(home / "else")]) == 0
    assert main(["uninstall", "--purge", "--yes"]) == 0

    assert not pointer.exists()


@pytest.mark.parametrize("text", ["", "not a path", "~/x", "\udcff"])
def test_a_broken_pointer_points_nowhere(
    text: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANAMNESIS_HOME")
    pointer = home / ".config" / "anamnesis" / "home"
    pointer.parent.mkdir(parents=True)
    pointer.write_bytes(text.encode("utf-8", "surrogateescape"))

    assert config.resolve_home() == home / ".anamnesis"


@pytest.mark.parametrize(
    "command",
    [
        ("remote", "set", "{other}"),
        ("remote", "--create", "{other}"),
        ("config", "set", "remote", "{other}"),
        ("host", "{other}"),
        ("join", "{other}", "--agents", "claude", "--machine-id", "desk"),
        ("init", "--remote", "{other}", "--agents", "claude", "--machine-id", "desk"),
    ],
)
def test_another_remote_is_asked_for_with_what_would_be_sent_there(
    command: tuple[str, ...], home: Path, root: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    first, other = tmp_path / "first.git", tmp_path / "other.git"
    assert main(["remote", "--create", str(first)]) == 0
    assert main(["write", "a note that is private to the first"]) == 0
    settings = (root / "config.json").read_bytes()
    words = [word.format(other=other) for word in command]

    assert main(words) == 2  # without a terminal
    monkeypatch.setattr(sys, "stdin", Keyboard("\nn\n" if words[0] == "init" else "n\n"))
    assert main(words) == 1

    told = capsys.readouterr().err
    assert f"This machine syncs with {first}." in told
    assert f"would send 1 note from here to {other}" in told
    assert "nothing was changed" in told
    assert (root / "config.json").read_bytes() == settings
    assert not other.exists()
