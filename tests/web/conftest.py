"""A dashboard in process: the real application over a real store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

HOST = "anamnesis-test.localhost:8765"
BY_PASSWORD = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def stranger(store: MemoryStore, keys: Keys) -> Iterator[TestClient]:
    """Somebody who was not let in."""
    app = build(
        store,
        keys=keys,
        hosts=frozenset({HOST}),
        by_password=frozenset({BY_PASSWORD}),
        cookie="anamnesis-8765",
    )
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def browser(stranger: TestClient, keys: Keys) -> TestClient:
    """The person's own browser, with a session."""
    answer = stranger.get("/open", params={"token": keys.mint()})
    assert answer.status_code == 200
    stranger.headers["origin"] = ORIGIN
    stranger.headers["sec-fetch-site"] = "same-origin"
    return stranger


def sync_now(browser: TestClient) -> Any:
    """Press the button, and wait where it takes longer than a page may."""
    answer = browser.post("/sync", data={"back": "/fleet"})
    work = answer.headers["location"]
    while work.startswith("/jobs/"):
        time.sleep(0.05)
        answer = browser.get(work)
        if answer.is_redirect:
            break
    return answer


def shown(browser: TestClient, path: str) -> str:
    """A page as it is once the work is over that it waits for."""
    answer = browser.get(path, follow_redirects=True)
    if answer.url.path.startswith("/jobs/"):
        jobs = browser.app.state.dashboard.jobs  # type: ignore[attr-defined]
        assert jobs.get(answer.url.path.rpartition("/")[2]).finished.wait(60)
        answer = browser.get(answer.url.path, follow_redirects=True)
    assert answer.status_code == 200
    assert answer.text
    return answer.text
