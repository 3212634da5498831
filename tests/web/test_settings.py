"""Checks with remedies, and settings that are shown before they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.store import MemoryStore


@pytest.fixture
def claude(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with Claude Code on it, and nothing else."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


def _seal(html: str) -> str:
    found = re.search(r'name="seal" value="(\w+)"', html)
    assert found is not None
    return found[1]


def test_an_agents_settings_are_shown_as_a_difference_before_they_are_written(
    browser: TestClient, claude: Path
) -> None:
    claude.write_text('{"theme": "dark"}\n')
    html = browser.get("/settings").text

    assert "SessionStart" in html
    assert claude.read_text() == '{"theme": "dark"}\n'
    answer = browser.post("/settings/agents", data={"seal": _seal(html)})

    assert answer.status_code == 303
    assert "SessionStart" in claude.read_text()
    assert '"theme": "dark"' in claude.read_text()
    assert "set up and current" in browser.get("/settings").text


def test_what_was_not_shown_is_not_written(browser: TestClient, claude: Path) -> None:
    claude.write_text("{}\n")
    seal = _seal(browser.get("/settings").text)
    claude.write_text('{"theme": "light"}\n')

    assert browser.post("/settings/agents", data={"seal": seal}).status_code == 400
    assert claude.read_text() == '{"theme": "light"}\n'


def test_the_doctor_runs_when_asked(browser: TestClient, store: MemoryStore, claude: Path) -> None:
    html = browser.get("/settings", params={"doctor": "1"}).text

    assert "no agent was set up" in html
    assert "anamnesis init" in html
    assert "no agent was set up" not in browser.get("/settings").text
