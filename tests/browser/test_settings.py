"""Settings and hooks: seen as a difference, then written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from anamnesis.web.serve import Server

from .conftest import Visitor

LOOKS: list[dict[str, Any]] = [
    {"color_scheme": "light"},
    {"color_scheme": "dark", "viewport": {"width": 390, "height": 780}},
]


@pytest.fixture
def claude(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with Claude Code on it, and a hook of the person's own."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (home / ".claude").mkdir()
    file = home / ".claude" / "settings.json"
    file.write_text('{\n  "theme": "dark"\n}\n')
    return file


def test_the_hooks_of_an_agent_are_written_after_they_were_seen(
    visit: Visitor, claude: Path
) -> None:
    page = visit.go("/settings")
    page.get_by_text("hooks and permissions").click()
    expect(page.locator("tr.added", has_text="SessionStart").first).to_be_visible()
    assert "SessionStart" not in claude.read_text()

    page.get_by_role("button", name="Write these changes").click()

    expect(page.get_by_role("status")).to_contain_text("The agents are set up.")
    expect(page.locator("#agents")).to_contain_text("Claude Code: set up and current.")
    assert "SessionStart" in claude.read_text()
    assert '"theme": "dark"' in claude.read_text()


def test_a_setting_is_written_after_its_difference_was_seen(visit: Visitor, root: Path) -> None:
    page = visit.go("/settings")
    page.get_by_label("Set", exact=True).select_option("meaning")
    page.get_by_label("to", exact=True).fill("0")
    page.get_by_role("button", name="Show the change").click()
    expect(page.locator("tr.added", has_text='"meaning": "0"')).to_be_visible()
    assert not (root / "config.json").exists()

    page.get_by_role("button", name="Write this change").click()

    expect(page.get_by_role("status")).to_contain_text("The setting was written.")
    expect(page.locator("tr", has_text="meaning")).to_contain_text(["config.json"])
    assert (root / "config.json").read_text() == '{\n  "meaning": "0"\n}\n'


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark phone"])
def test_what_would_be_written_is_accessible_and_fits(
    chrome: Browser, server: Server, claude: Path, look: dict[str, Any]
) -> None:
    visitor = Visitor(chrome, server, **look)
    page = visitor.go("/settings")
    for summary in page.locator("#agents summary").all():
        summary.click()
    assert visitor.violations() == []
    page.get_by_label("to", exact=True).fill("box")
    page.get_by_role("button", name="Show the change").click()
    expect(page.locator(".diff")).to_be_visible()

    assert visitor.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.context.close()
