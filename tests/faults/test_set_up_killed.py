"""kill -9 at every step of setting up and of leaving: the next run ends it, without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.config import Home
from anamnesis.onboard import uninstall
from support.onboard import files, folders, move_in, set_up

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.fleet import Victims


AGENTS = "codex,copilot,cursor"  # TOML, JSON, a file and a directory of our own, an empty file


def moved_to(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home of its own; gives where the store is."""
    home.mkdir()
    move_in(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ANAMNESIS_HOME", str(home / ".anamnesis"))
    return home / ".anamnesis"


def test_a_killed_set_up_is_finished_by_the_next_and_leaves_no_trace(
    victims: Victims, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, through = 0, False
    while not through:
        number += 1
        home = tmp_path / str(number)
        root = moved_to(home, monkeypatch)
        before = files(home), folders(home)

        through = victims.set_up(number, home, agents=AGENTS)

        set_up(root, agents=AGENTS)
        assert "anamnesis" in (home / ".cursor/mcp.json").read_text()
        uninstall.leave(Home(root))
        assert (files(home), folders(home)) == before, number
    assert number > 20


def test_leaving_that_was_killed_is_finished_by_the_next(
    victims: Victims, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, through = 0, False
    while not through:
        number += 1
        home = tmp_path / str(number)
        root = moved_to(home, monkeypatch)
        before = files(home), folders(home)
        set_up(root, agents=AGENTS)

        through = victims.set_up(number, home, agents=AGENTS, leave=True)

        uninstall.leave(Home(root))
        assert (files(home), folders(home)) == before, number
    assert number > 20
