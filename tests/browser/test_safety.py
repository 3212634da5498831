"""A session is worth running code: who has one, what it may do, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server

from .conftest import Visitor
from .process import COMMAND, DashboardProcess


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed")


@contextmanager
def _listening(port: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Another server of this machine, and what browsers sent to it: host, cookies, passwords."""
    sent: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = self.headers
            secrets = f"{headers['Cookie'] or ''}{headers['Authorization'] or ''}"
            sent.append(f"{headers['Host'].partition(':')[0]} {secrets}")
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="Anamnesis", charset="UTF-8"')
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", port), Listening) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield other.server_port, sent
        other.shutdown()


@pytest.mark.parametrize("plain", [False, True], ids=["by name", "by password"])
def test_another_server_of_this_machine_gets_no_session(
    chrome: Browser, server: Server, note: Memory, plain: bool
) -> None:
    context = chrome.new_context()
    page = context.new_page()
    page.goto(server.link(plain=plain))
    page.get_by_role("link", name="VPN").first.click()
    page.get_by_role("link", name="Edit").click()
    expect(page.locator(".cm-content")).to_be_visible()
    page.get_by_label("Title").fill("VPN, always")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", level=1)).to_have_text("VPN, always")
    expect(page.locator("#connection")).to_have_count(0)

    with _listening() as (port, sent):
        for host in ("127.0.0.1", "localhost"):
            with suppress(Error):  # nobody is there to type a password
                page.goto(f"http://{host}:{port}/")

    assert set(sent) == {"127.0.0.1 ", "localhost "}
    names = [str(each.get("domain")) for each in context.cookies()]
    assert names == ([] if plain else [urlsplit(server.address).hostname])
    context.close()


WORKER = "self.addEventListener('fetch', event => event.respondWith(fetch('/stolen')))"
INTRUDER = """<title>Pulse</title><script>
navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
  .then(() => document.title = 'settled')</script>"""


@contextmanager
def _serving_script(port: int) -> Iterator[list[str]]:
    """Another program on the port that leaves a service worker; gives all that it was sent."""
    sent: list[str] = []

    class Intruding(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent.append(f"{self.path} {self.headers['Cookie'] or ''}")
            is_script = self.path == "/worker.js"
            moved = self.path.startswith(("/events", "/hand-over"))
            body = WORKER if is_script else "ok" if moved else INTRUDER
            self.send_response(421 if self.path.startswith("/events") else 200)
            self.send_header("Content-Type", "text/javascript" if is_script else "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            sent.append(f"{self.path} {self.rfile.read(length).decode()}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", port), Intruding) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield sent
        other.shutdown()


def _status(port: int, host: str, cookie: str) -> int:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/api/notes", headers={"Host": host, "Cookie": cookie})
        return connection.getresponse().status


def test_what_took_the_port_gets_nothing_before_during_and_after_a_restart(
    chrome: Browser, store: MemoryStore, note: Memory
) -> None:
    context = chrome.new_context()
    page = context.new_page()
    with Server(store.root) as first:
        page.goto(first.link())
        page.wait_for_url(f"{first.address}/")
        page.goto(f"{first.address}/notes/{note.id}/edit")
        page.locator(".cm-content").click()
        former = urlsplit(first.address).netloc

    page.keyboard.type("typed while it was down, ")
    with _serving_script(first.port) as sent:
        expect(page.locator("#connection")).to_contain_text("cannot be reached")
        fooled = context.new_page()
        fooled.goto(first.address)  # as a reload would
        expect(fooled).to_have_title("settled")
        page.keyboard.type("more of it, ")
        while sum("/hand-over" in each for each in sent) < 2:
            page.wait_for_timeout(100)
    cookie = next(each for each in sent if "anamnesis-" in each).partition(" ")[2]
    assert not any("typed while" in each for each in sent)

    with Server(store.root) as again:
        assert again.port == first.port
        current = urlsplit(again.address).netloc
        assert (_status(again.port, current, cookie), _status(again.port, former, cookie)) == (
            401, 421,
        )  # fmt: skip
        expect(page.locator("#connection")).to_contain_text("has a new address")
        expect(page.locator(".cm-content")).to_contain_text("typed while it was down, more of it")
        seen = fooled.evaluate("fetch('/api/notes').then(each => each.text())")
        assert "VPN" not in seen

        fresh = context.new_page()
        fresh.goto(again.link())
        fresh.wait_for_url(f"{again.address}/notes/{note.id}/edit")  # it goes on where it stopped
        assert fresh.evaluate("navigator.serviceWorker.controller") is None
        assert (
            fresh.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)")
            == 0
        )
        reached = fooled.evaluate(
            """address => fetch(address + '/api/notes', {credentials: 'include'})
            .then(each => each.text()).catch(() => 'refused')""",
            again.address,
        )
        assert reached == "refused"  # even if it knew the new name
        fresh.get_by_role("button", name="Restore").click()
        expect(fresh.locator(".cm-content")).to_contain_text("typed while it was down, more of it")
        fresh.keyboard.press("Control+s")
        expect(fresh.locator(".prose")).to_contain_text("typed while it was down, more of it")
    context.close()


def test_the_command_opens_the_browser_with_a_page_that_leads_in_once(
    chrome: Browser, root: Path, tmp_path: Path, note: Memory
) -> None:
    """A browser is started with the address of a file that only its owner can read."""
    seen = tmp_path / "seen"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$@" > {seen}\n')
    program.chmod(0o700)
    with DashboardProcess() as running:
        subprocess.run(
            [*COMMAND, "dashboard"], check=True, capture_output=True,
            env={**os.environ, "BROWSER": str(program)},
        )  # fmt: skip
        opened = seen.read_text().strip()
        assert "token" not in opened
        assert Path(urlsplit(opened).path).stat().st_mode & 0o077 == 0
        context = chrome.new_context()
        page = context.new_page()
        page.goto(f"{running.address}/notes/{note.id}")  # a deep link comes first
        expect(page.locator("body")).to_contain_text("anamnesis dashboard")

        page.goto(opened)
        page.wait_for_url(f"{running.address}/notes/{note.id}")
        expect(page.locator(".prose")).to_have_text("needed")

        other = chrome.new_context()
        again = other.new_page()
        again.goto(opened)
        expect(again.locator("body")).to_contain_text("has already been used")
        other.close()

        code, said = running.end(signal.SIGTERM)
        assert (code, "Traceback" in said) == (130, False)
        assert not (root / "dashboard.json").exists()
        assert not Path(urlsplit(opened).path).exists()
        context.close()


def test_looking_at_a_link_does_not_spend_it(chrome: Browser, server: Server) -> None:
    context = chrome.new_context()
    page = context.new_page()
    page.goto(f"{server.address}/open")
    link = server.link()
    looked = page.evaluate("link => fetch(link, {method: 'HEAD'}).then(each => each.status)", link)

    page.goto(link)

    assert looked == 200
    page.wait_for_url(f"{server.address}/")
    context.close()


def test_what_decides_where_notes_go_needs_a_fresh_link(
    visit: Visitor, server: Server, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (home / ".claude").mkdir()
    page = visit.go("/settings")
    [session] = server.keys.sessions
    server.keys._store(replace(session, opened=session.opened - 3600))
    visit.expected = ("403",)

    def refused(act: str) -> None:
        page.get_by_role("button", name=act).click()
        expect(page.locator("body")).to_contain_text("open a fresh link")
        visit.go("/settings")

    page.locator("#setting-remote input[name=value]").fill("/tmp/memory.git")
    refused("Change remote")
    page.locator("#setting-reflection_model input[name=value]").fill("another")
    refused("Change reflection_model")
    refused("Write these changes for Claude Code")
    refused("Apply safe fixes")
    assert not (root / "config.json").exists()
    assert not (home / ".claude" / "settings.json").exists()

    page.goto(server.link())
    page.wait_for_url(f"{server.address}/")
    assert len(server.keys.sessions) == 1  # a fresh link replaces this browser's session
    visit.go("/settings")
    page.locator("#setting-reflection_model input[name=value]").fill("another")
    page.get_by_role("button", name="Change reflection_model").click()
    page.get_by_role("button", name="Write this change").click()
    expect(page.get_by_role("status")).to_contain_text("Setting saved.")


def test_a_setting_that_runs_a_command_cannot_be_set_from_a_page(
    visit: Visitor, root: Path
) -> None:
    page = visit.go("/settings")
    row = page.locator("#setting-reflection_api_key_command")
    expect(row).to_contain_text("anamnesis config set reflection_api_key_command")
    expect(row.locator("input, button, select")).to_have_count(0)
    visit.expected = ("400",)

    for key, value in (("reflection_api_key_command", "id"), ("remote", "ext::sh -c id")):
        status = page.evaluate(
            """async ([key, value]) => (await fetch('/settings/config', {method: 'POST',
            body: new URLSearchParams({key, value})})).status""",
            [key, value],
        )
        assert status == 400
    assert not (root / "config.json").exists()


def test_sessions_are_listed_and_ended(chrome: Browser, server: Server, note: Memory) -> None:
    here, there = Visitor(chrome, server), Visitor(chrome, server)
    here.expected = there.expected = ("401",)
    page = here.go("/settings")
    rows = page.get_by_role("region", name="Signed-in browsers").locator("tr:has(button)")
    expect(rows).to_have_count(2)
    other = rows.filter(has_not=page.locator(".badge"))

    other.get_by_role("button", name="Sign out").click()

    expect(rows).to_have_count(1)
    _is_out(there.go("/notes"))
    here.go("/settings")
    page.keyboard.press("Control+k")
    page.keyboard.type("sign out")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Sign out", exact=True).click()
    _is_out(page)
    _is_out(here.go("/notes"))
    page.goto(server.link())
    page.wait_for_url(f"{server.address}/notes")  # where it was
    for visitor in (here, there):
        visitor.context.close()


def _is_out(page: Page) -> None:
    expect(page.locator("body")).to_contain_text("You are signed out")


def test_a_name_of_the_own_network_works_with_its_link_alone(
    chrome: Browser, store: MemoryStore, note: Memory
) -> None:
    with Server(store.root, host="127.0.0.2", names=("desk.lan",)) as server:
        context = chrome.new_context()
        page = context.new_page()
        page.goto(f"http://evil.lan:{server.port}/notes")
        expect(page.locator("body")).to_have_text("The dashboard is not served under this name.")
        with suppress(Error):  # nobody is there to type a password
            page.goto(f"http://desk.lan:{server.port}/notes")
        expect(page.get_by_role("main")).to_have_count(0)
        page.goto(server.link())
        assert urlsplit(page.url).hostname == "desk.lan"
        page.get_by_role("link", name="VPN").first.click()
        page.get_by_role("link", name="Edit").click()
        expect(page.locator(".cm-content")).to_be_visible()
        page.get_by_label("Title").fill("VPN, always")
        page.keyboard.press("Control+s")
        expect(page.get_by_role("heading", level=1)).to_have_text("VPN, always")
        context.close()
