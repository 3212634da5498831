"""Notes whose code moved on, in the dashboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from starlette.testclient import TestClient

from anamnesis.operations.notes import anchors
from anamnesis.store import MemoryStore
from support.code import NOTE, CodeRepository

from .conftest import shown


def test_a_note_whose_code_changed_is_confirmed_for_the_selection_and_undone(
    browser: TestClient, store: MemoryStore, tmp_path: Path
) -> None:
    code = CodeRepository(tmp_path / "shop")
    tied = anchors.tied(NOTE, str(code.top))
    id = store.write(type="semantic", title="Limit", body=NOTE, project="shop").id
    store.revise(id, lambda now: replace(now, anchors=tied))
    by = code.change()
    anchors.look(store, directory=str(code.top), project="shop")

    note_page = shown(browser, f"/notes/{id}")
    compared = browser.post(
        "/tidy", data={"view": "stale", "project": "shop", "directory": str(code.top)}
    )
    listed = shown(browser, compared.headers["location"])
    done = browser.post("/notes", data={"id": id, "act": "confirm", "back": "/tidy?view=stale"})
    after = shown(browser, done.headers["location"])
    confirmed = store.require(id).note.anchors

    assert f"charge in pay.py changed in {by}" in note_page
    assert f"charge in pay.py changed in {by}" in listed
    assert "Still holds" in listed
    assert "1 note still holds." in after
    assert confirmed != tied
    assert "charge in pay.py changed" not in shown(browser, f"/notes/{id}")

    browser.post("/undo", data={"latest": "1"})

    assert store.require(id).note.anchors == tied


def test_nothing_is_confirmed_before_the_notes_were_compared_with_a_folder(
    browser: TestClient, store: MemoryStore
) -> None:
    id = store.write(type="semantic", title="Limit", body=NOTE, project="shop").id

    answer = browser.post("/notes", data={"id": id, "act": "confirm"})

    assert answer.status_code == 400
    assert "not compared with a folder" in answer.text
