"""Forgetting from the dashboard: here, in the history, and on the other machines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.store import MemoryStore

from .conftest import sync_now

COMMAND = [sys.executable, "-c", "import sys; from anamnesis.cli import main; sys.exit(main())"]
SECRET = "lavender-otter-9931"


def _configure(home: Path, remote: Path, name: str) -> None:
    home.mkdir(exist_ok=True)
    settings = {"remote": str(remote), "machine_id": name, "install_id": f"of-{name}"}
    (home / "config.json").write_text(json.dumps(settings))


def _sync(folder: Path, remote: Path, name: str) -> None:
    """A note and a sync of another machine."""
    _configure(folder / name, remote, name)
    environment = {**os.environ, "ANAMNESIS_HOME": str(folder / name)}
    for command in (["write", f"Written on {name} in {time.time()}"], ["sync"]):
        subprocess.run([*COMMAND, *command], check=True, capture_output=True, env=environment)


def _holds(repository: Path, text: str) -> bool:
    """Whether any version in a repository's history has this text."""
    history = subprocess.run(
        ["git", "-C", str(repository), "log", "--all", "-p"], check=True, capture_output=True
    )
    return text.encode() in history.stdout


def _forget(browser: TestClient, **fields: str) -> str:
    """Confirm it, wait until it is done, and return the page that is shown then."""
    place = browser.post("/forget", data=fields).headers["location"]
    while not place.startswith("/forgotten"):
        time.sleep(0.05)
        place = browser.get(place).headers.get("location", place)
    return browser.get(place).text


def _machines(page: str) -> dict[str, str]:
    rows = re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>", page, re.DOTALL)
    return {name: " ".join(re.sub("<[^>]+>", "", state).split()) for name, state in rows}


@pytest.fixture
def remote(tmp_path: Path, root: Path) -> Path:
    """A remote that this machine uses."""
    path = tmp_path / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    _configure(root, path, "laptop")
    return path


def test_a_leaked_secret_leaves_three_machines_and_the_history(
    remote: Path, browser: TestClient, store: MemoryStore, tmp_path: Path
) -> None:
    note = store.write(type="semantic", title="Password of staging", body=f"It is {SECRET}.")
    store.write(type="semantic", title="Deploys need the VPN", body="words")
    sync_now(browser)
    for name in ("desk", "tower"):
        _sync(tmp_path, remote, name)
    sync_now(browser)
    assert _holds(tmp_path / "desk" / "memory", SECRET)

    asked = browser.post("/notes", data={"act": "forget", "id": note.id}).text
    assert "Password of staging" in asked
    assert "desk" in asked
    assert store.get(note.id) is not None  # nothing happens before the answer
    answer = _forget(browser, ids=note.id, history="1")

    states = _machines(answer)
    assert states["The history"].startswith("1 version removed.")
    assert states["desk"].startswith("waiting")
    assert not _holds(remote, SECRET)
    assert store.get(note.id) is None

    time.sleep(1.1)  # commits know whole seconds
    _sync(tmp_path, remote, "desk")
    sync_now(browser)

    states = _machines(browser.get("/forgotten").text)
    assert states["desk"].startswith("done")
    assert states["tower"].startswith("waiting")
    assert not _holds(tmp_path / "desk" / "memory", SECRET)


def test_words_are_forgotten_in_earlier_texts_and_drafts_too(
    browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="Password of staging", body=f"It is {SECRET}.")
    draft = {
        "id": "abcdef0", "subject": note.id, "at": 2e12, "place": "/", "fields": {"body": SECRET},
    }  # fmt: skip
    assert browser.post("/drafts", json={"keep": [draft]}).status_code == 200

    _forget(browser, ids=note.id, words=SECRET)

    kept = [path for path in Path(store.root).rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_a_history_that_cannot_be_rewritten_now_is_said_with_the_reason(
    remote: Path, browser: TestClient, store: MemoryStore
) -> None:
    note = store.write(type="semantic", title="Password of staging", body=f"It is {SECRET}.")
    sync_now(browser)
    remote.rename(remote.with_name("away.git"))

    answer = _forget(browser, ids=note.id, history="1")

    assert store.get(note.id) is None
    assert _machines(answer)["The history"] == "waiting"
    remote.with_name("away.git").rename(remote)
    again = _forget(browser, ids=note.id, history="1")
    assert _machines(again)["The history"].startswith("1 version removed.")
