"""Putting thousands of notes in order, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore

from .conftest import Visitor


@pytest.fixture
def many(store: MemoryStore) -> list[Memory]:
    """More than one page of notes, of two projects with the same owner."""
    return [
        store.write(
            type="procedural" if number % 3 == 0 else "semantic",
            title=f"Note {number}",
            body="about the deploy" if number < 20 else "about tests",
            project=f"github.com/team/{'app' if number % 2 else 'site'}",
            tags=["even"] if number % 2 == 0 else [],
        )
        for number in range(120)
    ]


def _filters(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Filters")


def _count(page: Page, value: str) -> int:
    line = _filters(page).locator("li.choice", has=page.locator(f'[title="{value}"]'))
    return int(line.locator(".count").inner_text())


def _change(page: Page, command: str, value: str = "") -> None:
    page.get_by_label("What to do").select_option(label=command)
    if value:
        page.get_by_label("Value", exact=True).fill(value)
    page.get_by_role("button", name="Apply").click()


def test_facets_take_several_values_and_not_and_count_truly_for_a_search(
    visit: Visitor, many: list[Memory]
) -> None:
    page = visit.go("/notes?q=deploy")
    counted = {value: _count(page, value) for value in ("procedural", "semantic", "even")}
    assert counted == {"procedural": 7, "semantic": 13, "even": 10}
    app = _filters(page).locator('[title="github.com/team/app"]')
    expect(app).to_have_text("app")  # what differs; the whole name on hover

    _filters(page).get_by_role("link", name=re.compile("^procedural")).click()
    expect(page.locator(".found-head")).to_contain_text("7 matches")
    assert _count(page, "semantic") == 13  # what a click would add
    assert _count(page, "even") == 4
    _filters(page).get_by_role("link", name=re.compile("^semantic")).click()
    expect(page.locator(".found-head")).to_contain_text("20 matches")
    _filters(page).get_by_role("link", name="Without even").click(force=True)
    expect(page.locator(".found-head")).to_contain_text("10 matches")
    expect(page.locator(".chip")).to_have_count(3)
    expect(page.locator(".chip.barred")).to_contain_text("not even")

    page.get_by_placeholder("Name this view").fill("odd deploys")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("odd deploys")
    assert visit.violations() == []
    visit.go("/notes")
    page.get_by_role("link", name="odd deploys").click()
    expect(page.locator(".found-head")).to_contain_text("10 matches")
    page.locator(".chip.barred").click()
    expect(page.locator(".found-head")).to_contain_text("20 matches")
    page.get_by_label("from").fill("2999-01-01")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.locator(".chip", has_text="changed from 2999-01-01").click()
    expect(page.locator(".found-head")).to_contain_text("20 matches")
    page.get_by_role("button", name="Remove the view odd deploys").click(force=True)
    expect(page.get_by_role("link", name="odd deploys")).to_have_count(0)


def test_a_selection_spans_pages_and_is_changed_and_undone_as_one(
    visit: Visitor, store: MemoryStore, many: list[Memory]
) -> None:
    page = visit.go("/notes")
    boxes = page.get_by_role("checkbox")
    boxes.nth(1).check()
    boxes.nth(4).click(modifiers=["Shift"])
    page.get_by_role("link", name="Older").click()
    boxes.nth(0).check()
    expect(page.locator("[data-selected]")).to_have_text("5 selected, 4 on other pages")
    page.get_by_role("link", name="Newer").click()
    assert [boxes.nth(at).is_checked() for at in range(6)] == [False, True, True, True, True, False]

    _change(page, "Move to the project", "github.com/team/moved")
    expect(page.locator(".toast")).to_contain_text("5 notes moved")
    assert len([each for each in store.list() if each.project.endswith("moved")]) == 5
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("5 notes put back")
    assert not [each for each in store.list() if each.project.endswith("moved")]

    visit.go("/notes?type=procedural&project=github.com/team/site")
    page.get_by_role("button", name="Select this page").click()
    expect(page.locator("[data-selected]")).to_have_text("20 selected")
    with page.expect_download() as download:
        _change(page, "Export as JSON lines")
    exported = Path(download.value.path()).read_text()
    assert len(exported.splitlines()) == 20
    visit.go("/notes")
    page.get_by_role("button", name="Select all 120").click()
    expect(page.locator("[data-selected]")).to_have_text("120 selected, 70 on other pages")
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("120 notes deleted")
    assert store.list() == []
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("120 notes put back")
    assert len(store.list()) == 120

    boxes.first.check()
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Forget 1 note?")
    assert visit.violations() == []
    page.get_by_role("button", name="Forget it everywhere").click()
    expect(page.locator(".toast")).to_contain_text("1 note forgotten")
    assert len(store.list()) == 119


def test_many_notes_are_changed_in_every_way_at_once(visit: Visitor, store: MemoryStore) -> None:
    ids = [store.write(type="semantic", title=f"Note {at}", body="b").id for at in range(3)]

    def fields(name: str) -> list[object]:
        return [getattr(note, name) for note_id in ids if (note := store.get(note_id))]

    def act(command: str, value: str = "") -> None:
        page = visit.go("/notes?state=all")
        page.get_by_role("button", name="Select this page").click()
        _change(page, command, value)
        expect(page.locator(".toast")).to_be_visible()

    act("Set the type to", "procedural")
    assert fields("type") == ["procedural"] * 3
    act("Set the confidence to", "0.4")
    assert fields("confidence") == [0.4] * 3
    act("Make local only")
    assert fields("scope") == ["machine-local"] * 3
    act("Make synced")
    assert fields("scope") == ["portable"] * 3
    act("Pin")
    assert fields("tags") == [["pinned"]] * 3
    act("Unpin")
    act("Add the tag", "vpn")
    assert fields("tags") == [["vpn"]] * 3
    act("Remove the tag", "vpn")
    assert fields("tags") == [[]] * 3
    act("Let the latest replace the others")
    assert len(store.superseded_ids()) == 2
    visit.page.get_by_role("button", name="Undo").click()
    expect(visit.page.locator(".toast")).to_contain_text("put back")
    assert store.superseded_ids() == set()


def test_two_notes_become_one_side_by_side(visit: Visitor, store: MemoryStore) -> None:
    store.write(type="semantic", title="VPN", body="Staging needs it.\n\nAsk Kim.")
    store.write(type="semantic", title="The VPN", body="Staging needs it.\n\nPort 1194.")
    page = visit.go("/notes")
    page.get_by_role("button", name="Select this page").click()
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Merge 2 notes")
    result = page.locator(".cm-merge-b .cm-content")
    expect(result).to_contain_text("Ask Kim.")
    expect(result).to_contain_text("Port 1194.")
    assert visit.violations() == []
    page.get_by_role("button", name="Start from “VPN”").click()
    expect(result).not_to_contain_text("Port 1194.")
    page.get_by_role("button", name="Every paragraph once").click()
    page.get_by_label("Title").fill("VPN of staging")
    page.get_by_role("button", name="Merge and replace").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("VPN of staging")
    expect(page.locator(".prose")).to_contain_text("Port 1194.")
    assert len(store.superseded_ids()) == 2
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("1 note put back")
    assert store.superseded_ids() == set()


def test_what_a_note_replaces_is_found_by_its_words(visit: Visitor, store: MemoryStore) -> None:
    old = store.write(type="semantic", title="Staging needs the VPN", body="It hangs without.")
    page = visit.go("/new")
    page.get_by_label("Title").fill("Staging is open")
    replaces = page.get_by_role("combobox", name="Replaces")
    replaces.press_sequentially("staging v")
    expect(page.get_by_role("option", name="Staging needs the VPN")).to_be_visible()
    assert visit.violations() == []
    replaces.press("Enter")
    expect(page.get_by_label("Notes that it replaces")).to_contain_text("Staging needs the VPN")
    page.keyboard.press("Control+s")

    expect(page.get_by_role("heading", level=1)).to_have_text("Staging is open")
    assert store.superseded_ids() == {old.id}


def test_a_dropped_file_is_imported_and_taken_back(visit: Visitor, store: MemoryStore) -> None:
    page = visit.go("/notes")
    drop = """([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      for (const kind of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true}));
    }"""
    text = (
        "## Deploys\n\nUse the canary before all others.\n\n## Tests\n\nRun them, always, first.\n"
    )
    page.evaluate(drop, ["CLAUDE.md", text])
    expect(page.locator(".toast")).to_contain_text("Imported: 2 new")
    expect(page).to_have_url(re.compile("/review"))
    assert {note.title for note in store.list()} >= {"Deploys", "Tests"}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("2 notes put back")
    assert store.list() == []

    visit.expected = ("400",)
    page.evaluate(drop, ["photo.png", "no notes"])
    expect(page.locator(".toast").last).to_contain_text("Cannot tell which program wrote")


def test_duplicates_and_stale_notes_are_tidied_up(
    visit: Visitor, store: MemoryStore, tmp_path: Path
) -> None:
    same = "Staging hangs without the VPN, so connect before the tests run."
    for title in ("VPN", "The VPN", "Use the VPN"):
        store.write(type="semantic", title=title, body=same, project="app")
    long = (
        "Staging hangs for minutes whenever the tunnel is closed, so open it before the suite of "
        "the gateway, wait until it answers, and keep it open while the browser tests run, "
        "because every one of them logs in through the proxy of the office and the whole suite"
    )
    for title, end in (("Tunnel", "starts at night."), ("The tunnel", "starts early at night.")):
        store.write(type="semantic", title=title, body=f"{long} {end}", project="web")
    old = store.write(type="semantic", title="Parser", body="See `src/parser.py`.", project="app")

    page = visit.go("/tidy")
    page.get_by_role("button", name="Look for duplicates").click()
    expect(page.locator(".toast")).to_contain_text("Found 2 groups of duplicates")
    nearly = page.locator(".duplicates", has_text="nearly identical")
    expect(nearly.locator("mark", has_text="early")).to_have_count(1)  # what differs is marked
    assert visit.violations() == []
    nearly.get_by_role("radio").last.check()
    kept = nearly.locator(".duplicate-title").last.inner_text()
    page.get_by_role("button", name="Check the nearly identical").click()
    page.get_by_role("button", name="Check the identical").click()
    page.get_by_role("button", name="Keep one of each checked group").click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text("3 duplicates replaced by 2 notes")
    expect(toast).to_contain_text(f"“{kept}”")
    assert len(store.superseded_ids()) == 3
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Merge instead")).to_have_count(2)
    assert store.superseded_ids() == set()

    page.get_by_role("link", name="Stale").click()
    page.get_by_label("Folder").fill(str(tmp_path))
    page.get_by_role("button", name="Compare with the folder").click()
    expect(page.locator(".note-row")).to_contain_text(["not found: src/parser.py"])
    expect(page.get_by_label("Folder")).to_have_value(str(tmp_path))  # to compare with it again
    expect(page.locator("select[name=project]")).to_have_value("app")
    assert visit.violations() == []
    page.get_by_label("Select Parser").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("1 note deleted")
    assert store.get(old.id) is None
