"""A secret in a note: what is typed is replaced, and what is there already goes nowhere."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
REPLACED = "Secrets were replaced before storing: github token."
WARNING = "This note is not synced: it seems to hold a secret (github token)"


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    """A note that got its secret by another way than a face: an editor, another version."""
    return store.write(type="semantic", title="CI", body=f"the token is {SECRET}, rotate it")


def _saved(browser: TestClient, store: MemoryStore, note: Memory, body: str) -> str:
    found = store.read(note.id)
    assert found is not None
    form = {"hash": found.hash, "title": note.title, "body": body}
    answer = browser.post(f"/notes/{note.id}", data=form)
    assert answer.status_code == 303
    return browser.get(answer.headers["location"]).text


def _redacted(browser: TestClient, store: MemoryStore, note: Memory) -> str:
    found = store.read(note.id)
    assert found is not None
    answer = browser.post(f"/notes/{note.id}/redact", data={"hash": found.hash})
    assert answer.status_code == 303
    return browser.get(answer.headers["location"]).text


def test_a_secret_that_an_edit_brings_in_is_replaced_and_told_of(
    browser: TestClient, store: MemoryStore
) -> None:
    plain = store.write(type="semantic", title="CI", body="one")

    page = _saved(browser, store, plain, f"the token is {SECRET}")

    saved = store.get(plain.id)
    assert saved is not None
    assert saved.body == "the token is [redacted: github token]"
    assert 'class="toast trouble"' in page
    assert REPLACED in page
    assert WARNING not in page


def test_what_was_replaced_is_put_back_from_the_list_of_changes(
    browser: TestClient, store: MemoryStore
) -> None:
    plain = store.write(type="semantic", title="CI", body="one")
    page = _saved(browser, store, plain, f"the token is {SECRET}")
    ending = page.partition("back:  anamnesis undo ")[2][:8]
    listed = browser.get("/history?undo=1").text

    answer = browser.post("/undo", data={"unit": ending, "back": "/history?undo=1"})

    saved = store.get(plain.id)
    assert "secrets replaced in 1 note" in listed
    assert SECRET not in listed
    assert answer.status_code == 303
    assert saved is not None
    assert saved.body == f"the token is {SECRET}"


def test_a_secret_that_was_there_before_an_edit_stays(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    page = _saved(browser, store, note, f"{note.body} soon")

    saved = store.get(note.id)
    assert saved is not None
    assert SECRET in saved.body
    assert WARNING in page


def test_a_secret_as_the_tag_of_many_notes_is_replaced(
    browser: TestClient, store: MemoryStore
) -> None:
    notes = [store.write(type="semantic", title=title, body="b") for title in ("one", "two")]

    form = {"act": "tag", "tag": SECRET, "id": [note.id for note in notes]}
    page = browser.get(browser.post("/notes", data=form).headers["location"]).text

    assert [note.tags for note in store.list()] == [["[redacted: github token]"]] * 2
    assert REPLACED in page


def test_the_person_is_told_as_long_as_it_is_so(browser: TestClient, note: Memory) -> None:
    for view in ("", "/source"):
        assert WARNING in browser.get(f"/notes/{note.id}{view}").text


def test_a_secret_is_not_recorded(browser: TestClient, store: MemoryStore, note: Memory) -> None:
    _saved(browser, store, note, f"{note.body} soon")

    assert "No versions yet" in browser.get(f"/notes/{note.id}/history").text


def test_one_click_replaces_it_and_lets_the_note_travel(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    page = _redacted(browser, store, note)

    assert WARNING not in page
    saved = store.get(note.id)
    assert saved is not None
    assert saved.body == "the token is [redacted: github token], rotate it"
    assert "1 recorded version" in browser.get(f"/notes/{note.id}/history").text


def test_a_secret_in_a_new_note_is_replaced_and_told_of(
    browser: TestClient, store: MemoryStore
) -> None:
    answer = browser.post("/new", data={"title": "CI", "body": SECRET})

    assert REPLACED in browser.get(answer.headers["location"]).text
    assert [note.body for note in store.list()] == ["[redacted: github token]"]


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

    assert made["notice"] == REPLACED
    assert SECRET not in made["body"]
    assert WARNING in browser.get(f"/api/notes/{note.id}").json()["notice"]
    plain = browser.post("/api/notes", json={"title": "CI", "body": "plain"}).json()
    assert "notice" not in plain
