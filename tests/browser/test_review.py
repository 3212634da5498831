"""Deciding about proposed notes, with the keyboard and with the mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server
from support.reflect import durable

from .conftest import Visitor


@pytest.fixture
def waiting(store: MemoryStore) -> list[Memory]:
    """Three proposals, the first in the place of an older note."""
    old = durable(store, "The port", body="The service listens on port 8080.")
    return [
        durable(
            store, "The port changed", body="The service listens on **port 9090**.",
            supersedes=old.id, tags=["reflection", "pending"],
        ),
        durable(store, "Tests need Postgres", body="On the default port.", tags=["pending"]),
        durable(store, "Deploys need the VPN", body="Else they hang.", tags=["pending"]),
    ]  # fmt: skip


def test_a_review_is_done_with_the_keyboard(
    visit: Visitor, store: MemoryStore, waiting: list[Memory]
) -> None:
    page = visit.go("/")
    page.keyboard.press("g")
    page.keyboard.press("v")
    title = page.locator(".proposal-title")
    expect(title).to_have_text("The port changed")
    assert visit.violations() == []

    page.keyboard.press("s")
    expect(title).to_have_text("Tests need Postgres")
    page.keyboard.press("y")
    expect(page.locator(".toast")).to_contain_text("1 note kept.")
    expect(title).to_have_text("Deploys need the VPN")
    page.keyboard.press("r")
    expect(page.locator(".toast")).to_contain_text("1 note rejected.")
    assert store.get(waiting[2].id) is None
    page.get_by_role("button", name="Undo").click()

    expect(page.locator(".toast")).to_contain_text("1 note put back")
    assert store.get(waiting[2].id) == waiting[2]


def test_the_decision_stays_in_view_and_a_session_is_kept_as_a_whole(
    visit: Visitor, store: MemoryStore
) -> None:
    for number in range(3):
        durable(
            store, f"Rule {number}", body="A long line.\n\n" * 90, tags=["pending"],
            prov_session="s-1",
        )  # fmt: skip
    other = durable(store, "Another session's", body="Else.", tags=["pending"], prov_session="s-2")
    page = visit.go("/review")
    expect(page.locator(".decision-count")).to_have_text("1 of 4")
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    expect(page.get_by_role("button", name="Keep y")).to_be_in_viewport()
    assert visit.violations() == []

    page.get_by_role("button", name="Keep them all").click()

    expect(page.locator(".toast")).to_contain_text("3 notes kept.")
    expect(page.locator(".proposal-title")).to_have_text("Another session's")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".decision-count")).to_contain_text("of 4")
    found = store.get(other.id)
    assert found is not None
    assert "pending" in found.tags


def test_a_proposal_is_put_into_a_persons_words_and_kept(
    visit: Visitor, store: MemoryStore, waiting: list[Memory]
) -> None:
    page = visit.go("/review")

    page.keyboard.press("e")
    expect(page.locator(".cm-content")).to_be_visible()
    page.get_by_label("Title").fill("The port, in my words")
    page.keyboard.press("Control+s")

    expect(page.locator(".toast")).to_contain_text("1 note kept.")
    kept = store.get(waiting[0].id)
    assert kept is not None
    assert (kept.title, kept.tags) == ("The port, in my words", ["reflection"])


def test_a_review_needs_no_script(
    chrome: Browser, server: Server, store: MemoryStore, waiting: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, java_script_enabled=False)
    page = visitor.go("/review")

    page.get_by_role("link", name="Tests need Postgres").click()
    page.locator("button[value=reject]").click()

    expect(page.get_by_text("1 note rejected.")).to_be_visible()
    assert store.get(waiting[1].id) is None
    visitor.context.close()


def test_the_review_is_accessible_and_fits_on_a_phone(
    chrome: Browser, server: Server, waiting: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": 360, "height": 740})
    for path in ("/review", f"/notes/{waiting[0].id}", "/notes?review=pending"):
        page = visitor.go(path)

        assert visitor.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    visitor.context.close()


def test_pulse_leads_to_what_waits(visit: Visitor, waiting: list[Memory]) -> None:
    page = visit.go("/")

    page.get_by_role("link", name="3 notes to review").click()

    expect(page).to_have_url(re.compile("/review$"))
