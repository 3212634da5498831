"""An open page learns that notes changed on disk, and only that."""

from __future__ import annotations

import os

import pytest
from starlette.testclient import TestClient

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed")


def _news(browser: TestClient, note_id: str = "") -> dict[str, str]:
    answer = browser.get("/events", params={"note": note_id})
    assert answer.status_code == 200
    news: dict[str, str] = answer.json()
    return news


def _look_at_every_file(browser: TestClient) -> None:
    browser.app.state.dashboard._next_full_refresh = 0  # type: ignore[attr-defined]


def test_a_page_is_told_what_its_note_is(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    assert _news(browser, note.id)["hash"] == store.read(note.id).hash  # type: ignore[union-attr]


def test_a_written_note_is_news_once(browser: TestClient, store: MemoryStore) -> None:
    before = _news(browser)
    store.write(type="semantic", title="one more", body="")

    after = _news(browser)

    assert after["notes"] != before["notes"]
    assert _news(browser) == after


def test_what_says_the_same_is_no_news(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    before = _news(browser)

    for _ in range(3):  # the index looks at every file, which another program only touched
        os.utime(store.memory_dir / "semantic" / f"{note.id}.md")
        _look_at_every_file(browser)
        assert _news(browser)["notes"] == before["notes"]
    store.reindex()
    assert _news(browser)["notes"] == before["notes"]


def test_looking_at_every_file_writes_nothing_if_nothing_changed(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    store.refresh()
    os.utime(store.memory_dir / "semantic" / f"{note.id}.md", ns=(1, 1))
    store.refresh()
    before = store.ask(lambda db: db.total_changes)

    store.refresh()

    assert store.ask(lambda db: db.total_changes) == before


def test_a_note_that_another_program_edited_in_place_is_told_at_the_next_full_refresh(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    before = _news(browser, note.id)
    file = store.memory_dir / "semantic" / f"{note.id}.md"
    file.write_text(file.read_text().replace("needed", "not needed"))

    assert _news(browser, note.id)["hash"] not in ("", before["hash"])
    _look_at_every_file(browser)
    assert _news(browser)["notes"] != before["notes"]


@pytest.mark.parametrize("text", ["no front matter", ""])
def test_a_note_that_is_gone_or_cannot_be_read_any_more_is_told(
    browser: TestClient, store: MemoryStore, note: Memory, text: str
) -> None:
    file = store.memory_dir / "semantic" / f"{note.id}.md"
    file.write_text(text) if text else file.unlink()

    assert _news(browser, note.id)["hash"] == ""


@pytest.mark.parametrize("asked", ["", "../config", "x" * 90, "\nevent: changed"])
def test_what_is_no_note_has_no_hash(browser: TestClient, asked: str) -> None:
    assert _news(browser, asked)["hash"] == ""
