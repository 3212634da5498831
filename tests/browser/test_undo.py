"""Everything that changed notes is undone: from any page, as one, and after a restart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.routing import Route

from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.notes.fields import Memory
from anamnesis.operations.notes.delete import delete
from anamnesis.store import MemoryStore
from anamnesis.web.app import routes
from anamnesis.web.serve import Server
from support.thin import every

from .conftest import Visitor

APP = "github.com/team/app"


@pytest.fixture
def notes(store: MemoryStore) -> list[Memory]:
    """Of every kind: alike, to review, of an early version, edited, for all projects, deleted."""
    made = [
        store.write(type="semantic", title="VPN", body="the same words, twice", project=APP),
        store.write(type="semantic", title="VPN again", body="the same words, twice", project=APP),
        store.write(type="semantic", title="Proposed", body="of a model", tags=["pending"]),
        store.write(type="episodic", title="Old", body="b", tags=["session"]),
        store.write(type="semantic", title="Edited", body="at first"),
        store.write(type="procedural", title="Everywhere", body="for all"),
    ]
    gone = store.write(type="semantic", title="Gone", body="but not lost", scope="machine-local")
    record_locally(store, machine_id="laptop")
    found = store.read(made[4].id)
    assert found is not None
    store.update(replace(found.note, body="then"), expected_hash=found.hash)
    delete(store, [gone.id])
    record_locally(store, machine_id="laptop")
    return made


def _files(root: Path) -> dict[str, bytes]:
    """Every note of the store, byte for byte."""
    found = [*(root / "memory").rglob("*.md"), *(root / "local").rglob("*.md")]
    return {str(each.relative_to(root)): each.read_bytes() for each in found}


def _selected(page: Page, *titles: str) -> None:
    for title in titles:
        page.get_by_label(f"Select {title}", exact=True).check()


def _change(command: str, value: str = "") -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_label("What to do").select_option(label=command)
        if value:
            page.get_by_label("Value", exact=True).fill(value)
        page.get_by_role("button", name="Apply").click()

    return act


def _in_list(*acts: Callable[[Page], None]) -> tuple[str, Callable[[Page], None]]:
    def act(page: Page) -> None:
        _selected(page, "VPN", "VPN again")
        for each in acts:
            each(page)

    return "/notes", act


def _press(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


def _write(page: Page) -> None:
    page.get_by_label("Title").fill("Written here")
    page.locator(".cm-content").click()
    page.keyboard.type("words")
    page.keyboard.press("Control+s")


def _edit(page: Page) -> None:
    page.locator(".cm-content").click()
    page.keyboard.type("more ")
    page.keyboard.press("Control+s")


def _import(page: Page) -> None:
    page.locator("input[data-import]").first.set_input_files(
        {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Imported\n\nfrom a file\n"}
    )


def _look_and_fold(page: Page) -> None:
    _press("Look for duplicates")(page)
    page.get_by_role("button", name="Keep one", exact=True).click()


def _restore(page: Page) -> None:
    page.locator(".version-list a").last.click()
    page.get_by_role("button", name="Restore this version").click()


ACTS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "write": ("/new", _write),
    "edit": ("/notes/{0}/edit", _edit),
    "edit in review": ("/notes/{2}/edit?review=1", _edit),
    "delete": _in_list(_press("Delete")),
    "tag": _in_list(_change("Add the tag", "staging")),
    "project": _in_list(_change("Move to the project", "github.com/team/web")),
    "type": _in_list(_change("Set the type to", "procedural")),
    "confidence": _in_list(_change("Set the confidence to", "0.5")),
    "pin": _in_list(_change("Pin")),
    "local": _in_list(_change("Make local only")),
    "replace": _in_list(_change("Let the latest replace the others")),
    "merge": _in_list(_press("Merge"), _press("Merge and replace")),
    "import": ("/notes", _import),
    "keep": ("/review?note={2}", _press("Keep y")),
    "reject": ("/review?note={2}", _press("Reject r")),
    "fold": ("/tidy", _look_and_fold),
    "sources": ("/tidy?view=sources", _press("Fill in the source of 1 note")),
    "restore a version": ("/notes/{4}/history", _restore),
    "bring back": ("/history?deleted=1", _press("Restore Gone")),
    "exclude": (f"/injection?project={APP}", _press("Exclude: VPN")),
    "project only": (f"/injection?project={APP}", _press("Project only: Everywhere")),
}
# The addresses that these acts are sent to, and the others with their reasons.
UNDONE = {
    "/new", "/notes", "/notes/{id}", "/merge", "/import", "/review", "/tidy/fold", "/backfill",
    "/notes/{id}/restore", "/notes/{id}/bring-back", "/injection",
    "/conflicts", "/conflicts/{id}",  # in test_conflicts
    "/reflect",  # in tests/web, with a model
    "/undo", "/api/notes", "/api/notes/{id}", "/api/review/{id}",  # the same acts for scripts
}  # fmt: skip
FOR_GOOD = {"/notes/{id}/redact", "/forget"}  # undoing would put the secret back; forget asks
NOT_NOTES = {
    "/appearance", "/sign-out", "/settings/config", "/settings/agents", "/settings/test",
    "/settings/refresh", "/fix", "/views", "/preview", "/drafts", "/tidy", "/sync",
    "/fleet/approve", "/api/open", "/repository",
}  # fmt: skip


def test_every_address_that_changes_something_is_accounted_for() -> None:
    changing = {
        route.path
        for route in routes()
        if isinstance(route, Route) and route.methods and route.methods - {"GET", "HEAD"}
    }

    assert changing == UNDONE | FOR_GOOD | NOT_NOTES


@pytest.mark.parametrize("name", every(3, ACTS))
def test_what_changed_notes_is_undone_with_one_key_from_another_page(
    visit: Visitor, store: MemoryStore, notes: list[Memory], name: str
) -> None:
    before = _files(store.root)
    path, act = ACTS[name]
    page = visit.go(path.format(*(note.id for note in notes)))

    act(page)
    expect(page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
    assert _files(store.root) != before

    visit.go("/fleet")
    page.keyboard.press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone: ")
    assert _files(store.root) == before
    page.get_by_role("button", name="Undo").click()  # which does it again
    expect(page.locator(".toast")).to_contain_text(re.compile("put back|Undone"))
    assert _files(store.root) != before


def test_what_was_done_is_undone_step_by_step_after_a_restart(
    chrome: Browser, store: MemoryStore, notes: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    before = _files(store.root)
    with Server(store.root) as first:
        visitor = Visitor(chrome, first)
        page = visitor.go("/notes")
        for title in ("VPN", "Everywhere"):
            _selected(page, title)
            page.get_by_role("button", name="Delete").click()
            expect(page.locator(".toast")).to_contain_text("1 note deleted")
        page.goto("about:blank")  # an open page would ask for a server that is not there

    with Server(store.root) as again:
        visitor.follow(again)
        visitor.go("/history?undo=1")
        expect(page.locator(".event")).to_have_count(3)  # one was there before
        expect(page.locator(".event").first).to_contain_text("Everywhere")
        visitor.go("/timeline")
        for _ in ("Everywhere", "VPN"):
            page.keyboard.press("Control+z")
            expect(page.locator(".toast")).to_contain_text("Undone: 1 note deleted")
            page.locator(".toast").evaluate("toast => toast.remove()")
        assert _files(store.root) == before
        visitor.context.close()
    assert visitor.complaints == []


def test_the_undo_of_the_editor_stays_with_its_text(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    page = visit.go("/notes")
    _selected(page, "VPN")
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("1 note deleted")
    visit.go(f"/notes/{notes[1].id}/edit")
    page.locator(".cm-content").click()
    page.keyboard.type("typed ")

    page.keyboard.press("Control+z")

    expect(page.locator(".cm-content")).to_have_text("the same words, twice")
    assert store.get(notes[0].id) is None
