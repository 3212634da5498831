"""No false alarms: what changed appears in place, and no notice is in the way."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web import dashboard
from anamnesis.web.serve import Server
from support.thin import every

from .conftest import Visitor

SCREENS: list[dict[str, Any]] = [
    {"viewport": {"width": 1280, "height": 800}},
    {"viewport": {"width": 390, "height": 700}},
]
# What can be pressed and lies under a notice, though it is not scrolled away under the header.
COVERED = """() => {
  const strip = document.querySelector('#toasts').getBoundingClientRect();
  return [...document.querySelectorAll('main button, main a, main input, main summary, nav a')]
    .filter(each => {
      const box = each.getBoundingClientRect();
      if (!box.width || !each.checkVisibility()) return false;
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!top?.closest('#toasts')) return false;
      for (let at = each; at !== document.body; at = at.parentElement)
        if (['sticky', 'fixed'].includes(getComputedStyle(at).position)) return true;
      return scrollY === 0;
    }).map(each => each.outerHTML);
}"""


@pytest.fixture
def long(store: MemoryStore) -> Memory:
    """A note of several screens, with an outline, and enough others for a list."""
    for number in range(60):
        store.write(type="semantic", title=f"Note {number}", body="words", tags=["pending"])
    body = "\n\n".join(f"## Part {number}\n\n" + "words " * 200 for number in range(12))
    return store.write(type="semantic", title="Handbook", body=body, tags=["pending"])


def _asked(page: Page) -> list[str]:
    """What the page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    return asked


def test_an_idle_page_is_not_told_of_changes_that_were_none(
    visit: Visitor, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is looked at with each question; files are touched, and written as they were."""
    note = store.write(type="semantic", title="VPN", body="needed")
    monkeypatch.setattr(dashboard, "_FULL_REFRESH_SECONDS", 0.0)
    monkeypatch.setattr(dashboard, "_REST_FACTOR", 0)
    [file] = store.root.rglob(f"{note.id}.md")
    for path in ("/notes", f"/notes/{note.id}", "/timeline"):
        page = visit.go(path, visit.tab())
        for _ in range(2):  # the first look compares with what the page was drawn from
            with page.expect_response("**/events*"):
                pass
        asked = _asked(page)

        for change in (lambda: os.utime(file), lambda: file.write_bytes(file.read_bytes())):
            change()
            with page.expect_response("**/events*"):
                pass
        page.wait_for_timeout(200)

        expect(page.locator(".toast")).to_have_count(0)
        assert set(asked) == {"/events"}  # and the page was not drawn again


def test_a_change_of_another_note_does_not_disturb_a_reader(
    visit: Visitor, store: MemoryStore, long: Memory
) -> None:
    page = visit.go(f"/notes/{long.id}")
    heading = page.get_by_role("heading", name="Part 4")
    heading.scroll_into_view_if_needed()
    before = heading.bounding_box()

    store.write(type="semantic", title="One more", body="words", tags=["pending"])

    expect(page.locator("nav.side")).to_contain_text("62")  # to review
    expect(page.locator(".toast")).to_have_count(0)
    assert heading.bounding_box() == before  # whatever was added above


def test_the_start_page_and_the_counts_follow_in_place(
    visit: Visitor, store: MemoryStore, long: Memory
) -> None:
    page = visit.go("/")
    link = page.locator("main a", has_text="Handbook").first
    link.focus()
    page.evaluate("scrollTo(0, 120)")
    page.evaluate("document.body.dataset.same = 'yes'")

    found = store.read(long.id)
    assert found is not None
    store.update(replace(found.note, tags=[]), expected_hash=found.hash)
    store.write(type="procedural", title="Brand new", body="words")

    expect(page.get_by_role("link", name="Brand new").first).to_be_attached()
    expect(page.locator("nav.side")).to_contain_text("60")
    expect(page.locator("main")).to_contain_text("62")
    expect(page.locator("main a", has_text="Handbook").first).to_be_focused()
    assert abs(page.evaluate("scrollY") - 120) < 60
    assert page.evaluate("document.body.dataset.same") == "yes"  # nobody loaded it again
    visit.go("/review?note=" + long.id)
    queue = page.get_by_role("navigation", name="Notes to review")
    third = queue.get_by_role("link", name=re.compile(r"Note 3\b"))
    third.focus()
    first = next(note for note in store.headers() if note.title == "Note 0")
    store.delete(first.id)
    expect(queue.get_by_role("link", name=re.compile(r"Note 0\b"))).to_have_count(0)
    expect(queue.get_by_role("link", name=re.compile(r"Note 40\b"))).to_be_attached()
    expect(third).to_be_focused()
    visit.go("/notes")
    page.get_by_label("Select Note 59").check()
    store.write(type="procedural", title="Newer still", body="words")
    expect(page.get_by_role("link", name="procedural 2")).to_be_visible()  # of the facets
    expect(page.get_by_label("Select Note 59")).to_be_checked()


@pytest.mark.parametrize("screen", SCREENS, ids=["desk", "phone"])
@pytest.mark.parametrize(
    "path", every(2, ["/notes", "/notes/{id}", "/review?note={id}", "/notes/{id}/edit"])
)
def test_a_notice_is_in_view_and_covers_nothing_that_can_be_pressed(
    chrome: Browser, server: Server, long: Memory, screen: dict[str, Any], path: str
) -> None:
    visitor = Visitor(chrome, server, **screen)
    visitor.expected = ("ERR_",)
    page = visitor.go("/notes")
    page.get_by_label("Select Note 59").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("1 note deleted")
    unit = page.locator(".toast input[name=unit]").input_value()
    target = path.format(id=long.id)
    visitor.go(f"{target}{'&' if '?' in target else '?'}notice={unit}")
    expect(page.locator(".toast")).to_be_visible()

    for scrolled in (0, 300, 1200):
        _check(page, scrolled, ".toast")
    visitor.context.set_offline(True)
    expect(page.locator("#connection")).to_contain_text("cannot be reached")
    for scrolled in (1200, 300, 0):
        _check(page, scrolled, "#connection")
    visitor.context.close()


def _check(page: Page, scrolled: int, notice: str) -> None:
    page.evaluate(f"scrollTo(0, {scrolled})")
    page.wait_for_timeout(100)
    expect(page.locator(notice)).to_be_in_viewport(ratio=0.99)
    assert page.evaluate(COVERED) == [], scrolled
