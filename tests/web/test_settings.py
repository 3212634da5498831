"""Checks with remedies, and settings that are shown before they are written."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.onboard import planning_setup
from anamnesis.onboard.planning_setup import Wishes
from anamnesis.store import MemoryStore
from anamnesis.web.security import Keys

from .conftest import shown


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
    html = shown(browser, "/settings?doctor=1")

    assert "no agent is set up" in html
    assert "anamnesis init" in html
    assert "no agent is set up" not in browser.get("/settings").text


def test_every_setting_is_listed_with_who_named_it(
    browser: TestClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    root.mkdir(exist_ok=True)
    (root / "config.json").write_text('{"meaning": "0"}')

    html = browser.get("/settings").text

    rows = dict(re.findall(r'id="setting-(\w+)".*?class="badge"[^>]*>(.*?)<', html, re.DOTALL))
    assert rows["meaning"] == "config.json"
    assert rows["semantic"] == "ANAMNESIS_SEMANTIC"
    assert rows["reflect_auto"] == "default"


def test_a_setting_is_shown_as_a_difference_before_it_is_written(
    browser: TestClient, root: Path
) -> None:
    file = root / "config.json"
    file.write_text('{\n  "display_name": "box"\n}\n')
    change = {"key": "meaning", "value": "0"}
    html = browser.post("/settings/config", data=change).text

    assert "&#34;meaning&#34;: &#34;0&#34;" in html.replace('<span class="piece">', "")
    assert file.read_text() == '{\n  "display_name": "box"\n}\n'
    answer = browser.post("/settings/config", data={**change, "seal": _seal(html)})

    assert answer.status_code == 303
    assert file.read_text() == '{\n  "display_name": "box",\n  "meaning": "0"\n}\n'


def test_a_setting_goes_back_to_its_default(browser: TestClient, root: Path) -> None:
    file = root / "config.json"
    file.write_text('{"meaning": "0"}\n')
    change = {"key": "meaning", "value": "0", "unset": "1"}
    seal = _seal(browser.post("/settings/config", data=change).text)

    browser.post("/settings/config", data={**change, "seal": seal})

    assert file.read_text() == "{}\n"


def test_a_file_that_changed_since_it_was_shown_is_shown_again_and_not_written(
    browser: TestClient, root: Path
) -> None:
    change = {"key": "meaning", "value": "0"}
    seal = _seal(browser.post("/settings/config", data=change).text)
    (root / "config.json").write_text('{"semantic": "1"}')

    answer = browser.post("/settings/config", data={**change, "seal": seal})

    assert answer.status_code == 409
    assert "semantic" in answer.text
    assert (root / "config.json").read_text() == '{"semantic": "1"}'


@pytest.mark.parametrize(
    ("key", "value"),
    [("meaning", "perhaps"), ("nothing", "1"), ("remote", "--upload=x"), ("machine_id", "../x")],
)  # fmt: skip
def test_a_value_that_makes_no_sense_is_refused(
    browser: TestClient, root: Path, key: str, value: str
) -> None:
    answer = browser.post("/settings/config", data={"key": key, "value": value})

    assert answer.status_code == 400
    assert not (root / "config.json").exists()


def test_a_key_is_not_shown_in_the_difference(browser: TestClient, root: Path) -> None:
    (root / "config.json").write_text('{\n  "reflection_api_key": "sk-old-hunter2"\n}\n')

    html = browser.post("/settings/config", data={"key": "meaning", "value": "0"}).text

    assert "hunter2" not in html


def test_a_setting_that_the_environment_names_says_that_it_stays_stronger(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_MEANING", "1")

    html = browser.post("/settings/config", data={"key": "meaning", "value": "0"}).text

    assert "ANAMNESIS_MEANING" in html


def test_settings_that_are_broken_are_not_written_over(browser: TestClient, root: Path) -> None:
    (root / "config.json").write_text("{ not json")

    answer = browser.post("/settings/config", data={"key": "meaning", "value": "0"})

    assert "is not a JSON object" in answer.text
    assert (root / "config.json").read_text() == "{ not json"


@pytest.mark.parametrize(("wanted", "receipt"), [(True, "lost"), (False, "kept")])
def test_an_agent_that_is_set_up_is_never_said_to_be_missing(
    browser: TestClient, root: Path, home: Path, wanted: bool, receipt: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    wishes = Wishes(machine_id="desk", install_id="01", agents="claude", hooks=wanted, mcp=wanted)
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)
    if receipt == "lost":
        shutil.rmtree(root / "state")

    html = shown(browser, "/settings?doctor=1")

    assert html.count("set up and current") == 2
    assert "No coding agent was found" not in html
    assert "no agent is set up" not in html


def test_a_setting_that_runs_a_command_is_never_set_here(browser: TestClient, root: Path) -> None:
    form = {"key": "reflection_api_key_command", "value": "cat /etc/passwd"}

    answer = browser.post("/settings/config", data=form)

    assert answer.status_code == 400
    assert "anamnesis config set" in answer.text


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/settings/config", {"key": "remote", "value": "/tmp/elsewhere.git"}),
        ("/settings/config", {"key": "reflection_base_url", "value": "https://evil.example"}),
        ("/settings/agents", {"seal": "x"}),
    ],
)
def test_what_decides_where_notes_go_asks_for_a_fresh_link(
    browser: TestClient, keys: Keys, address: str, form: dict[str, str]
) -> None:
    assert browser.post(address, data=form).status_code != 403
    for session in keys.sessions:
        keys._store(replace(session, opened=session.opened - 3600))

    answer = browser.post(address, data=form)

    assert answer.status_code == 403
    assert "fresh link" in answer.text
