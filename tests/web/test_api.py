"""The JSON interface: the same operations, the same guards."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.history import undo
from anamnesis.store import MemoryStore


def test_a_note_is_written_read_changed_and_deleted(
    browser: TestClient, store: MemoryStore
) -> None:
    made = browser.post("/api/notes", json={"title": "a", "body": "b", "tags": ["x"]})
    assert made.status_code == 201
    note_id, hash = made.json()["id"], made.json()["hash"]

    changed = browser.put(f"/api/notes/{note_id}", json={"hash": hash, "body": "c"})
    assert changed.json()["body"] == "c"
    assert changed.json()["tags"] == ["x"]
    assert browser.get(f"/api/notes/{note_id}").json() == changed.json()

    stale = browser.put(f"/api/notes/{note_id}", json={"hash": hash, "body": "d"})
    assert stale.status_code == 409
    assert "changed on disk" in stale.json()["error"]

    deleted = browser.delete(f"/api/notes/{note_id}").json()
    [delete, _edit] = undo.undoable(Home(store.root))
    assert deleted == {"deleted": note_id, "undo": delete.id}
    assert store.list() == []


def test_notes_are_listed_and_searched(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="the vpn", body="hangs", project="p")
    store.write(type="episodic", title="other", body="thing")

    listed = browser.get("/api/notes", params={"limit": 1}).json()
    found = browser.get("/api/notes", params={"q": "vpn"}).json()

    assert listed["total"] == 2
    assert len(listed["notes"]) == 1
    assert [note["title"] for note in found["notes"]] == ["the vpn"]
    assert found["notes"][0]["matched"] == ["vpn"]
    assert browser.get("/api/notes", params={"project": "p"}).json()["total"] == 1


def test_what_is_wrong_is_said_in_json(browser: TestClient) -> None:
    for body in (b"{", b"[]", b'{"title": 3}', b'{"title": "t", "tags": "x"}', b'{"title": ""}'):
        answer = browser.post("/api/notes", content=body)
        assert answer.status_code == 400
        assert answer.json()["error"]
    assert browser.get("/api/notes/NOSUCH").json()["error"] == "There is no note NOSUCH."
    assert browser.get("/api/nothing").status_code == 404


def test_the_status_says_what_the_command_says(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="t", body="")

    status = browser.get("/api/status").json()

    assert status["total"] == 1
    assert status["root"] == str(store.root)
    assert status["unreadable"] == []


def test_the_palette_offers_pages_and_notes(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="the settings of the build", body="")

    entries = browser.get("/api/palette", params={"q": "settings"}).json()["entries"]

    assert [entry["kind"] for entry in entries] == ["page", "semantic"]


@pytest.mark.parametrize(
    "content",
    [
        b'{"title": "half \\ud83d"}', b'{"title": "t", "tags": ["\\udc00"]}', b"\xff",
        b'{"title": "t", "confidence": NaN}', b'{"title": "t", "confidence": 1e999}',
    ],
)  # fmt: skip
def test_what_no_file_can_hold_is_refused(
    browser: TestClient, store: MemoryStore, content: bytes
) -> None:
    answer = browser.post("/api/notes", content=content)

    assert answer.status_code == 400
    assert answer.json()["error"]
    assert store.list() == []
