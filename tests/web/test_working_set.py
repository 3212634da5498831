"""What sessions are given, and why a search finds what it finds."""

from __future__ import annotations

import re
from html import unescape

from starlette.testclient import TestClient

from anamnesis.config import Home
from anamnesis.hooks import receipts
from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

from .conftest import HOST, ORIGIN


def test_the_block_is_the_one_that_the_hook_prints(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="always on", body="a global fact")
    store.write(type="procedural", title="of the project", body="a step", project="p")

    html = browser.get("/injection", params={"project": "p"}).text
    printed = inject(Home(store.root), Payload(), project="p", format="text")

    block = html.partition('aria-label="The block">')[2].partition("</pre>")[0]
    without_links = re.sub(
        r"<a class=\"back-link\".*?</a>|</?span[^>]*>", "", block, flags=re.DOTALL
    )
    assert unescape(without_links).strip() == printed.strip()
    assert "always on" in html
    assert "recent procedural note of the project" in html


def test_a_note_without_room_says_so(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="listed", body="word " * 2000)
    store.write(type="semantic", title="too long", body="word " * 2000)

    html = browser.get("/injection", params={"budget": "1000"}).text

    assert "in part" in html
    assert "title only" in html
    assert "1,000 characters used" in html


def test_receipts_show_what_a_session_got(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="always on", body="a global fact")
    inject(Home(store.root), Payload(session_id="s-42", source="startup"), project="p")

    assert "s-42" in browser.get("/injection").text
    assert "Given to sessions" in browser.get(f"/notes/{note.id}").text


def test_every_number_of_the_address_is_bounded(browser: TestClient) -> None:
    for budget in ("-1", "99999999999999999999", "x", ""):
        assert browser.get("/injection", params={"budget": budget, "k": budget}).status_code == 200


def test_a_pause_is_told(browser: TestClient, store: MemoryStore) -> None:
    from anamnesis.hooks import switches

    switches.pause(Home(store.root))

    assert "paused everywhere" in browser.get("/").text


def _first_page(store: MemoryStore, keys: Keys, *, project: str) -> str:
    """Pulse of a dashboard that was started in a project."""
    app = build(store, keys=keys, hosts=frozenset({HOST}), cookie="c", project=project)
    with TestClient(app, base_url=ORIGIN) as client:
        client.get("/open", params={"token": keys.mint()})
        return client.get("/").text


def test_pulse_shows_what_a_session_of_this_project_starts_with(
    store: MemoryStore, keys: Keys
) -> None:
    store.write(type="procedural", title="a step of this project", body="b", project="here")
    store.write(type="procedural", title="a later step elsewhere", body="b", project="there")

    page = _first_page(store, keys, project="here")

    block = page.partition("The next session starts with")[2].partition("</section>")[0]
    assert "a step of this project" in block
    assert "a later step elsewhere" not in block
    assert "of 9,500 characters" in " ".join(block.split())
    assert "/injection?project=here" in block
    assert ">here</span>" in block


def test_where_nothing_is_known_pulse_shows_the_latest_project(
    store: MemoryStore, keys: Keys
) -> None:
    store.write(type="procedural", title="a step", body="b", project="there")
    store.write(type="semantic", title="always on", body="b")

    page = _first_page(store, keys, project="an-empty-directory")

    block = page.partition("The next session starts with")[2].partition("</section>")[0]
    assert "there" in block
    assert "always on" in block
    assert ">here</span>" not in block


def test_looking_at_a_preview_leaves_no_receipt(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="always on", body="b")

    browser.get("/")
    browser.get("/injection")

    assert list(receipts.latest(Home(store.root))) == []
