"""Leaving when something is in the way: nothing is lost, nothing is left, nothing is forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.onboard import uninstall
from anamnesis.onboard.agents import claude
from anamnesis.onboard.hooks import HooksMap, build_hooks
from support.onboard import files, set_up

OWN_COMMENT = '\n# my own comment\n[projects."/x"]\ntrust_level = "trusted"\n'


def test_a_machine_that_never_knew_us_is_not_touched(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text("")

    assert main(["uninstall"]) == 0
    assert main(["uninstall", "--purge"]) == 0

    assert files(home) == {".cursor/mcp.json": b""}
    assert not (home / ".anamnesis").exists()
    assert "nothing to change" in capsys.readouterr().err


def test_a_file_that_is_broken_is_left_at_the_next_try(
    home: Path, root: Path, tmp_path: Path
) -> None:
    set_up(root, agents="claude,codex", command="/opt/my-memory --quick", rules=(str(tmp_path),))
    settings = home / ".claude/settings.json"
    good = settings.read_text()
    settings.write_text(good + "}")

    assert main(["uninstall", "--purge", "--yes"]) == 1
    assert not (home / ".codex").exists()
    settings.write_text(good)
    assert main(["uninstall"]) == 0

    assert files(home) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_backup_that_was_tidied_away_brings_no_old_hooks_back(home: Path, root: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "x"}')
    set_up(root, agents="claude", command="/old/anamnesis")
    (home / ".claude/settings.json.bak").unlink()
    set_up(root, agents="claude", command="/new/anamnesis")

    uninstall.leave(Home(root))

    assert settings.read_text() == '{"model": "x"}'


@pytest.mark.parametrize("updated", [True, False], ids=["updated first", "at once"])
def test_hooks_of_a_version_without_the_guard_go_to_the_byte(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch, *, updated: bool
) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "x"}')
    with monkeypatch.context() as earlier:
        earlier.setattr(claude, "build_hooks", partial(_unguarded, build_hooks))
        set_up(root, agents="claude", command="/opt/anamnesis")
    assert "command -v" not in settings.read_text()

    if updated:
        set_up(root, agents="claude", command="/opt/anamnesis")
        assert settings.read_text().count("anamnesis inject") == 1
        assert "command -v /opt/anamnesis >/dev/null || exit 0" in settings.read_text()
    uninstall.leave(Home(root))

    assert settings.read_text() == '{"model": "x"}'


def _unguarded(build: Callable[..., HooksMap], *given: object, **named: object) -> HooksMap:
    return build(*given, **{**named, "guarded": False})


def test_what_a_person_wrote_below_our_part_of_a_toml_file_stays(home: Path, root: Path) -> None:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"\n')
    set_up(root, agents="codex")
    config.write_text(config.read_text() + OWN_COMMENT)

    uninstall.leave(Home(root))

    assert config.read_text() == f'model = "x"\n{OWN_COMMENT}'


def test_a_server_of_our_name_that_is_not_ours_stays(home: Path, root: Path) -> None:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text('[mcp_servers.anamnesis]\ncommand = "/my/own"\n')
    set_up(root, agents="claude")

    uninstall.leave(Home(root))

    assert config.read_text() == '[mcp_servers.anamnesis]\ncommand = "/my/own"\n'


@pytest.mark.parametrize("theirs", ['{"url": "http://x"}', '{"command": [], "args": []}'])
def test_a_server_of_our_name_that_is_not_ours_is_not_replaced(
    home: Path, capsys: pytest.CaptureFixture[str], theirs: str
) -> None:
    servers = home / ".claude.json"
    servers.write_text(f'{{"mcpServers": {{"anamnesis": {theirs}}}}}')

    assert main(["init", "--yes", "--local-only", "--no-sync"]) == 1
    assert "--name" in capsys.readouterr().err
    assert main(["init", "--yes", "--local-only", "--no-sync", "--name", "notes"]) == 0

    assert f'"anamnesis": {theirs}, "notes": {{' in servers.read_text()


def test_line_ends_of_a_toml_file_are_kept(home: Path, root: Path) -> None:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_bytes(b'model = "x"\r\n')

    set_up(root, agents="codex")

    assert config.read_bytes().count(b"\n") == config.read_bytes().count(b"\r\n") > 1


def test_what_is_not_a_file_is_neither_read_nor_replaced(home: Path, root: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    os.mkfifo(settings)

    assert main(["init", "--yes", "--local-only", "--no-sync"]) == 1

    assert settings.is_fifo()
    assert not root.exists()


def test_what_git_still_holds_is_said_before_the_notes_go(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(root, agents="claude")

    assert main(["uninstall", "--purge"]) == 1  # nobody is there to say yes

    assert "nowhere else" in capsys.readouterr().err
    assert root.exists()


def test_what_was_started_in_the_background_makes_no_store_again(root: Path) -> None:
    assert main(["embed", "--idle"]) == 0

    assert not root.exists()


def test_no_copy_of_the_account_file_is_left_although_it_has_changed_since(
    home: Path, root: Path
) -> None:
    account = home / ".claude.json"
    account.write_text('{"oauthAccount": {"email": "me@example.com"}}')
    set_up(root, agents="claude")
    account.write_text(account.read_text().replace("me@example.com", "new@example.com"))

    uninstall.leave(Home(root))

    assert account.read_text() == '{"oauthAccount": {"email": "new@example.com"}}'
    assert [name for name in files(home) if name.startswith(".claude.json")] == [".claude.json"]
