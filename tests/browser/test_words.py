"""Words are never lost, and nothing is announced that did not happen."""

from __future__ import annotations

import re
import signal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server

from .conftest import Visitor
from .process import DashboardProcess


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed")


def _type(page: Page, text: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def _drafts(page: Page) -> list[str]:
    keys: list[str] = page.evaluate(
        "Object.keys(localStorage).filter(key => key.startsWith('draft '))"
    )
    return keys


def test_words_of_a_tab_that_was_closed_are_offered_again_until_they_are_saved(
    visit: Visitor, store: MemoryStore, note: Memory
) -> None:
    tab = visit.go(f"/notes/{note.id}/edit", visit.tab())
    _type(tab, ", always")
    tab.close()  # without a question, as a crash does

    page = visit.go(f"/notes/{note.id}/edit")
    expect(page.locator(".draft-offer")).to_contain_text("not saved")
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".cm-content")).to_have_text("needed, always")
    page.keyboard.press("Control+s")

    expect(page.locator(".prose")).to_have_text("needed, always")
    assert _drafts(page) == []
    visit.go(f"/notes/{note.id}/edit")
    expect(page.locator(".cm-content")).to_be_visible()
    expect(page.locator(".draft-offer")).to_have_count(0)


def test_words_of_a_tab_that_crashed_are_offered_again(visit: Visitor, note: Memory) -> None:
    tab = visit.go(f"/notes/{note.id}/edit", visit.tab())
    _type(tab, ", always")
    while not _drafts(tab):
        tab.wait_for_timeout(50)
    with pytest.raises(Error, match="crash"):
        tab.goto("chrome://crash")

    page = visit.go(f"/notes/{note.id}/edit")
    page.get_by_role("button", name="Restore").click()

    expect(page.locator(".cm-content")).to_have_text("needed, always")
    page.keyboard.press("Control+s")
    expect(page.locator(".prose")).to_have_text("needed, always")


def test_two_tabs_keep_their_words_apart_and_both_are_offered(visit: Visitor, note: Memory) -> None:
    for words in (" said the first", " said the second"):
        tab = visit.go(f"/notes/{note.id}/edit", visit.tab())
        _type(tab, words)
        tab.close()

    page = visit.go(f"/notes/{note.id}/edit")
    offer = page.locator(".draft-offer")
    expect(offer).to_have_count(1)
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".cm-content")).to_have_text("needed said the second")
    expect(offer).to_have_count(1)  # the words of the other tab
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".cm-content")).to_have_text("needed said the first")
    page.keyboard.press("Control+s")
    expect(page.locator(".prose")).to_have_text("needed said the first")
    visit.go(f"/notes/{note.id}/edit")
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".cm-content")).to_have_text("needed said the second")


def test_words_of_a_new_note_are_offered_again(visit: Visitor, store: MemoryStore) -> None:
    tab = visit.go("/new", visit.tab())
    tab.get_by_label("Title").fill("Staging")
    _type(tab, "hangs")
    tab.close()

    page = visit.go("/new")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_label("Title")).to_have_value("Staging")
    page.keyboard.press("Control+s")

    expect(page.locator(".prose")).to_have_text("hangs")
    assert [each.title for each in store.list()] == ["Staging"]
    assert _drafts(page) == []


@pytest.mark.parametrize("path", ["/notes/{id}/edit", "/new"])
def test_an_answer_that_was_lost_on_its_way_is_no_second_version(
    visit: Visitor, store: MemoryStore, note: Memory, path: str
) -> None:
    """The server saved the words, but the browser never learned so and saves again."""
    visit.expected = ("ERR_",)
    page = visit.go(path.format(id=note.id))
    page.get_by_label("Title").fill("Staging")
    _type(page, " words")

    page.evaluate(
        """() => { const real = window.fetch;
        window.fetch = async (address, options) => { const answer = await real(address, options);
          if (options?.method !== 'POST' || address === '/drafts') return answer;
          window.fetch = real; throw new TypeError('lost'); }; }"""
    )
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Not saved")

    page.keyboard.press("Control+s")

    expect(page.locator(".prose")).to_contain_text("words")
    assert len(store.list()) == (1 if "edit" in path else 2)
    assert _drafts(page) == []


@pytest.mark.parametrize("trouble", ["session", "server"])
def test_words_that_could_not_be_saved_are_offered_after_coming_back(
    visit: Visitor, server: Server, note: Memory, trouble: str
) -> None:
    visit.expected = ("ERR_", "401")
    tab = visit.go(f"/notes/{note.id}/edit", visit.tab())
    _type(tab, ", always")
    if trouble == "session":
        server.keys.end_all()
    else:
        visit.context.set_offline(True)
    tab.keyboard.press("Control+s")
    expect(tab.get_by_role("alert")).to_contain_text("Not saved")
    tab.close()

    visit.context.set_offline(False)
    page = visit.page
    if trouble == "session":
        page.goto(visit.server.link())
        page.wait_for_url(f"{visit.server.address}/")
    visit.go(f"/notes/{note.id}/edit")
    page.get_by_role("button", name="Restore").click()
    page.keyboard.press("Control+s")

    expect(page.locator(".prose")).to_have_text("needed, always")


def test_words_written_on_an_older_version_lead_to_both(
    visit: Visitor, store: MemoryStore, note: Memory
) -> None:
    tab = visit.go(f"/notes/{note.id}/edit", visit.tab())
    _type(tab, ", always")
    tab.close()
    found = store.read(note.id)
    assert found is not None
    store.update(replace(found.note, body="theirs"), expected_hash=found.hash)

    page = visit.go(f"/notes/{note.id}/edit")
    expect(page.locator(".draft-offer")).to_contain_text("saving will show both")
    page.get_by_role("button", name="Restore").click()
    page.keyboard.press("Control+s")

    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("changed while"))
    expect(page.get_by_label("Yours").last).to_contain_text("needed, always")
    page.get_by_role("button", name="Save the right side").click()
    expect(page.locator(".prose")).to_have_text("needed, always")
    assert _drafts(page) == []


def test_without_a_server_the_form_stays_and_says_so_and_saves_when_it_is_back(
    visit: Visitor, note: Memory
) -> None:
    visit.expected = ("ERR_", "401")
    page = visit.go(f"/notes/{note.id}/edit")
    _type(page, ", always")
    visit.context.set_offline(True)

    page.keyboard.press("Control+s")

    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    expect(page.locator("#connection")).to_contain_text("cannot be reached")
    expect(page.locator(".cm-content")).to_have_text("needed, always")
    visit.context.set_offline(False)
    expect(page.locator("#connection")).to_have_count(0)

    visit.context.clear_cookies()  # the session has ended
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("session has ended")
    visit.tab().goto(visit.server.link())
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_have_text("needed, always")


def test_words_typed_while_others_are_being_saved_are_offered_again(
    visit: Visitor, store: MemoryStore, note: Memory
) -> None:
    page = visit.go(f"/notes/{note.id}/edit")
    typed = page.locator(".cm-content")
    typed.click()
    page.keyboard.type("first words ")
    sending: list[Route] = []

    def hold(route: Route) -> None:  # the server takes its time
        sending.append(route)

    page.route(f"**/notes/{note.id}", hold)

    page.keyboard.press("Control+s")
    expect(page.locator("form[aria-busy]")).to_be_visible()
    page.keyboard.type("and later ones ")
    with page.expect_navigation():
        sending[0].continue_()

    expect(page.get_by_text("was not saved")).to_be_visible()
    read = store.get(note.id)
    assert read is not None
    assert "first words" in read.body
    assert "later ones" not in read.body
    page.get_by_role("button", name="Restore").click()
    expect(typed).to_contain_text("first words and later ones")


def test_a_list_follows_the_disk_in_place(visit: Visitor, store: MemoryStore) -> None:
    notes = [store.write(type="semantic", title=f"Note {n}", body="words") for n in range(40)]
    page = visit.go("/notes")
    page.get_by_label("Select Note 20").check()
    title = page.get_by_role("link", name="Note 21", exact=True)
    title.focus()
    scrolled = page.evaluate("scrollY")

    store.write(type="semantic", title="One more", body="words")
    store.delete(notes[30].id)

    expect(page.get_by_role("link", name="One more")).to_be_attached()
    expect(page.get_by_text("Note 30", exact=True)).to_have_count(0)
    expect(page.locator(".found-head")).to_contain_text("40 notes")
    expect(page.get_by_label("Select Note 20")).to_be_checked()
    expect(title).to_be_focused()
    assert abs(page.evaluate("scrollY") - scrolled) < 120  # one row more is above
    expect(page.locator(".toast")).to_have_count(0)


def test_a_notice_covers_nothing_that_can_be_pressed(visit: Visitor, store: MemoryStore) -> None:
    for number in range(30):
        store.write(type="semantic", title=f"Note {number}", body="words")
    page = visit.go("/notes")
    page.get_by_label("Select Note 29").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("1 note deleted")
    page.get_by_label("Select Note 28").check()

    covered = page.evaluate(
        """() => [...document.querySelectorAll('main button, main a, main input, .top a')]
        .filter(each => { const box = each.getBoundingClientRect();
          return box.width && box.top > 0 && box.bottom < innerHeight &&
            document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
              ?.closest('#toasts'); })
        .map(each => each.outerHTML)"""
    )

    assert covered == []


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_is_killed_while_one_types_costs_nothing(
    chrome: Browser, store: MemoryStore, note: Memory, ending: signal.Signals
) -> None:
    with DashboardProcess() as first:
        visitor = Visitor(chrome, first)
        visitor.expected = ("ERR_", "421")
        page = visitor.go(f"/notes/{note.id}/edit")
        _type(page, ", always")
        code, said = first.end(ending)
    assert "Traceback" not in said
    assert code == (-ending if ending == signal.SIGKILL else 130)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    expect(page.locator("#connection")).to_contain_text("cannot be reached")

    with DashboardProcess() as again:
        assert again.address != first.address
        expect(page.locator("#connection")).to_contain_text("has a new address")
        expect(page.locator(".cm-content")).to_have_text("needed, always")
        visitor.known.add(urlsplit(again.address).netloc)
        other = visitor.tab()
        other.goto(again.link())
        other.get_by_role("button", name="Restore").click()
        expect(other.locator(".cm-content")).to_have_text("needed, always")
        other.keyboard.press("Control+s")
        expect(other.locator(".prose")).to_have_text("needed, always")
        visitor.context.close()
    assert visitor.complaints == []


def test_what_was_done_is_undone_from_any_page_and_as_a_whole(
    visit: Visitor, store: MemoryStore
) -> None:
    for number in range(3):
        store.write(type="semantic", title=f"Note {number}", body="words", scope="machine-local")
    page = visit.go("/notes")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("3 notes deleted")

    visit.go("/history?deleted=1")
    page.get_by_role("button", name="Restore Note 1").click()
    expect(page.get_by_role("heading", name="Note 1")).to_be_visible()
    visit.go("/fleet")
    page.keyboard.press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone: 1 note restored")
    assert store.list() == []

    visit.go("/history?undo=1")
    page.get_by_role("button", name="Undo: 3 notes deleted").click()
    expect(page.locator(".toast")).to_contain_text("3 notes put back")
    assert len(store.list()) == 3
