"""Small things that a person notices at once: focus, menus, paper, and words that are not lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server

from .conftest import Visitor

PHONE = {"viewport": {"width": 390, "height": 780}}


@pytest.fixture
def notes(store: MemoryStore) -> list[Memory]:
    return [
        store.write(type="semantic", title=f"Note {number}", body="some `words` here")
        for number in range(20)
    ]


def _questions(page: Page) -> list[str]:
    """What the browser asks from now on; the answer is to stay."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    return asked


def test_a_dark_page_is_printed_black_on_white(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go(f"/notes/{notes[0].id}")
    for theme in ("auto", "light"):
        page.get_by_role("button", name=f"Theme: {theme}").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.emulate_media(media="print")

    colour = page.locator(".prose").evaluate("each => getComputedStyle(each).color")
    assert max(int(part) for part in re.findall(r"\d+", colour)) < 80


def test_leaving_a_merge_asks_before_the_words_are_lost(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    page = visit.go(f"/notes/{notes[0].id}/edit")
    found = store.read(notes[0].id)
    assert found is not None
    store.update(replace(found.note, body="theirs"), expected_hash=found.hash)
    page.locator(".cm-content").click()
    page.keyboard.type("my words ")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", name="This note changed")).to_be_visible()
    asked = _questions(page)

    page.get_by_role("link", name="Pulse").click(no_wait_after=True)

    expect(page.get_by_label("Yours").last).to_contain_text("my words")
    assert asked == ["beforeunload"]
    page.get_by_role("link", name="Keep the version on disk").click()
    expect(page.locator(".prose")).to_have_text("theirs")
    assert asked == ["beforeunload"]


def test_leaving_a_form_that_was_refused_asks_too(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/new")
    page.get_by_label("Title").fill("words that I typed")
    page.get_by_role("combobox", name="Replaces").fill("not-an-id!")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    asked = _questions(page)

    page.get_by_role("link", name="Pulse").click(no_wait_after=True)

    expect(page.get_by_label("Title")).to_have_value("words that I typed")
    assert asked == ["beforeunload"]
    visit.complaints.clear()  # the browser reports the refusal


def test_a_budget_is_typed_without_losing_the_field(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/injection")
    page.get_by_label("Budget").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("2345")
    expect(page).to_have_url(re.compile("budget=2345"))

    page.keyboard.type("6")

    expect(page).to_have_url(re.compile("budget=23456"))
    expect(page.locator(".gauge")).to_contain_text("23,456")


def test_a_menu_closes_like_one(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/notes")
    summary = page.get_by_text("Sort: latest change")
    menu = page.locator("details.menu", has=summary)

    summary.click()
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")

    summary.click()
    page.locator(".found-head p").click()
    expect(menu).not_to_have_attribute("open", "")


def test_the_bar_of_acts_covers_the_list_and_is_one_line(
    visit: Visitor, notes: list[Memory]
) -> None:
    page = visit.go("/notes")
    page.get_by_role("checkbox").first.check()
    bar = page.locator(".selection")
    expect(bar).to_be_visible()

    foreign = bar.evaluate(
        """bar => { const box = bar.getBoundingClientRect(); let found = 0;
        for (let x = box.left + 6; x < box.right - 6; x += 5)
          for (let y = box.top + 6; y < box.bottom - 6; y += 5)
            if (!bar.contains(document.elementFromPoint(x, y))) found++;
        return found; }"""
    )

    assert foreign == 0
    size = bar.bounding_box()
    assert size is not None
    assert size["height"] < 60


@pytest.mark.parametrize("path", ["/settings", "/timeline"])
def test_on_a_phone_the_menu_shows_where_one_is(
    chrome: Browser, server: Server, notes: list[Memory], path: str
) -> None:
    visitor = Visitor(chrome, server, **PHONE)
    page = visitor.go(path)

    expect(page.locator(".side [aria-current]")).to_be_in_viewport(ratio=0.99)

    visitor.context.close()
