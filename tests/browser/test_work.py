"""Finding one's way and getting work done: search, palette, history, and what takes a while."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.notes.fields import new_id
from anamnesis.operations.curate import dedup
from anamnesis.operations.travel import sealed
from anamnesis.store import MemoryStore
from anamnesis.web.dashboard import Job
from support.fleet import Machine

from .conftest import Visitor

if TYPE_CHECKING:
    from anamnesis.ground.counting import Progress

if TYPE_CHECKING:
    pass


def _edit(store: MemoryStore, note_id: str, body: str) -> None:
    found = store.read(note_id)
    assert found is not None
    store.update(replace(found.note, body=body), expected_hash=found.hash)
    record_locally(store, machine_id="laptop")


def test_search_and_palette_work_from_every_page(visit: Visitor, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="Staging needs the VPN", body="b", project="app")
    store.write(type="semantic", title="Staging is slow", body="b", project="app")
    page = visit.go("/fleet")
    page.keyboard.press("/")
    page.keyboard.type("staging")
    results = page.locator(".find-results a")
    expect(results).to_have_count(3)
    assert visit.violations() == []
    page.keyboard.press("ArrowDown")
    expect(results.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/notes.q=staging"))
    page.locator("#find").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".row-title").first).to_be_focused()

    visit.go(f"/notes/{note.id}")
    page.keyboard.press("Control+k")
    page.keyboard.type("pin this")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Pin this note")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("1 note pinned.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Staging needs the VPN")
    page.keyboard.press("Control+k")
    page.keyboard.type("undo the")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Undo the latest change")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Undone: 1 note tagged.")

    visit.go("/new")
    expect(page.get_by_label("Project")).to_have_value("app")
    expect(page.locator("[data-global-cost]")).to_contain_text("given to every session")


def test_the_history_counts_lines_filters_and_compares_any_two(
    visit: Visitor, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="VPN", body="one", machine_id="desk")
    record_locally(store, machine_id="laptop")
    _edit(store, note.id, "one\ntwo\nthree")
    _edit(store, note.id, "three")
    page = visit.go("/history")
    expect(page.locator(".line-counts").first).to_contain_text(re.compile(r"[23]\s*$"))
    page.get_by_label("Change").select_option("added")
    expect(page.locator(".event")).to_have_count(1)
    page.get_by_label("Machine").select_option("desk")  # every choice counts at once
    expect(page.get_by_role("heading", name="No matching changes")).to_be_visible()
    page.get_by_role("link", name="All changes").click()
    expect(page.locator(".event")).to_have_count(3)
    assert visit.violations() == []

    visit.go(f"/notes/{note.id}/history")
    expect(page.locator(".version-list .line-counts")).to_have_count(3)
    page.get_by_label("Compare it with").select_option(index=3)  # the first one
    expect(page.locator(".diff")).to_contain_text("three")
    expect(page.locator(".diff")).not_to_contain_text("two")
    assert visit.violations() == []


def test_long_work_shows_how_far_it_is_and_goes_on(
    visit: Visitor, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the speed of the search is made up: it waits half-way until the page was seen."""
    for title in ("one", "two"):
        store.write(type="semantic", title=title, body="the very same words, twice in the store")
    seen, find = threading.Event(), dedup.find_duplicates

    def slowly(store: MemoryStore, *, progress: Progress) -> list[dedup.Duplicates]:
        assert progress is not None
        progress(7, 9)
        seen.wait(20)
        return find(store)

    monkeypatch.setattr(dedup, "find_duplicates", slowly)
    page = visit.go("/tidy")
    page.get_by_role("button", name="Look for duplicates").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Looking for duplicates")
    expect(page.get_by_role("status").last).to_have_text("7 of 9")
    assert visit.violations() == []
    seen.set()

    expect(page.locator(".toast")).to_contain_text("Found 1 group of duplicates.")
    expect(page.get_by_role("button", name="Keep one of each checked group")).to_be_visible()


def _paused(monkeypatch: pytest.MonkeyPatch, *, after: int) -> threading.Event:
    """Let jobs wait after so many notes until this is set."""
    seen, advance = threading.Event(), Job.advance

    def slowly(job: Job, done: int, total: int) -> None:
        advance(job, done, total)
        if done >= after:
            seen.wait(20)

    monkeypatch.setattr(Job, "advance", slowly)
    return seen


def test_a_change_of_many_notes_counts_them_and_is_undone_the_same_way(
    visit: Visitor, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the speed is made up: each waits half-way until its page was seen."""
    for number in range(6):
        store.write(type="semantic", title=f"Note {number}", body="words")
    seen = _paused(monkeypatch, after=2)
    page = visit.go("/notes")
    for press, title, notice in (
        ("Delete", "Deleting 6 notes", "6 notes deleted."),
        ("Undo", "Undoing a change", "6 notes put back."),
    ):
        if press == "Delete":
            page.get_by_role("button", name="Select this page").click()
        seen.clear()
        page.get_by_role("button", name=press).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.get_by_role("status").last).to_have_text("2 of 6")
        expect(page.get_by_role("progressbar")).to_have_js_property("value", 2)
        assert visit.violations() == []
        seen.set()
        expect(page.locator(".toast")).to_contain_text(notice)
    expect(page).to_have_url(re.compile("/notes$"))


def test_an_export_that_takes_long_is_offered_when_it_is_made(
    visit: Visitor, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        store.write(type="semantic", title=f"Note {number}", body="words")
    seen = _paused(monkeypatch, after=1)
    page = visit.go("/notes")
    page.get_by_role("button", name="Select this page").click()
    page.get_by_label("What to do").select_option("export")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Exporting 4 notes")
    expect(page.get_by_role("status").last).to_have_text("1 of 4")
    seen.set()
    expect(page.locator(".toast")).to_contain_text("4 notes exported.")
    expect(page.locator("[data-selected]")).to_have_text("4 selected")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save notes.jsonl").click()
    assert len(saved.value.path().read_text().splitlines()) == 4


def test_reflection_sources_fixes_and_sync_run_from_the_page(
    visit: Visitor, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = store.write(type="episodic", title="Old", body="b", tags=["session"])
    page = visit.go("/tidy?view=sources")
    page.get_by_role("button", name="Fill in the source of 1 note").click()
    expect(page.locator(".toast")).to_contain_text("Filled in the source of 1 note.")
    found = store.get(session.id)
    assert found is not None
    assert found.prov_source == "session-end"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("1 note put back")

    visit.go("/review")
    page.get_by_role("button", name="Reflect now").click()
    expect(page.locator(".toast")).to_contain_text("Nothing new:")
    visit.go("/settings")
    page.get_by_role("button", name="Apply safe fixes").click()
    expect(page.locator(".toast")).to_contain_text(re.compile("Fixed: |Nothing to fix"))
    visit.go("/fleet")
    page.get_by_role("button", name="Sync now").click()
    expect(page.locator(".toast")).to_contain_text(re.compile("Synced: |Not synced: "))


def test_a_sync_says_what_arrived_with_links(
    visit: Visitor, store: MemoryStore, tmp_path: Path
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    (store.root / "config.json").write_text(json.dumps({"remote": str(remote)}))
    desk = Machine(tmp_path / "desk", str(remote))
    desk.write(new_id(), "Ask Kim.", title="The `VPN` of staging")
    assert desk.sync().pushed
    page = visit.go("/fleet")
    page.get_by_role("button", name="Sync now").click()

    toast = page.locator(".toast")
    expect(toast).to_contain_text("1 received.")
    assert not re.search(r"[0-9A-Z]{26}", toast.inner_text())
    toast.get_by_role("link", name="The VPN of staging").click()
    expect(page.locator(".prose")).to_have_text("Ask Kim.")


def test_a_machine_is_approved_with_the_code_that_it_shows(
    visit: Visitor, store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    (store.root / "config.json").write_text(json.dumps({"remote": str(remote)}))
    store.write(type="semantic", title="VPN", body="needed")
    sealed.seal(lambda _: None)
    with monkeypatch.context() as desk:
        desk.setenv("ANAMNESIS_HOME", str(tmp_path / "desk"))
        code = sealed.ask(str(remote))

    page = visit.go("/fleet")
    page.get_by_label("Code shown on the new machine").fill(code)
    assert visit.violations() == []
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".toast")).to_contain_text("Approved. Type this code on that machine:")
    answer = page.locator(".toast").inner_text().rpartition(": ")[2].strip()

    with monkeypatch.context() as desk:
        desk.setenv("ANAMNESIS_HOME", str(tmp_path / "desk"))
        sealed.accept(str(remote), answer)
        assert sealed.is_member(str(remote))
