"""Settling a note that was edited on two machines, with and without the merge editor."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from anamnesis.ground.records import replace
from anamnesis.operations.travel.sync import synchronise
from anamnesis.store import MemoryStore
from anamnesis.sync.machine import backend_of_this_machine
from anamnesis.web.serve import Server
from support.fleet import Machine

from .conftest import Visitor

BEFORE = "one\n\ntwo\n\nthree"
THERE = "one from the desk\n\ntwo\n\nthree of the desk"
HERE = "one from here\n\ntwo\n\nthree of here"


@pytest.fixture
def held(store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A note that was edited here and on the desk, in two places and in its title."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    (store.root / "config.json").write_text(json.dumps({"remote": str(remote)}))
    note = store.write(type="semantic", title="Shared", body=BEFORE)
    synchronise(backend_of_this_machine(), store=store)
    desk = Machine(tmp_path / "desk", str(remote))
    desk.sync()
    desk.edit(note.id, body=THERE, title="Shared, says the desk")
    desk.sync()
    found = store.read(note.id)
    assert found is not None
    changed = replace(found.note, body=HERE, title="Shared, says the laptop")
    store.update(changed, expected_hash=found.hash)
    assert synchronise(backend_of_this_machine(), store=store).result.conflicted
    return note.id


def test_a_conflict_is_settled_part_by_part(visit: Visitor, store: MemoryStore, held: str) -> None:
    page = visit.go("/conflicts")
    page.get_by_role("link", name="Shared").click()
    assert visit.violations() == []

    page.get_by_role("group", name="Title").get_by_label("desk").check()
    expect(page.locator("#outcome .proposal-title")).to_have_text("Shared, says the desk")
    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    expect(page.locator("#outcome .prose")).to_contain_text("one from the desk")
    page.get_by_role("group", name="part 2").get_by_label("Both").check()
    expect(page.locator("#outcome .prose")).to_contain_text("three of the desk")
    page.get_by_role("button", name="Save what is picked").click()

    expect(page.get_by_text("Settled.")).to_be_visible()
    saved = store.get(held)
    assert saved is not None
    assert saved.title == "Shared, says the desk"
    assert saved.body == "one from the desk\n\ntwo\n\nthree of here\nthree of the desk"


def test_a_conflict_is_settled_without_scripts(
    chrome: Browser, server: Server, store: MemoryStore, held: str
) -> None:
    visitor = Visitor(chrome, server, java_script_enabled=False)
    page = visitor.go(f"/conflicts/{held}")

    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#outcome .prose")).to_contain_text("one from the desk")
    expect(page.get_by_role("group", name="part 1").get_by_label("desk").first).to_be_checked()
    page.get_by_role("button", name="Save what is picked").click()

    expect(page.get_by_text("Settled.")).to_be_visible()
    saved = store.get(held)
    assert saved is not None
    assert saved.body == "one from the desk\n\ntwo\n\nthree of here"
    visitor.context.close()


def test_the_result_is_finished_in_the_merge_editor(
    visit: Visitor, store: MemoryStore, held: str
) -> None:
    page = visit.go(f"/conflicts/{held}")
    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()

    page.get_by_role("button", name="Edit the result by hand").click()
    result = page.locator(".cm-merge-b .cm-content")
    expect(result).to_contain_text("one from the desk")
    assert visit.violations() == []
    page.get_by_role("button", name="Take this part from the left").click()
    result.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(", agreed")
    page.get_by_role("button", name="Save the result").click()

    expect(page.get_by_text("Settled.")).to_be_visible()
    saved = store.get(held)
    assert saved is not None
    assert saved.body == "one from the desk\n\ntwo\n\nthree of the desk, agreed"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_conflict_is_accessible_and_fits_on_a_phone(
    chrome: Browser, server: Server, held: str, colours: str
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": 360, "height": 740}, color_scheme=colours)
    page = visitor.go(f"/conflicts/{held}")

    assert visitor.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    visitor.context.close()
