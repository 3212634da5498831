"""A browser before strange, large or missing notes, without scripts, and beside a second one."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, expect

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server
from support.notes import write_file

from .conftest import Visitor

PAGES = (
    "/", "/notes", "/review", "/new", "/history", "/history?deleted=1", "/conflicts", "/fleet",
    "/injection", "/timeline", "/sessions", "/settings", "/repository",
)  # fmt: skip


@pytest.fixture
def strange(store: MemoryStore) -> list[Memory]:
    """Notes with long names without a gap, in scripts of every direction."""
    long = "LongIdentifierWithoutAnyGap" * 30
    return [
        store.write(
            type="semantic", title=f"{long} at the end", body=f"{long}\n\n`{long}`", project=long,
            machine_id="m" * 200, tags=[f"tag-{long}", "pending"],
        ),
        store.write(type="procedural", title="كيفية النشر إلى الإنتاج", body="شغل الأمر ثم انتظر"),
        store.write(type="episodic", title="リリースの手順を確認した", body="タグを付ける" * 60),
    ]  # fmt: skip


def test_no_name_is_too_long_for_a_phone(
    chrome: Browser, server: Server, strange: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": 360, "height": 740})
    views = [f"/notes/{note.id}{view}" for note in strange for view in ("", "/edit", "/source")]

    widths = {}
    for path in (*PAGES, *views):
        page = visitor.go(path)
        widths[path] = page.evaluate("document.documentElement.scrollWidth")

    assert {path: width for path, width in widths.items() if width > 360} == {}
    assert visitor.complaints == []
    visitor.context.close()


LONG = "How to change the contract tests of the ledger before a release, as measured and planned"


@pytest.fixture
def busy(store: MemoryStore) -> list[Memory]:
    """Notes as people write them: long titles, many tags, code, and one that replaces another."""
    old = store.write(
        type="semantic", title=f"{LONG} in `services/gateway`", body="1. one\n2. two\n",
        project="github.com/team/payments-service", machine_id="laptop",
    )  # fmt: skip
    new = store.write(
        type="semantic", title=LONG, body="1. one\n2. three\n\nSee `make`.", supersedes=old.id,
        project="github.com/team/payments-service", machine_id="desk",
        tags=["pending", "docker", "terraform", "migrations", "testing", "ci"],
    )  # fmt: skip
    now = datetime.now(UTC).isoformat(timespec="seconds")
    beat = {"machine": "desk", "name": "desk", "version": "1.0.0", "install": "x", "seen": now,
            "last_sync": now, "pending": 0, "last_error": "", "last_capture": now}  # fmt: skip
    write_file(store.root, "memory/.machines/desk.json", json.dumps(beat))
    return [old, new]


@pytest.mark.parametrize("width", [1280, 390])
def test_long_titles_and_many_tags_fit_and_are_accessible(
    chrome: Browser, server: Server, busy: list[Memory], width: int
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": width, "height": 800})
    old, new = busy
    paths = (
        "/notes", f"/notes/{new.id}", f"/notes/{new.id}/edit", f"/merge?ids={old.id}+{new.id}",
        "/review", "/fleet", "/timeline",
    )  # fmt: skip
    for path in paths:
        page = visitor.go(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert visitor.violations() == [], path
    visitor.go("/fleet")
    squeezed = page.locator(".roomy td, .roomy th").evaluate_all(
        "each => each.filter(one => one.getBoundingClientRect().height > 60)"
        ".map(one => one.textContent)"
    )
    assert squeezed == []  # a column is as wide as its words
    sizes = page.locator(".stacked text").evaluate_all(
        "each => each.map(one => one.getBoundingClientRect().height)"
    )
    assert min(sizes, default=9) >= 8  # the numbers of a chart stay readable
    assert visitor.complaints == []
    visitor.context.close()


def test_a_note_with_hundreds_of_tags_begins_with_its_text(
    visit: Visitor, store: MemoryStore
) -> None:
    tags = [f"tag-{number:03}" for number in range(200)]
    note = store.write(type="semantic", title="Tagged", body="The text itself.", tags=tags)
    page = visit.go(f"/notes/{note.id}")

    expect(page.get_by_text("The text itself.")).to_be_in_viewport()
    page.get_by_text("188 more tags").click()
    expect(page.locator(".note-head .tag")).to_have_count(200)
    expect(page.get_by_role("link", name="tag-199")).to_be_visible()
    assert visit.violations() == []


@pytest.mark.parametrize("path", ["/injection", "/fleet"])
def test_a_long_name_leaves_room_for_the_columns_beside_it(
    visit: Visitor, store: MemoryStore, path: str
) -> None:
    store.write(
        type="procedural", title=f"See https://example.org/{'p' * 250}", body="words",
        machine_id="m" * 60,
    )  # fmt: skip
    page = visit.go(path)

    table = page.locator(".plan-table, .machines").first
    table.scroll_into_view_if_needed()
    for column in table.locator("thead th").all()[:5]:
        expect(column).to_be_in_viewport()


def test_a_note_is_set_in_the_direction_of_its_script(
    visit: Visitor, strange: list[Memory]
) -> None:
    page = visit.go(f"/notes/{strange[1].id}")

    for place in ("h1", ".prose"):
        direction = page.locator(place).first.evaluate("e => getComputedStyle(e).direction")
        assert direction == "rtl"
    page = visit.go(f"/notes/{strange[2].id}")
    assert page.locator("h1").evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_every_page_reads_without_scripts(
    chrome: Browser, server: Server, strange: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, java_script_enabled=False)

    for path in (*PAGES, f"/notes/{strange[0].id}", f"/notes/{strange[0].id}/history"):
        page = visitor.go(path)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_role("main")).not_to_be_empty()
        for control in page.locator(".needs-script").all():
            expect(control).to_be_hidden()
    visitor.context.close()


def test_words_typed_into_a_note_that_was_deleted_become_a_new_one(
    visit: Visitor, store: MemoryStore, strange: list[Memory]
) -> None:
    page = visit.go(f"/notes/{strange[2].id}/edit")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("precious words ")
    visit.expected = ("404",)  # the open page looks again, and the note is gone
    store.delete(strange[2].id)

    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("deleted while you were editing it")
    expect(page.locator(".cm-content")).to_contain_text("precious words")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Written.")).to_be_visible()
    bodies = [note.body for note in store.list()]
    assert any(body.startswith("precious words") for body in bodies)


def test_two_browsers_are_two_visits_of_one_store(
    chrome: Browser, server: Server, store: MemoryStore, strange: list[Memory]
) -> None:
    one, other = Visitor(chrome, server), Visitor(chrome, server)
    address = f"/notes/{strange[1].id}/edit"
    for visitor, title in ((one, "said the first"), (other, "said the second")):
        page = visitor.go(address)
        expect(page.locator(".cm-content")).to_be_visible()
        page.get_by_label("Title").fill(title)

    one.page.get_by_role("button", name="Save").click()
    expect(one.page.get_by_text("Saved.")).to_be_visible()
    other.page.get_by_role("button", name="Save").click()

    expect(other.page.get_by_role("heading", level=1)).to_have_text(
        "This note changed while you were editing it"
    )
    expect(other.page.get_by_role("cell", name="said the first")).to_be_visible()
    kept = store.get(strange[1].id)
    assert kept is not None
    assert kept.title == "said the first"
    for visitor in (one, other):
        visitor.context.close()


def test_a_note_of_a_megabyte_is_edited(visit: Visitor, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="large", body="a line of it\n" * 75_000)
    page = visit.go(f"/notes/{note.id}/edit")

    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("first ")
    for _ in "first ":  # so large a note may be edited as long as it does not grow
        page.keyboard.press("Delete")
    page.keyboard.press("Control+s")

    expect(page.get_by_text("Saved.")).to_be_visible()
    saved = store.get(note.id)
    assert saved is not None
    assert saved.body.startswith("first  of it\n")
