"""A real server, a real store and a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    expect,
    sync_playwright,
)

from anamnesis.store import MemoryStore
from anamnesis.web.serve import Server

from .ensure_chromium import chromium
from .process import DashboardProcess

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.lan 127.0.0.2",
]  # fmt: skip
expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


# Not for the whole session: while it runs, Playwright keeps an event loop in the main thread,
# which no other test of the same worker could live with.
@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    """One browser for all tests of a module."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def server(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The dashboard of the test's store."""
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "laptop")
    with Server(store.root) as running:
        yield running


class Visitor:
    """A person at a browser; whatever the browser complains about fails the test."""

    def __init__(self, browser: Browser, server: Server | DashboardProcess, **options: Any) -> None:
        self.server = server
        self.known = {urlsplit(server.address).netloc}
        self.context: BrowserContext = browser.new_context(
            **{"reduced_motion": "reduce", **options}
        )
        self.context.set_default_timeout(20_000)
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()  # complaints that the test is about
        self.context.on("request", self._watch)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("console", self._listen)
        self.page = self.tab()
        self.page.goto(server.link())
        self.page.wait_for_url(f"{server.address}/")  # the door leads on

    def follow(self, server: Server | DashboardProcess) -> None:
        """Go on in the same browser after a restart, with a new link."""
        self.server = server
        self.known.add(urlsplit(server.address).netloc)
        self.page.goto(server.link())
        self.page.wait_for_url(f"{server.address}/**")

    def tab(self) -> Page:
        """One more tab."""
        return self.context.new_page()

    def go(self, path: str, page: Page | None = None) -> Page:
        """Open a page of the dashboard, and wait for the work that it waits for."""
        page = page or self.page
        page.goto(f"{self.server.address}{path}")
        page.wait_for_url(lambda address: "/jobs/" not in address)
        return page

    def violations(self) -> list[str]:
        """What axe finds wrong with the page, in light and in dark colours."""
        self.page.evaluate(AXE)
        # The size of targets is a rule of WCAG 2.2 that axe leaves out unless it is asked for.
        found = self._found_by_axe({"rules": {"target-size": {"enabled": True}}})
        self.page.emulate_media(color_scheme="dark")
        found += self._found_by_axe({"runOnly": ["color-contrast"]})
        self.page.emulate_media(color_scheme="light")
        return found

    def _found_by_axe(self, options: dict[str, Any]) -> list[str]:
        found = self.page.evaluate(
            "options => axe.run(document, {resultTypes: ['violations'], ...options})", options
        )
        return [
            f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    def _watch(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.netloc not in self.known:
            self.complaints.append(f"a request left this machine: {request.url}")

    def _listen(self, message: Any) -> None:
        # htmx calls a request that was ended by a click an error, too.
        expected = ("409", "htmx:sendAbort", "htmx:afterRequest", *self.expected)
        if message.type == "error" and not any(text in message.text for text in expected):
            self.complaints.append(message.text)


@pytest.fixture
def visit(chrome: Browser, server: Server) -> Iterator[Visitor]:
    """A person who was let in."""
    visitor = Visitor(chrome, server)
    yield visitor
    visitor.context.close()
    assert visitor.complaints == []
