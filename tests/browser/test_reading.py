"""Reading a note: everything that its text means is there to see and to use."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from anamnesis.history.commit import record_locally
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server

from .conftest import Visitor

LONG = " ".join(["What we know about the order of the deploy steps"] * 16)
RULE = "|:--|:-:|--:|" + "--:|" * 37
WIDE = "| " + " | ".join(f"column{number}" for number in range(40)) + " |"


def _style(place: Locator, name: str) -> str:
    return str(place.evaluate(f"each => getComputedStyle(each).{name}"))


def test_code_is_copied_and_a_wide_table_scrolls_in_its_own_box(
    visit: Visitor, store: MemoryStore
) -> None:
    body = f"```bash\nmake release\n```\n\n{WIDE}\n{RULE}\n{WIDE}\n"
    note = store.write(type="procedural", title="Release", body=body)
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.go(f"/notes/{note.id}")

    page.locator(".prose pre").hover()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "make release\n"

    cells = page.locator(".prose td")
    assert [_style(cells.nth(at), "textAlign") for at in range(3)] == ["left", "center", "right"]
    box = page.get_by_role("region", name="Table")
    assert box.evaluate("each => each.scrollWidth > each.clientWidth")
    box.focus()
    page.keyboard.press("ArrowRight")
    expect(box).not_to_have_js_property("scrollLeft", 0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tasks_have_boxes_and_a_footnote_leads_there_and_back(
    visit: Visitor, store: MemoryStore
) -> None:
    body = "[[ ]] Why[^1] and again[^1]\n\n- [x] done\n- [ ] open\n- plain\n" + "\nwords\n" * 60
    note = store.write(type="semantic", title="Plan", body=f"{body}\n[^1]: because\n")
    page = visit.go(f"/notes/{note.id}")

    items = page.locator(".prose ul > li")
    expect(items).to_have_text(["☑ done", "☐ open", "plain"])
    marks = [_style(items.nth(at), "listStyleType") for at in range(3)]
    assert marks == ["none", "none", "disc"]
    page.locator("a.footnote").last.click()
    expect(page.locator(".footnotes li")).to_be_in_viewport()
    page.get_by_role("link", name="Back to the text").click()
    expect(page.locator("a.footnote").first).to_be_in_viewport()
    assert visit.violations() == []


def test_a_part_of_a_long_note_has_an_address(
    chrome: Browser, server: Server, store: MemoryStore
) -> None:
    body = "".join(f"## Part {number}\n\n" + "words\n\n" * 30 for number in range(4))
    note = store.write(type="semantic", title="Handbook", body=body)
    for width in (1280, 390):  # beside the text, or above it
        visitor = Visitor(chrome, server, viewport={"width": width, "height": 780})
        page = visitor.go(f"/notes/{note.id}")
        if width == 390:
            page.get_by_text("On this page").first.click()
        outline = page.get_by_role("navigation", name="Outline")
        expect(outline).to_be_in_viewport()
        outline.get_by_role("link", name="Part 2").click()
        heading = page.get_by_role("heading", name="Part 2")
        expect(heading).to_be_in_viewport()
        heading.get_by_role("link", name="Link to this part").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#part-part-2$"))
        assert visitor.violations() == []
        visitor.context.close()


@pytest.fixture
def odd(store: MemoryStore) -> Memory:
    """A note whose title has code and turns its own letters round."""
    title = "Use `make tag` for \u202eexe.gpj"
    old = store.write(type="semantic", title=LONG, body=f"staging: [[{title}]]", project="app")
    note = store.write(
        type="semantic", title=title, body="staging `x`", project="app", supersedes=old.id,
        tags=["pending", "a\u202eb"], machine_id="de\u202esk",
    )  # fmt: skip
    record_locally(store, machine_id="laptop")
    return note


def test_no_title_shows_raw_marks_or_turns_the_page_round(visit: Visitor, odd: Memory) -> None:
    pages = (
        "/", "/notes?state=all", "/notes?state=all&q=staging", "/review", "/history", "/timeline",
        f"/notes/{odd.id}", f"/notes/{odd.id}/source", f"/notes/{odd.id}/history",
        "/fleet", f"/notes/{odd.id}/edit",
    )  # fmt: skip
    for path in pages:
        page = visit.go(path)
        assert "\u202e" not in page.locator("body").inner_text(), path
        titles = page.locator("h1, h2, h3, .row-title, .line-title, .prose, .row-text, .crumbs")
        assert "`" not in "".join(titles.all_inner_texts()), path
    visit.go("/notes?state=all&q=make tag")
    expect(page.locator(".row-title code mark").first).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("use make")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Use make tag for ⟦U+202E⟧")
    assert "\u202e" not in page.get_by_role("dialog").inner_text()


def test_long_titles_are_clamped_and_whole_on_hover(visit: Visitor, odd: Memory) -> None:
    page = visit.go("/notes?state=all")
    row = page.locator(".row-title", has_text="order of the deploy steps")
    line = float(_style(row, "lineHeight").removesuffix("px"))
    size = row.bounding_box()
    assert size is not None
    assert size["height"] < 2.5 * line
    expect(row).to_have_attribute("title", LONG)

    row.click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_attribute("title", LONG)
    size = title.bounding_box()
    assert size is not None
    assert size["height"] < 4.5 * float(_style(title, "lineHeight").removesuffix("px"))
