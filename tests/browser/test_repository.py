"""The page of the repository's notes in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from anamnesis.config import Home
from anamnesis.store import MemoryStore
from support.team import Team

from .conftest import Visitor


def test_they_are_read_and_then_trusted_with_a_click(
    visit: Visitor, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = Team(tmp_path).clone("shop", "anna")
    clone.home = Home(store.home)
    body = "Deploys need the tunnel.\n\n<img src=x onerror=alert(1)>"
    clone.note("01JREPO0000000000000000001", body, title="Deploys")
    monkeypatch.chdir(clone.top)

    page = visit.go("/repository")
    assert visit.violations() == []
    page.get_by_role("link", name="Deploys").click()
    expect(page.get_by_role("article")).to_contain_text("need the tunnel")
    expect(page.locator("article img")).to_have_count(0)
    assert visit.violations() == []
    assert "need the tunnel" not in clone.start()

    page.get_by_role("button", name="Trust them").click()

    expect(page.get_by_role("button", name="No longer")).to_be_visible()
    assert visit.violations() == []
    assert "need the tunnel" in clone.start()
