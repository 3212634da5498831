"""Settling a note that was edited on two machines, with and without the merge editor."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Route, expect

from anamnesis.ground.records import replace
from anamnesis.operations.travel.sync import exchange
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of_this_machine
from anamnesis.web.serve import Server
from support.fleet import Machine

from .conftest import Visitor

BEFORE = "one\n\ntwo\n\nthree"
THERE = "one from the desk\n\ntwo\n\nthree of the desk"
HERE = "one from here\n\ntwo\n\nthree of here"


@pytest.fixture
def held(store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A note that was edited here and on the desk, in two places and in its title; and one more."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    (store.root / "config.json").write_text(json.dumps({"remote": str(remote)}))
    note = store.write(type="semantic", title="Shared", body=BEFORE)
    other = store.write(type="semantic", title="Other", body="before")
    exchange(backend_of_this_machine(), store=store)
    desk = Machine(tmp_path / "desk", str(remote))
    desk.sync()
    desk.edit(note.id, body=THERE, title="Shared, says the desk")
    desk.edit(other.id, body="other of the desk")
    assert desk.sync().pushed
    for note_id, text, title in (
        (note.id, HERE, "Shared, says the laptop"),
        (other.id, "other of here", "Other"),
    ):
        found = store.read(note_id)
        assert found is not None
        store.update(replace(found.note, body=text, title=title), expected_hash=found.hash)
    assert exchange(backend_of_this_machine(), store=store).result.conflicted
    return note.id


def test_a_conflict_is_resolved_part_by_part(visit: Visitor, store: MemoryStore, held: str) -> None:
    page = visit.go("/conflicts")
    page.get_by_role("link", name="Shared").click()
    assert visit.violations() == []

    page.get_by_role("group", name="Title").get_by_label("desk").check()
    expect(page.locator("#outcome .proposal-title")).to_have_text("Shared, says the desk")
    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    expect(page.locator("#outcome .prose")).to_contain_text("one from the desk")
    page.get_by_role("group", name="part 2").get_by_label("Both").check()
    expect(page.locator("#outcome")).to_be_in_viewport()
    colours = page.locator(".option-text .piece").evaluate_all(
        "each => [...new Set(each.map(one => getComputedStyle(one).backgroundColor))]"
    )
    assert len(colours) == 1  # neither side looks like the wrong one
    expect(page.locator("#outcome .prose")).to_contain_text("three of the desk")
    page.get_by_role("button", name="Save this selection").click()

    expect(page.locator(".toast")).to_contain_text("1 conflict left.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Other")  # the next one
    saved = store.get(held)
    assert saved is not None
    assert saved.title == "Shared, says the desk"
    assert saved.body == "one from the desk\n\ntwo\n\nthree of here\nthree of the desk"


def test_what_it_will_read_stands_beside_the_choice(visit: Visitor, held: str) -> None:
    page = visit.go(f"/conflicts/{held}")

    picks = page.locator("form.picks").bounding_box()
    outcome = page.locator("#outcome").bounding_box()

    assert picks is not None
    assert outcome is not None
    assert outcome["x"] >= picks["x"] + picks["width"]
    assert outcome["y"] < picks["y"] + 80
    assert outcome["width"] > 380


def test_a_conflict_is_resolved_without_scripts(
    chrome: Browser, server: Server, store: MemoryStore, held: str
) -> None:
    visitor = Visitor(chrome, server, java_script_enabled=False)
    page = visitor.go(f"/conflicts/{held}")

    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#outcome .prose")).to_contain_text("one from the desk")
    expect(page.get_by_role("group", name="part 1").get_by_label("desk").first).to_be_checked()
    page.get_by_role("button", name="Save this selection").click()

    expect(page.get_by_text("Resolved.")).to_be_visible()
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
    page.get_by_role("button", name="Use this part from the left").click()
    result.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(", agreed")
    page.get_by_role("button", name="Save the result").click()

    expect(page.get_by_text("Resolved.")).to_be_visible()
    saved = store.get(held)
    assert saved is not None
    assert saved.body == "one from the desk\n\ntwo\n\nthree of the desk, agreed"


def test_all_conflicts_are_resolved_with_one_side(
    visit: Visitor, store: MemoryStore, held: str
) -> None:
    page = visit.go("/fleet")
    page.get_by_role("button", name="Sync now").click()
    expect(page.locator(".toast")).to_contain_text("Synced: ")
    page.get_by_role("link", name="Resolve 2 conflicts").click()
    page.get_by_role("button", name="Take theirs for all 2").click()

    expect(page.locator(".toast")).to_contain_text("Took the other version of 2 notes.")
    expect(page.get_by_role("heading", name="No conflicts")).to_be_visible()
    assert {note.body for note in store.list()} == {THERE, "other of the desk"}


def test_a_conflict_is_named_where_its_note_is_and_kept_as_it_is_here(
    visit: Visitor, store: MemoryStore, held: str
) -> None:
    page = visit.go("/notes")
    expect(page.locator(".note-row").first.get_by_role("link", name="conflict")).to_be_visible()
    visit.go(f"/notes/{held}")
    assert visit.violations() == []
    page.get_by_role("link", name="Compare both versions and choose").click()
    expect(page.get_by_role("button", name="Take the one from desk")).to_be_visible()
    visit.go("/conflicts")
    page.get_by_role("button", name="Keep mine for all 2").click()

    expect(page.locator(".toast")).to_contain_text("Took this machine's version of 2 notes.")
    assert {note.body for note in store.list()} == {HERE, "other of here"}
    visit.go("/notes")
    expect(page.locator(".note-row").get_by_role("link", name="conflict")).to_have_count(0)


def test_a_resolved_conflict_is_taken_back_with_the_keyboard_even_after_a_restart(
    chrome: Browser, visit: Visitor, store: MemoryStore, held: str
) -> None:
    page = visit.go(f"/conflicts/{held}")
    page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    page.get_by_role("button", name="Save this selection").click()
    expect(page.locator(".toast")).to_contain_text("1 conflict left.")
    visit.go("/history?undo=1")  # which also records it in git
    expect(page.get_by_text("1 conflict resolved")).to_be_visible()

    with Server(store.root) as restarted:
        later = Visitor(chrome, restarted)
        again = later.go("/conflicts")
        expect(again.get_by_role("link", name="Shared")).to_have_count(0)
        again.keyboard.press("Control+z")

        expect(again.locator(".toast")).to_contain_text("Undone: 1 conflict resolved.")
        again.get_by_role("link", name="Shared").click()
        expect(again.get_by_role("group", name="part 1")).to_contain_text("one from the desk")
        saved = store.get(held)
        assert saved is not None
        assert saved.body == HERE
        later.go("/history")
        later.go(f"/conflicts/{held}")
        expect(again.get_by_role("group", name="part 1")).to_contain_text("one from the desk")
        later.context.close()


@pytest.mark.parametrize("asked", ["preview", "refresh"])
def test_what_the_page_asked_before_it_was_saved_is_not_answered_with_an_error(
    visit: Visitor, store: MemoryStore, held: str, asked: str
) -> None:
    late: list[Route] = []

    def answer(route: Route) -> None:
        if "choice=picked" not in (route.request.post_data or ""):
            late.append(route)
            return
        for each in late:
            with suppress(Error):  # the page no longer waits for it
                each.fulfill(status=404, body="It was resolved meanwhile.")
        route.continue_()

    page = visit.go(f"/conflicts/{held}")
    page.route(f"**/conflicts/{held}", answer)
    if asked == "preview":
        page.get_by_role("group", name="part 1").get_by_label("desk").first.check()
    else:
        store.write(type="semantic", title="New", body="Written meanwhile.")
    for _ in range(200):
        if late:
            break
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Save this selection").click()

    expect(page.locator(".toast")).to_contain_text("1 conflict left.")
    assert late


def test_all_conflicts_that_were_resolved_together_come_back_together(
    visit: Visitor, store: MemoryStore, held: str
) -> None:
    before = {note.body for note in store.list()}
    page = visit.go("/conflicts")
    page.get_by_role("button", name="Take theirs for all 2").click()

    page.locator(".toast").get_by_role("button", name="Undo").click()

    expect(page.get_by_role("button", name="Take theirs for all 2")).to_be_visible()
    assert {note.body for note in store.list()} == before


def test_a_conflict_is_accessible_and_fits_on_a_phone(
    chrome: Browser, server: Server, held: str
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": 360, "height": 740})
    page = visitor.go(f"/conflicts/{held}")

    assert visitor.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    save = page.get_by_role("button", name="Save this selection").bounding_box()
    pages = page.locator("nav.side").bounding_box()
    assert save is not None
    assert pages is not None
    assert save["y"] + save["height"] <= pages["y"]
    visitor.context.close()
