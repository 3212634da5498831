"""The next session as a picture: what it gets, why, and how to change that."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import preview as for_prompt
from anamnesis.store import MemoryStore

from .conftest import Visitor

APP = "github.com/team/app"


@pytest.fixture
def notes(store: MemoryStore) -> dict[str, str]:
    """More than a small budget has room for: ids by title."""
    made = [
        store.write(
            type="semantic", title=f"Fact {number}", body="It holds under load. " * 12, project=APP
        )
        for number in range(12)
    ]
    made += [
        store.write(
            type="episodic", title="Opened the gate", body="**Ask:** open it\n\nDone.",
            project=APP, prov_source="session-end", prov_session="s0",
        ),
        store.write(type="procedural", title="Answer in English", body="always"),
        store.write(
            type="episodic", title="Fixed the gate", body="**Ask:** fix it\n\n" + "did it. " * 90,
            project=APP, prov_source="session-end", prov_session="s1",
        ),
    ]  # fmt: skip
    return {note.title: note.id for note in made}


def _verdicts(page: Page) -> set[str]:
    return set(page.locator(".plan-table .verdict").all_inner_texts())


def test_the_bar_the_table_and_the_block_say_the_same(
    visit: Visitor, notes: dict[str, str]
) -> None:
    seen: set[str] = set()
    for budget in (500, 900, 1500, 3000):
        page = visit.go(f"/injection?project={APP}&budget={budget}")
        given = page.locator(".plan-table tr[id]", has=page.locator(".to-block"))
        expect(page.locator(".plan-bar a")).to_have_count(given.count())
        expect(page.locator(".block .piece")).to_have_count(given.count())
        for row in page.locator(".plan-table tr[id]").all():
            out = row.locator(".verdict").inner_text() == "left out"
            assert ("no room left" in row.inner_text()) == out
        for form in page.locator(".plan-forms a").all():
            name, number = form.inner_text().split(": ")
            counted = page.locator(".plan-table .verdict").filter(has_text=re.compile(f"^{name}$"))
            assert number.split()[0] == str(counted.count())
        seen |= _verdicts(page)
        for verdict in page.locator(".plan-table .verdict").all():
            box = verdict.bounding_box()
            assert box is not None
            assert box["height"] < 30  # a few words on one line
    assert {"whole", "a line", "in part", "title only", "left out"} <= seen
    assert visit.violations() == []


def test_bar_line_and_block_lead_to_each_other_by_keyboard(
    visit: Visitor, notes: dict[str, str]
) -> None:
    page = visit.go(f"/injection?project={APP}")
    note_id = notes["Fact 11"]
    segment = page.locator(f'.plan-bar a[href="#plan-{note_id}"]')
    expect(segment).to_have_attribute("aria-label", re.compile(r"^Fact 11: whole, \d+ characters$"))

    segment.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"#plan-{note_id}")).to_be_in_viewport()
    page.locator(f"#plan-{note_id} .to-block").press("Enter")
    piece = page.locator(f"#block-{note_id}")
    expect(piece).to_be_in_viewport()
    expect(piece).to_contain_text("It holds under load.")
    piece.get_by_role("link", name="To its line in the plan").press("Enter")

    expect(page.locator(f"#plan-{note_id}")).to_be_in_viewport()


def test_what_changed_since_the_last_session_is_told(
    visit: Visitor, store: MemoryStore, notes: dict[str, str]
) -> None:
    for session in ("s1", "s2"):
        inject(store.home, Payload(session_id=session, source="startup", cwd="."), project=APP)
    given, gone = notes["Fact 11"], notes["Fact 9"]
    store.delete(gone)
    fresh = store.write(type="semantic", title="Fact 12", body="new", project=APP)
    page = visit.go(f"/injection?project={APP}")

    expect(page.locator(f"#plan-{fresh.id} .badge")).to_have_text("new")
    expect(page.locator(f"#plan-{given} .badge")).to_have_count(0)
    expect(page.locator(".plan")).to_contain_text(f"no longer given: {gone}")
    figures = page.locator(f"#plan-{given} td.figure")
    assert figures.all_inner_texts()[1:] == ["2"]
    assert page.locator(f"#plan-{fresh.id} td.figure").all_inner_texts()[1:] == ["0"]
    expect(page.locator(".checks summary").first).to_contain_text("session s2")


def test_the_block_for_a_prompt_is_the_one_that_the_hook_gives(
    visit: Visitor, store: MemoryStore, notes: dict[str, str]
) -> None:
    store.write(
        type="semantic", title="Deploys need the VPN", body="Ask ops for access.", project=APP
    )
    prompt = "why does the deploy need the vpn here"
    page = visit.go(f"/injection?project={APP}")

    page.get_by_label("Preview a prompt").fill(prompt)

    block = page.locator("#for-prompt pre")
    expect(block).to_contain_text("Ask ops for access.")
    said, _ = for_prompt(store, prompt, project=APP)
    assert block.inner_text().strip() == said.strip()
    page.get_by_label("Preview a prompt").fill("thanks, go on")
    expect(page.locator("#for-prompt")).to_contain_text("would add nothing")
