"""How the pages look and behave alike: typeface, density, words, filters, keys."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from anamnesis.history.commit import record_locally
from anamnesis.operations.travel.sync import exchange
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of_this_machine
from anamnesis.web.serve import Server

from .conftest import Visitor

LONG = "# Plan\n\n- [x] **bold** words and [a link](https://example.org/x) " + "longword " * 60


def test_lists_are_set_in_our_typeface_in_the_density_and_words_of_the_person(
    visit: Visitor, store: MemoryStore
) -> None:
    old = store.write(type="semantic", title="Old", body="b", project="github.com/team/api")
    store.write(
        type="semantic", title="New", body=LONG, project="github.com/team/web", supersedes=old.id,
        tags=["pending"], scope="machine-local",
    )  # fmt: skip
    page = visit.go("/notes?state=all")

    expect(page.locator(".row-text").first).to_have_text(
        re.compile(r"^\s*Plan bold words and a link longword .*longword …\s*$")
    )
    assert page.evaluate("[...document.fonts].filter(each => each.status === 'loaded').length") >= 1
    expect(page.locator(".badge")).to_have_text(["to review", "local only", "superseded"])
    project = page.locator(".note-row .project").first
    expect(project).to_have_text("web")
    expect(project).to_have_attribute("title", "github.com/team/web")

    filters = page.get_by_role("complementary", name="Filters")
    for name in ("active", "superseded", "to review", "local only"):
        expect(filters.get_by_role("link", name=name, exact=False).first).to_be_visible()
    edges = filters.locator(".choice .count").evaluate_all(
        "each => [...new Set(each.map(one => Math.round(one.getBoundingClientRect().right)))]"
    )
    assert len(edges) == 1  # the numbers stand in one column

    roomy = page.locator(".note-row").first.bounding_box()
    page.get_by_role("button", name="Density: comfortable").click()
    expect(page.locator("html")).to_have_attribute("data-density", "compact")
    dense = page.locator(".note-row").first.bounding_box()
    assert roomy
    assert dense
    assert dense["height"] < 0.8 * roomy["height"]
    assert visit.violations() == []


def test_the_health_of_the_store_is_told_in_the_words_of_a_person(
    visit: Visitor, store: MemoryStore
) -> None:
    store.write(type="semantic", title="New", body="b", tags=["pending"])
    exchange(backend_of_this_machine(), store=store)
    page = visit.go("/")

    review = page.locator(".check", has_text="Review")
    expect(review).to_contain_text("1 note to review")
    expect(review.get_by_role("link", name="Show")).to_have_attribute("href", "/review")
    gap = review.evaluate(
        "each => each.querySelector('code').getBoundingClientRect().left"
        " - each.querySelector('a').getBoundingClientRect().right"
    )
    assert gap >= 6
    assert not re.search(r"\d{4}-\d\d-\d\dT", page.locator("main").inner_text())


def test_one_frame_holds_the_views_of_a_note_and_the_editor_can_be_left(
    visit: Visitor, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="Deploys need the VPN", body="ask")
    record_locally(store, machine_id="laptop")
    page = visit.go(f"/notes/{note.id}")
    for name in ("Source", "History", "Read"):
        page.get_by_role("navigation", name="Views of the note").get_by_role(
            "link", name=name
        ).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Deploys need the VPN")
        expect(page.get_by_role("link", name="Edit")).to_be_visible()
        expect(page.locator(".tabs [aria-current]")).to_have_text(name)

    page.get_by_role("link", name="Edit").click()
    page.locator(".cm-content").click()
    expect(page.locator(".cm-content")).to_have_attribute("aria-describedby", "leave-editor")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor')") is None


def test_choices_count_at_once_and_single_keys_can_be_switched_off(
    visit: Visitor, store: MemoryStore
) -> None:
    for name in ("api", "web"):
        store.write(
            type="semantic", title=f"Of {name}", body="b", project=f"github.com/team/{name}"
        )
    page = visit.go("/timeline")
    field = page.get_by_role("combobox", name="Project")
    field.focus()
    field.select_option("github.com/team/api")
    expect(page.locator(".line-title")).to_have_text(["Of api"])
    expect(page).to_have_url(re.compile("project=github.com%2Fteam%2Fapi"))
    expect(field).to_be_focused()

    visit.go("/settings")
    page.get_by_role("group", name="Single-key shortcuts").get_by_role("button", name="off").click()
    expect(page.locator("html")).to_have_attribute("data-keys", "off")
    page.locator("h1").click()
    page.keyboard.press("c")
    page.keyboard.press("?")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Command palette")).to_be_visible()
    expect(page).to_have_url(re.compile("/settings"))
    assert page.get_by_role("dialog", name="Keys").count() == 0


def test_a_page_is_light_and_a_hidden_one_asks_nothing(visit: Visitor, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="Deploys need the VPN", body="ask")
    asked: list[str] = []
    visit.context.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page = visit.page
    for path in ("/", "/notes", f"/notes/{note.id}", "/timeline", "/settings"):
        answer = page.goto(f"{visit.server.address}{path}")
        assert answer is not None
        assert answer.headers["content-encoding"] == "gzip"
    assert not any("editor" in path for path in asked)
    visit.go(f"/notes/{note.id}/edit")
    assert "/static/editor.js" in asked

    visit.go("/notes")
    with page.expect_request("**/events*"):
        pass
    page.evaluate(
        """() => { Object.defineProperty(document, 'hidden', {value: true, configurable: true});
        document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    page.wait_for_timeout(500)  # a question that is under way may end
    asked.clear()
    page.wait_for_timeout(3000)  # more than the pause between two questions
    assert asked == []
    with page.expect_request("**/events*"):
        page.evaluate(
            """() => { Object.defineProperty(document, 'hidden', {value: false});
            document.dispatchEvent(new Event('visibilitychange')); }"""
        )


def test_a_command_to_copy_is_read_whole_beside_its_button(chrome: Browser, server: Server) -> None:
    visitor = Visitor(chrome, server, viewport={"width": 390, "height": 780})
    page = visitor.go("/fleet")

    boxes = page.locator(".code-box")
    expect(boxes).to_have_count(2)
    for box in boxes.all():
        text = box.locator("code").evaluate(
            "code => Math.max(...[...code.getClientRects()].map(each => each.right))"
        )
        button = box.get_by_role("button", name="Copy").bounding_box()
        assert button is not None
        assert text <= button["x"]
    visitor.context.close()
