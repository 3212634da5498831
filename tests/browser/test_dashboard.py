"""What a person does with the dashboard, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from anamnesis.archive.turns import Header, Turn
from anamnesis.config import Home
from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.hooks.payload import Payload
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server
from support.archive import save
from support.notes import write_file

from .conftest import Visitor


@pytest.fixture
def notes(store: MemoryStore) -> list[Memory]:
    """A few notes of all kinds, the last one replaced."""
    save(
        Home(store.root),
        Header(session="s-1", agent="claude-code", project="github.com/team/app"),
        [
            Turn("person", at="2026-11-10T09:00:00Z", text="Fix the flaky test"),
            Turn("agent", tool="Bash", command=f"pytest {'x' * 400}", result="1\n2", failed=True),
            Turn("agent", tool="Read", file=f"/home/{'y' * 400}", input='{"limit": 5}'),
        ],
    )
    old = store.write(type="semantic", title="Staging needs the VPN", body="It **hangs** without.")
    return [
        store.write(
            type="semantic", title="Staging is open since May", body="Use `psql service=staging`.",
            project="github.com/team/app", machine_id="desk", tags=["staging", "database"],
            supersedes=old.id,
        ),
        store.write(
            type="procedural", title="How to release", project="github.com/team/app",
            body="1. tag\n2. wait\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", tags=["release"],
        ),
        store.write(
            type="episodic", title="Fixed the flaky test", body="Froze the clock.",
            prov_source="session-end", prov_session="s-1", confidence=0.7, tags=["tests"],
        ),
        old,
    ]  # fmt: skip


def _pages(notes: list[Memory]) -> dict[str, str]:
    note = notes[0].id
    return {
        "pulse": "/",
        "notes": "/notes",
        "search": "/notes?q=staging+psql",
        "nothing found": "/notes?q=zzzz",
        "note": f"/notes/{note}",
        "replaced note": f"/notes/{notes[-1].id}",
        "source": f"/notes/{note}/source",
        "history of a note": f"/notes/{note}/history",
        "edit": f"/notes/{note}/edit",
        "new": "/new",
        "review": "/review",
        "duplicates": "/tidy",
        "stale": "/tidy?view=stale",
        "sources": "/tidy?view=sources",
        "merge": f"/merge?ids={notes[0].id}+{notes[1].id}",
        "history": "/history",
        "one version": "/history?version=HEAD",
        "deleted notes": "/history?deleted=1",
        "undo": "/history?undo=1",
        "conflicts": "/conflicts",
        "fleet": "/fleet",
        "injection": "/injection?project=github.com/team/app",
        "forgotten": "/forgotten",
        "timeline": "/timeline",
        "sessions": "/sessions",
        "session": "/session/s-1?around=1",
        "settings": "/settings",
        "doctor": "/settings?doctor=1",
        "no such page": "/nowhere",
        "error": "/notes/NOSUCH",
    }


def test_no_page_has_an_accessibility_violation(
    chrome: Browser, server: Server, store: MemoryStore, notes: list[Memory]
) -> None:
    write_file(store.root, "memory/semantic/broken.md", "no front matter")
    record_locally(store, machine_id="laptop")
    inject(Home(store.root), Payload(session_id="s-1"), project="github.com/team/app")
    visitor = Visitor(chrome, server)

    found = {}
    for name, path in _pages(notes).items():
        visitor.go(path)
        found[name] = visitor.violations()

    assert {name: violations for name, violations in found.items() if violations} == {}
    assert [text for text in visitor.complaints if "404" not in text] == []
    visitor.context.close()


def test_every_page_fits_on_a_phone(
    chrome: Browser, server: Server, store: MemoryStore, notes: list[Memory]
) -> None:
    record_locally(store, machine_id="laptop")
    visitor = Visitor(chrome, server, viewport={"width": 360, "height": 740})

    widths = {}
    for name, path in _pages(notes).items():
        page = visitor.go(path)
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
        expect(page.locator("nav.side")).to_be_in_viewport(ratio=0.99)
        assert visitor.violations() == [], name

    assert {name: width for name, width in widths.items() if width > 360} == {}
    visitor.context.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_pages_that_a_form_leads_to_are_accessible_too(
    chrome: Browser, server: Server, store: MemoryStore, notes: list[Memory], width: int
) -> None:
    store.write(type="semantic", title="Staging, proposed", body="It hangs.", tags=["pending"])
    visitor = Visitor(chrome, server, viewport={"width": width, "height": 740})
    page = visitor.go("/review")
    expect(page.get_by_role("heading", name="Staging, proposed")).to_be_visible()
    found = {"review": visitor.violations()}

    visitor.go("/notes")
    page.get_by_label("Select How to release").check()
    found["acts"] = visitor.violations()
    page.get_by_role("button", name="Forget …").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Forget")
    found["forget"] = visitor.violations()

    visitor.go(f"/notes/{notes[1].id}/edit")
    page.locator(".cm-content").click()
    page.keyboard.type("mine ")
    read = store.read(notes[1].id)
    assert read is not None
    store.update(replace(read.note, body="theirs"), expected_hash=read.hash)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", name="This note changed")).to_be_visible()
    found["merge"] = visitor.violations()

    assert {name: violations for name, violations in found.items() if violations} == {}
    visitor.context.close()


def test_an_empty_store_teaches_and_is_accessible(visit: Visitor) -> None:
    for path in ("/", "/notes"):
        visit.go(path)
        expect(visit.page.get_by_text("anamnesis write")).to_be_visible()
        assert visit.violations() == []


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_of_an_empty_store_is_accessible(
    chrome: Browser, server: Server, width: int
) -> None:
    visitor = Visitor(chrome, server, viewport={"width": width, "height": 780})
    for page in ("/notes", "/review", "/tidy", "/fleet", "/timeline", "/sessions"):
        visitor.go(page)
        assert visitor.violations() == [], page
    visitor.context.close()


def test_search_answers_while_typing_and_the_address_keeps_it(
    visit: Visitor, notes: list[Memory]
) -> None:
    page = visit.go("/notes")

    page.get_by_label("Search all notes").press_sequentially("flaky clo")

    expect(page.locator(".row-title")).to_have_count(1)
    expect(page.locator("mark").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=flaky\+clo|q=flaky%20clo"))
    page.reload()
    expect(page.locator(".row-title")).to_have_text(["Fixed the flaky test"])


def test_facets_narrow_and_are_taken_back(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/notes")

    page.get_by_role("complementary", name="Filters").get_by_role(
        "link", name="procedural 1"
    ).click()
    expect(page.locator(".row-title")).to_have_text(["How to release"])
    page.get_by_title("Remove this filter").click()

    expect(page.locator(".row-title")).to_have_count(3)


def test_everything_works_from_the_keyboard(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/")

    page.keyboard.press("g")
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile("/notes$"))
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(".selection")).to_be_visible()
    expect(page.locator("[data-selected]")).to_have_text("1 selected")
    title = page.locator(".note-row:has(:checked) .row-title").inner_text()
    page.keyboard.press("o")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.keyboard.press("e")
    expect(page).to_have_url(re.compile("/edit$"))
    page.go_back()
    page.keyboard.press("/")
    page.keyboard.type("release")
    page.keyboard.press("Enter")
    expect(page.locator(".row-title").first).to_have_text("How to release")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_the_palette_goes_to_pages_and_notes(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/")

    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Command palette")
    expect(dialog).to_be_visible()
    assert visit.violations() == []
    page.keyboard.type("how to rel")
    expect(dialog.get_by_role("option", selected=True)).to_contain_text("How to release")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("How to release")


def test_an_edit_is_saved_with_the_keyboard(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    page = visit.go(f"/notes/{notes[1].id}/edit")

    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nWatch the **canary**.")
    page.get_by_label("Tags").fill("release, canary")
    page.keyboard.press("Control+s")

    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator(".prose strong")).to_have_text("canary")
    saved = store.get(notes[1].id)
    assert saved is not None
    assert saved.body == f"{notes[1].body}\nWatch the **canary**."
    assert saved.tags == ["release", "canary"]


def test_a_preview_shows_the_text_as_it_will_read(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/new")

    page.get_by_label("Title").fill("t")
    page.locator(".cm-content").click()
    page.keyboard.type("# Heading of it")
    page.get_by_role("button", name="Preview").click()

    expect(page.locator("#preview h1")).to_have_text("Heading of it")
    page.locator("form[data-editor]").evaluate("form => form.removeAttribute('data-dirty')")


def test_two_tabs_that_edit_one_note_lose_nothing(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    address = f"/notes/{notes[2].id}/edit"
    first, second = visit.page, visit.tab()
    visit.go(address, first)
    visit.go(address, second)
    for page, text in ((first, "Said the first.\n"), (second, "Said the second.\n")):
        page.locator(".cm-content").click()
        page.keyboard.press("Control+Home")
        page.keyboard.type(text)
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_text("Saved.")).to_be_visible()

    second.get_by_role("button", name="Save").click()

    expect(second.get_by_role("heading", level=1)).to_have_text(
        "This note changed while you were editing it"
    )
    expect(second.locator(".cm-merge-a")).to_contain_text("Said the first.")
    mine = second.locator(".cm-merge-b .cm-content")
    expect(mine).to_contain_text("Said the second.")
    visit.page = second
    assert visit.violations() == []
    mine.click()
    second.keyboard.press("Control+Home")
    second.keyboard.type("Said the first.\n")
    second.get_by_role("button", name="Save the right side").click()
    expect(second.get_by_text("Saved.", exact=True)).to_be_visible()
    saved = store.get(notes[2].id)
    assert saved is not None
    assert saved.body.startswith("Said the first.\nSaid the second.\n")


def test_notes_are_deleted_together_and_brought_back(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    page = visit.go("/notes")

    for box in page.get_by_role("checkbox").all()[:2]:
        box.check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 notes deleted.")).to_be_visible()
    assert len(store.list()) == 2
    assert visit.violations() == []
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text("2 notes put back.")).to_be_visible()
    assert len(store.list()) == 4
    expect(page).to_have_url(re.compile("/notes$"))


def test_a_change_on_disk_is_told(visit: Visitor, store: MemoryStore, notes: list[Memory]) -> None:
    page = visit.go(f"/notes/{notes[1].id}")
    page.wait_for_timeout(1500)
    found = store.read(notes[1].id)
    assert found is not None

    store.update(found.note, expected_hash=found.hash)

    expect(page.get_by_text("This note changed on disk.")).to_be_visible()
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_text("This note changed on disk.")).to_have_count(0)


def test_any_number_of_tabs_can_be_open(visit: Visitor, notes: list[Memory]) -> None:
    """A browser opens six connections to one server; the pages must not keep them."""
    for _ in range(8):
        visit.go("/notes", visit.tab())

    expect(visit.go(f"/notes/{notes[0].id}").locator("h1")).to_be_visible()


def test_an_edit_in_place_by_another_program_is_told(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    page = visit.go(f"/notes/{notes[1].id}")
    page.wait_for_timeout(500)
    [file] = store.root.rglob(f"{notes[1].id}.md")
    file.write_bytes(file.read_bytes() + b"\nmore\n")

    expect(page.get_by_text("This note changed on disk.")).to_be_visible()


def test_the_colours_follow_the_system_or_the_person(
    chrome: Browser, server: Server, notes: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, color_scheme="dark")
    page = visitor.go("/notes")
    assert _brightness(page) < 60

    page.get_by_role("button", name="Theme: auto").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert _brightness(page) > 200

    page.get_by_role("button", name="Theme: light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert _brightness(page) < 60
    visitor.context.close()


def _brightness(page: Page) -> float:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, re.findall(r"\d+", colour)[:3])) / 3


def test_reading_searching_and_saving_work_without_scripts(
    chrome: Browser, server: Server, store: MemoryStore, notes: list[Memory]
) -> None:
    visitor = Visitor(chrome, server, java_script_enabled=False)
    page = visitor.go("/")
    page.get_by_label("Search all notes").fill("release")
    page.get_by_label("Search all notes").press("Enter")
    page.get_by_role("link", name="How to release").click()
    expect(page.locator(".prose table")).to_be_visible()
    assert page.get_by_role("button", name="Command palette").count() == 0

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("plain words")
    page.get_by_role("button", name="Save").click()

    expect(page.locator(".prose")).to_have_text("plain words")
    saved = store.get(notes[1].id)
    assert saved is not None
    assert saved.body == "plain words"
    visitor.context.close()


def test_a_hostile_note_does_nothing(visit: Visitor, store: MemoryStore) -> None:
    evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    note = store.write(
        type="semantic", title=f"x {evil}", project=evil, machine_id=evil, tags=[evil],
        body=f"{evil}\n\n[x](javascript:document.title='owned') ![x](http://evil.example/x.png)",
    )  # fmt: skip

    for path in ("/", "/notes", "/notes?q=owned", f"/notes/{note.id}", f"/notes/{note.id}/edit"):
        page = visit.go(path)
        page.wait_for_timeout(100)
        assert page.title() != "owned"


def test_a_printed_note_is_only_the_note(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go(f"/notes/{notes[1].id}")

    page.emulate_media(media="print")

    expect(page.locator(".prose")).to_be_visible()
    expect(page.locator(".top")).to_be_hidden()
    expect(page.locator("nav.side")).to_be_hidden()


def test_a_version_is_compared_and_brought_back(
    visit: Visitor, store: MemoryStore, notes: list[Memory]
) -> None:
    record_locally(store, machine_id="laptop")
    page = visit.go(f"/notes/{notes[2].id}/edit")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Another text.")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved.")).to_be_visible()

    page.get_by_role("link", name="History").last.click()
    expect(page.locator(".diff .removed").last).to_contain_text("Froze the clock.")
    page.locator(".version-list a").last.click()
    page.get_by_role("button", name="Restore this version").click()

    expect(page.get_by_text("Restored as a new version.")).to_be_visible()
    expect(page.locator(".prose")).to_have_text("Froze the clock.")


def test_the_preview_of_an_injection_follows_the_budget(visit: Visitor, store: MemoryStore) -> None:
    store.write(type="semantic", title="Always on", body="words " * 400)
    page = visit.go("/injection")
    expect(page.locator(".verdict")).to_have_text("whole")

    page.get_by_label("Budget").fill("1500")

    expect(page.locator(".verdict")).to_have_text("in part")
    expect(page).to_have_url(re.compile("budget=1500"))


def test_the_next_session_is_a_picture_that_can_be_changed(
    visit: Visitor, store: MemoryStore
) -> None:
    app = "github.com/team/app"
    rule = store.write(type="procedural", title="Answer in English", body="always")
    deploy = store.write(type="semantic", title="Deploys need the VPN", body="- ask", project=app)
    session = Payload(session_id="s1", source="startup", cwd=".")
    inject(store.home, session, project=app)
    late = store.write(type="semantic", title="Staging hangs at night", body="x", project=app)
    page = visit.go(f"/injection?project={app}")

    expect(page.locator(".plan-bar a")).to_have_count(3)
    expect(page.locator(f"#plan-{late.id} .badge")).to_have_text("new")
    expect(page.locator(f"#plan-{deploy.id}")).to_contain_text("1")  # given once
    expect(page.locator(f"#block-{deploy.id}")).to_contain_text("- ask")
    page.locator(f"#plan-{deploy.id} .to-block").click()
    expect(page.locator(f"#block-{deploy.id}")).to_be_in_viewport()

    page.get_by_label("Preview a prompt").fill("why does the deploy need the vpn here")
    expect(page.locator("#for-prompt")).to_contain_text("Deploys need the VPN")
    page.get_by_role("button", name="Exclude: Answer in English").click()
    expect(page.locator(".toast")).to_contain_text("Sessions no longer start with it")
    expect(page.locator(".plan-bar a")).to_have_count(2)
    page.get_by_text("1 excluded note").click()
    page.get_by_role("button", name="Include: Answer in English").click()
    page.get_by_role("button", name="Pin: Deploys need the VPN").click()
    expect(page.get_by_role("button", name="Unpin: Deploys need the VPN")).to_be_visible()
    page.get_by_role("button", name="Project only: Answer in English").click()
    expect(page.locator(".toast")).to_contain_text(f"only to sessions of {app}")
    kept = store.get(rule.id)
    assert kept is not None
    assert kept.project == app
    assert visit.violations() == []


def test_a_long_note_reads_well(visit: Visitor, store: MemoryStore) -> None:
    vpn = store.write(type="semantic", title="Deploys need the `VPN`", body="ask **ops**")
    wide = "| " + " | ".join(f"column{n}" for n in range(40)) + " |"
    rule = "|" + "--:|" * 40
    body = (
        f"# First\n\n[[deploys need the `vpn`]], {vpn.id} and https://example.org/a. Why[^1]\n\n"
        f"- [x] done\n\n{wide}\n{rule}\n{wide}\n\n```python\nreturn 1\n```\n\n## Second\n\n"
        + "words\n\n" * 60
        + "## Third\n\nturned \u202eround\n\n[^1]: because\n"
    )
    note = store.write(type="semantic", title="Handbook", body=body)
    page = visit.go(f"/notes/{note.id}")

    prose = page.locator(".prose").first
    expect(prose.locator(".footnotes")).to_contain_text("because")
    expect(prose).to_contain_text("☑ done")
    expect(prose).to_contain_text("⟦U+202E⟧")
    expect(prose.locator(".hl-k")).to_have_text("return")
    expect(prose.locator("a.url")).to_have_attribute("href", "https://example.org/a")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    prose.locator("a.note-link").first.hover()
    expect(page.locator(".hover-card")).to_contain_text("ask ops")
    assert visit.violations() == []

    page.get_by_role("navigation", name="Outline").get_by_role("link", name="Third").click()
    expect(page.get_by_role("heading", name="Third")).to_be_in_viewport()
    expect(page.locator(".bar-title")).to_be_visible()
    expect(page.get_by_role("link", name="Edit")).to_be_in_viewport()
    visit.go(f"/notes/{vpn.id}")
    expect(page.locator("h1 code")).to_have_text("VPN")
    page.get_by_role("region", name="Notes that link here").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Handbook")).to_be_visible()
    page.get_by_role("navigation", name="Newer and older notes").get_by_role("link").click()
    expect(page.locator("h1 code")).to_have_text("VPN")
    visit.expected = ("404",)
    visit.go("/notes/01M7KY41MK1X7QRZ9ADEA9GE0F")
    expect(page.locator("h1")).to_have_text("There is no note at this address.")
    expect(page.locator("main")).not_to_contain_text("anamnesis ")


def test_a_day_of_the_calendar_shows_its_notes(visit: Visitor, notes: list[Memory]) -> None:
    page = visit.go("/timeline")

    page.locator(".calendar a").last.click()

    expect(page).to_have_url(re.compile("day="))
    expect(page.locator(".line-title", has_text="How to release")).to_be_visible()
