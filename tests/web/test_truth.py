"""What a page says was done was done, and what it replaced can be had again."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.cli import COMMANDS, command_parser
from anamnesis.ground import locks
from anamnesis.ground.records import replace
from anamnesis.notes.fields import Memory
from anamnesis.store import MemoryStore
from anamnesis.web.dashboard import HERE

TEMPLATES = sorted((HERE / "templates").glob("*.html"))


class Clock:
    """A clock that only sleeping moves, and how long everybody slept."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def note(store: MemoryStore) -> Memory:
    return store.write(type="semantic", title="VPN", body="needed")


@pytest.fixture
def others(store: MemoryStore) -> list[str]:
    return [store.write(type="semantic", title=name, body="").id for name in "abc"]


@pytest.fixture
def busy(
    store: MemoryStore, note: Memory, others: list[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Clock]:
    """Another program that keeps the store for itself."""
    with locks.held(str(store.root / "locks" / "store.lock"), name="store", timeout=1):
        clock = Clock()
        monkeypatch.setattr(locks, "time", clock)
        yield clock


def _toast(browser: TestClient, location: str) -> str:
    found = re.search(r'class="toast (.*?)</div>', browser.get(location).text, re.DOTALL)
    assert found is not None, location
    return found[1]


def _undone(browser: TestClient, location: str) -> None:
    browser.post("/undo", data={"unit": location.partition("notice=")[2].partition("#")[0]})


def _versions(browser: TestClient, note_id: str) -> list[str]:
    html = browser.get(f"/notes/{note_id}/history").text
    return list(dict.fromkeys(re.findall(r"history\?at=(\w+)\"", html)))


def _edited_by_hand(store: MemoryStore, note: Memory, old: str, new: str) -> None:
    file = store.memory_dir / "semantic" / f"{note.id}.md"
    file.write_text(file.read_text().replace(old, new))


def test_a_script_is_not_told_that_a_note_is_deleted_when_it_is_not(
    browser: TestClient, store: MemoryStore, note: Memory, busy: Clock
) -> None:
    answer = browser.delete(f"/api/notes/{note.id}")

    assert answer.status_code == 503
    assert "Try again" in answer.json()["hint"]
    assert store.get(note.id) is not None


def test_a_busy_store_is_waited_for_once_and_not_for_every_note(
    browser: TestClient, store: MemoryStore, others: list[str], busy: Clock
) -> None:
    answer = browser.post("/notes", data={"act": "delete", "id": others})

    assert answer.status_code == 503
    assert "nothing was changed" in answer.text
    assert busy.now < 15


def test_an_undo_that_failed_can_be_tried_again(
    browser: TestClient, store: MemoryStore, note: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "x"}).headers[
        "location"
    ]
    key = {"unit": location.partition("notice=")[2]}

    with locks.held(str(store.root / "locks" / "store.lock"), name="store", timeout=1):
        monkeypatch.setattr(locks, "time", Clock())
        assert browser.post("/undo", data=key).status_code == 503

    assert browser.post("/undo", data=key).status_code == 303
    kept = store.get(note.id)
    assert kept is not None
    assert kept.tags == []


def test_bringing_a_version_back_keeps_what_no_program_had_recorded(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "x"})
    [first] = _versions(browser, note.id)
    _edited_by_hand(store, note, "needed", "an edit that nobody has recorded")

    browser.post(f"/notes/{note.id}/restore", data={"revision": first})

    said = subprocess.run(
        ["git", "-C", str(store.memory_dir), "log", "-p", "--all"], capture_output=True, check=True
    )
    assert b"an edit that nobody has recorded" in said.stdout


def test_bringing_a_version_back_is_undone(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "x"})
    [first] = _versions(browser, note.id)
    found = store.read(note.id)
    assert found is not None
    later = store.update(replace(found.note, body="later"), expected_hash=found.hash)

    done = browser.post(f"/notes/{note.id}/restore", data={"revision": first})
    back = store.get(note.id)
    assert back is not None
    assert back.body == "needed"
    assert "Undo" in _toast(browser, done.headers["location"])
    _undone(browser, done.headers["location"])

    assert store.get(note.id) == later


def test_a_note_that_was_deleted_before_anybody_recorded_it_comes_back(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    browser.post("/notes", data={"act": "delete", "id": note.id})

    assert "VPN" in browser.get("/history?deleted=1").text
    browser.post(f"/notes/{note.id}/restore", data={"revision": _versions(browser, note.id)[-1]})
    kept = store.get(note.id)
    assert kept is not None
    assert kept.body == "needed"


def test_a_notice_for_a_part_of_a_page_is_shown(
    browser: TestClient, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (home / ".claude").mkdir()
    seal = re.search(r'name="seal" value="(\w+)"', browser.get("/settings").text)
    assert seal is not None

    location = browser.post("/settings/agents", data={"seal": seal[1]}).headers["location"]

    assert location.endswith("#agents")
    assert "1 agent set up" in _toast(browser, location.partition("#")[0])


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_command_that_a_page_teaches_is_one(template: Path) -> None:
    for block in re.findall(r"<code>(.*?)</code>", template.read_text(), re.DOTALL):
        text = re.sub(r"{{.*?}}", "you@host:memory.git", block)
        for line in text.splitlines():
            if line.startswith("anamnesis "):
                _, name, *rest = shlex.split(line)
                assert name in COMMANDS, line
                command_parser(name).parse_args(rest)


def test_a_note_that_the_history_has_is_deleted_without_recording_all_others(
    browser: TestClient, store: MemoryStore, note: Memory
) -> None:
    """Looking at every file takes seconds where there are many."""
    browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "x"})
    browser.get("/history")
    store.write(type="semantic", title="written by an agent meanwhile", body="")

    answer = browser.delete(f"/api/notes/{note.id}")

    assert answer.status_code == 200
    said = subprocess.run(
        ["git", "-C", str(store.memory_dir), "log", "--format=%H"], capture_output=True, check=True
    )
    assert len(said.stdout.split()) == 1
