"""A secret that a person typed: they are told, it goes nowhere, and one click replaces it."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from anamnesis.notes.note import Memory
from anamnesis.store import MemoryStore

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
WARNING = "This note stays on this machine: it seems to hold a secret (github token)"


@pytest.fixture
def note(browser: TestClient, store: MemoryStore) -> Memory:
    """A note into which a person put a secret."""
    written = store.write(type="semantic", title="CI", body="one")
    found = store.read(written.id)
    assert found is not None
    form = {"hash": found.hash, "title": "CI", "body": f"the token is {SECRET}, rotate it"}
    answer = browser.post(f"/notes/{written.id}", data=form)
    assert 'class="toast trouble"' in browser.get(answer.headers["location"]).text
    return written


def _redacted(browser: TestClient, store: MemoryStore, note: Memory) -> str:
    found = store.read(note.id)
    assert found is not None
    answer = browser.post(f"/notes/{note.id}/redact", data={"hash": found.hash})
    assert answer.status_code == 303
    return browser.get(answer.headers["location"]).text


def test_a_persons_words_are_saved_as_they_are(store: MemoryStore, note: Memory) -> None:
    saved = store.get(note.id)

    assert saved is not None
    assert SECRET in saved.body


def test_the_person_is_told_as_long_as_it_is_so(browser: TestClient, note: Memory) -> None:
    for view in ("", "/source"):
        assert WARNING in browser.get(f"/notes/{note.id}{view}").text


def test_a_secret_is_not_recorded(browser: TestClient, note: Memory) -> None:
    assert "No version is recorded yet" in browser.get(f"/notes/{note.id}/history").text


def test_one_click_replaces_it_and_lets_the_note_travel(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    page = _redacted(browser, store, note)

    assert WARNING not in page
    saved = store.get(note.id)
    assert saved is not None
    assert saved.body == "the token is [redacted: github token], rotate it"
    assert "1 recorded version" in browser.get(f"/notes/{note.id}/history").text


def test_a_new_note_with_a_secret_is_told_of_too(browser: TestClient) -> None:
    answer = browser.post("/new", data={"title": "CI", "body": SECRET})

    assert WARNING in browser.get(answer.headers["location"]).text


def test_a_value_that_was_allowed_is_no_secret(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    (store.root / "redact-allow.txt").write_text(f"{SECRET}\n")

    assert WARNING not in browser.get(f"/notes/{note.id}").text


def test_a_note_that_stays_here_anyway_may_hold_one(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    store.move(note.id, "machine-local")

    assert WARNING not in browser.get(f"/notes/{note.id}").text


def test_a_note_that_changed_meanwhile_is_not_touched(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    answer = browser.post(f"/notes/{note.id}/redact", data={"hash": "of another text"})

    assert answer.status_code == 409
    saved = store.get(note.id)
    assert saved is not None
    assert SECRET in saved.body


def test_scripts_are_told_as_well(browser: TestClient, note: Memory) -> None:
    made = browser.post("/api/notes", json={"title": "CI", "body": SECRET}).json()

    assert WARNING in made["notice"]
    assert WARNING in browser.get(f"/api/notes/{note.id}").json()["notice"]
    plain = browser.post("/api/notes", json={"title": "CI", "body": "plain"}).json()
    assert "notice" not in plain
