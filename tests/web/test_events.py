"""An open page learns that notes changed on disk, without holding a connection."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from anamnesis.notes.note import Memory
from anamnesis.store import MemoryStore


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed")


def _id(answer: str) -> str:
    return next(line[4:] for line in answer.splitlines() if line.startswith("id: "))


def test_every_answer_ends_at_once_so_that_tabs_do_not_use_up_the_connections(
    browser: TestClient, note: Memory
) -> None:
    answer = browser.get("/events")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.startswith("retry: ")
    assert "event:" not in answer.text


def test_a_page_that_was_old_when_it_was_opened_is_told_what_the_note_is(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    assert store.read(note.id).hash in browser.get(f"/events?note={note.id}").text  # type: ignore[union-attr]


def test_a_list_is_told_once_of_what_changed_since_it_last_asked(
    browser: TestClient, store: MemoryStore
) -> None:
    seen = _id(browser.get("/events").text)
    store.write(type="semantic", title="one more", body="")

    told = browser.get("/events", headers={"last-event-id": seen}).text

    assert "event: changed" in told
    assert "event:" not in browser.get("/events", headers={"last-event-id": _id(told)}).text


def test_a_note_that_another_program_edited_in_place_is_told_at_the_next_look(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    address = f"/events?note={note.id}"
    seen = _id(browser.get(address).text)
    file = store.memory_dir / "semantic" / f"{note.id}.md"
    file.write_text(file.read_text().replace("needed", "not needed"))

    told = browser.get(address, headers={"last-event-id": seen}).text

    assert "event: changed" in told
    assert store.read(note.id).hash in told  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["no front matter", ""])
def test_a_note_that_is_gone_or_cannot_be_read_any_more_is_told(
    browser: TestClient, store: MemoryStore, note: Memory, text: str
) -> None:
    address = f"/events?note={note.id}"
    seen = _id(browser.get(address).text)
    file = store.memory_dir / "semantic" / f"{note.id}.md"
    file.write_text(text) if text else file.unlink()

    told = browser.get(address, headers={"last-event-id": seen}).text

    assert '"hash": ""' in told


@pytest.mark.parametrize("asked", ["", "..%2fconfig", "x" * 90, "%0aevent: changed"])
def test_what_is_asked_cannot_forge_an_event(browser: TestClient, asked: str) -> None:
    answer = browser.get(f"/events?note={asked}")

    assert answer.status_code == 200
    assert "event:" not in answer.text
