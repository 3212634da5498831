"""Settings and hooks: seen as a difference, then written."""

from __future__ import annotations

import subprocess
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

    page.get_by_role("button", name="Write these changes for Claude Code").click()

    expect(page.get_by_role("status")).to_contain_text("1 agent set up.")
    expect(page.locator("#agents")).to_contain_text("Claude Code: set up and current.")
    assert "SessionStart" in claude.read_text()
    assert '"theme": "dark"' in claude.read_text()


def test_settings_are_changed_in_place_after_their_difference_was_seen(
    visit: Visitor, root: Path, tmp_path: Path
) -> None:
    page = visit.go("/settings")
    row = page.locator("#setting-meaning")
    expect(row).to_contain_text("Also find notes by related words. Default: on.")
    expect(row.get_by_role("switch", name="Related words")).to_be_checked()
    row.get_by_role("switch").click()
    expect(row.locator("tr.added", has_text='"meaning": "0"')).to_be_visible()
    assert not (root / "config.json").exists()

    row.get_by_role("button", name="Write this change").click()

    expect(page.get_by_role("status")).to_contain_text("Setting saved.")
    expect(row.get_by_role("switch")).not_to_be_checked()
    expect(row.locator(".badge")).to_have_text("config.json")
    assert (root / "config.json").read_text() == '{\n  "meaning": "0"\n}\n'

    days = page.locator("#setting-archive_days")
    expect(days).to_contain_text("A whole number below a million. Default: 400.")
    days.get_by_label("Keep sessions for, in days").fill("30")
    days.get_by_role("button", name="Change archive_days").click()
    expect(days.locator("tr.added", has_text='"archive_days": "30"')).to_be_visible()
    treatment = page.locator("#setting-trust_web").get_by_role("combobox")
    assert treatment.locator("option").all_inner_texts() == [
        "give it to sessions", "wait for my review", "find it by search only",
    ]  # fmt: skip
    treatment.select_option("search")  # which shows the change, as every choice acts at once
    expect(page.locator("#setting-trust_web tr.added").last).to_contain_text(
        '"trust_web": "search"'
    )
    secret = page.locator("#setting-reflection_api_key")
    key = secret.locator("input[type=password]")
    expect(key).to_have_attribute("placeholder", "none")
    key.fill("sk-very-secret")
    secret.get_by_role("button", name="Change reflection_api_key").click()
    expect(secret.locator(".diff")).to_be_visible()
    expect(secret.locator(".diff")).not_to_contain_text("sk-very-secret")
    expect(page.locator("#setting-sealed button")).to_have_count(0)

    page.get_by_role("button", name="Test the model").click()
    expect(page.get_by_role("status")).to_contain_text("no model is used; nothing to test")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "memory.git")], check=True)
    page.locator("#setting-remote input[name=value]").fill(str(tmp_path / "memory.git"))
    page.get_by_role("button", name="Change remote").click()
    page.get_by_role("button", name="Write this change").click()
    page.get_by_role("button", name="Test the remote").click()
    expect(page.get_by_role("status")).to_contain_text("a commit was sent and came back")
    page.get_by_role("button", name="Use the default of meaning").click()
    page.get_by_role("button", name="Write this change").click()
    expect(row.get_by_role("switch")).to_be_checked()

    page.evaluate(
        """() => new MutationObserver(() => {
          const strip = document.querySelector('#progress:has(progress)');
          if (strip) sessionStorage.seen = strip.textContent;
        }).observe(document.body, {childList: true, subtree: true})"""
    )  # Playwright looks at nothing while a page is on its way
    page.get_by_role("link", name="Run all checks").click()
    expect(page.get_by_role("link", name="Quick checks only")).to_be_visible()
    assert "Running all checks" in page.evaluate("sessionStorage.seen")


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark phone"])
def test_what_would_be_written_is_accessible_and_fits(
    chrome: Browser, server: Server, claude: Path, look: dict[str, Any]
) -> None:
    visitor = Visitor(chrome, server, **look)
    page = visitor.go("/settings")
    for summary in page.locator("#agents summary").all():
        summary.click()
    assert visitor.violations() == []
    page.get_by_label("Machine name").fill("box")
    page.get_by_role("button", name="Change machine_id").click()
    expect(page.locator("#change-machine_id .diff")).to_be_visible()

    assert visitor.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.context.close()
