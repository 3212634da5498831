"""What sessions are given, and why a search finds what it finds."""

from __future__ import annotations

from starlette.testclient import TestClient

from anamnesis.operations.inject import inject
from anamnesis.payload import Payload
from anamnesis.store import MemoryStore


def test_the_block_is_the_one_that_the_hook_prints(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="always on", body="a global fact")
    store.write(type="procedural", title="of the project", body="a step", project="p")

    html = browser.get("/injection", params={"project": "p"}).text
    printed = inject(str(store.root), Payload(), project="p", format="text")

    shown = html.partition('<pre class="source block" tabindex="0">')[2].partition("</pre>")[0]
    assert shown.replace("&#39;", "'").replace("&lt;", "<").strip() == printed.strip()
    assert "always on" in html
    assert "recent procedural note of the project" in html


def test_a_note_without_room_says_so(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="too long", body="word " * 2000)

    html = browser.get("/injection", params={"budget": "1000"}).text

    assert "title only" in html
    assert "1,000 units used" in html


def test_receipts_show_what_a_session_got(browser: TestClient, store: MemoryStore) -> None:
    note = store.write(type="semantic", title="always on", body="a global fact")
    inject(str(store.root), Payload(session_id="s-42", source="startup"), project="p")

    assert "s-42" in browser.get("/injection").text
    assert "Given to sessions" in browser.get(f"/notes/{note.id}").text


def test_every_number_of_the_address_is_bounded(browser: TestClient) -> None:
    for budget in ("-1", "99999999999999999999", "x", ""):
        assert browser.get("/injection", params={"budget": budget, "k": budget}).status_code == 200


def test_the_recall_lab_says_what_each_word_gave(browser: TestClient, store: MemoryStore) -> None:
    store.write(type="semantic", title="Staging needs the VPN", body="it hangs", project="p")
    store.write(type="semantic", title="Lunch", body="at noon", project="q")

    html = browser.get("/recall", params={"q": "staging vpn", "project": "p"}).text

    assert html.count("Staging needs the VPN") == 2
    assert "Lunch" not in html
    assert "<td>staging" in html
    assert "Words only" in html
    assert "anamnesis search --explain" in browser.get("/recall").text


def test_a_pause_is_told(browser: TestClient, store: MemoryStore) -> None:
    from anamnesis import switches

    switches.pause(str(store.root))

    assert "Paused: everywhere" in browser.get("/").text
