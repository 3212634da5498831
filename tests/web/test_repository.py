"""The notes of the repository in which the dashboard was started."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.store import MemoryStore
from support.team import Clone, Team

from .conftest import shown

ID = "01JREPO00000000000000000"


@pytest.fixture
def clone(tmp_path: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> Clone:
    clone = Team(tmp_path).clone("shop", "anna")
    clone.home = Home(store.home)
    clone.note(f"{ID}01", "Deploys need the tunnel.\n\n<script>alert(1)</script>", title="Deploys")
    (clone.top / ".anamnesis/memory/semantic/broken.md").write_text("no front matter\n")
    monkeypatch.chdir(clone.top)
    return clone


def test_they_are_shown_as_text_and_given_to_sessions_once_you_say_so(
    browser: TestClient, clone: Clone
) -> None:
    html = shown(browser, "/repository")
    assert "No session gets these notes" in html
    assert "Deploys" in html
    assert "broken.md" in html
    one = shown(browser, f"/repository?note=.anamnesis/memory/semantic/{ID}01.md")
    assert "need the tunnel" in one
    assert "<script>alert" not in one

    answer = browser.post("/repository", data={"trust": "yes"})

    assert answer.status_code == 303
    assert "Sessions in this repository get these notes" in shown(browser, "/repository")
    assert "need the tunnel" in clone.start()


def test_trust_needs_a_fresh_link_each_time(browser: TestClient, clone: Clone) -> None:
    browser.post("/repository", data={"trust": "yes"})

    answer = browser.post("/repository", data={"trust": "no"})

    assert answer.status_code != 303
    assert "need the tunnel" in clone.start()


def test_elsewhere_there_is_nothing_to_see(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert "No repository notes here" in shown(browser, "/repository")
    assert browser.post("/repository", data={"trust": "yes"}).status_code != 303
