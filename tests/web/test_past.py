"""A long history: in pages, complete, and at a cost that does not depend on what is not shown."""

from __future__ import annotations

import re
import subprocess

import pytest
from starlette.testclient import TestClient

from anamnesis.history import log, restore
from anamnesis.history.commit import record_locally
from anamnesis.notes import tree
from anamnesis.store import MemoryStore
from support.notes import hand_written, write_file

CHANGES = 230  # more than are looked through in one go


@pytest.fixture
def note_id(store: MemoryStore) -> str:
    """A note that is still there, recorded before everything else."""
    note = store.write(type="semantic", title="still here", body="one")
    record_locally(store, machine_id="laptop")
    return note.id


@pytest.fixture
def gone(store: MemoryStore, note_id: str) -> list[str]:
    """Many changes, some of which remove a note; the ids of those notes, latest first."""
    changes, ids = [], []
    for number in range(CHANGES):
        name = f"N{number:04}"
        changes.append(_written(f"semantic/{name}.md", name, f"Title of {name}"))
        if number % 10 == 0:
            changes.append(f"D semantic/{name}.md\n")
            ids.append(name)
    _record(store, changes)
    return ids[::-1]


def _written(path: str, note_id: str, title: str) -> str:
    text = hand_written(note_id, title=title)
    return f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"


def _record(store: MemoryStore, changes: list[str]) -> None:
    """One commit for each change, as from a machine that was busy."""
    head = "commit refs/heads/main\ncommitter x <anamnesis@desk> 1767225600 +0000\ndata 1\nx\n"
    after = "from refs/heads/main^0\n"  # the first one; the others follow by themselves
    script = f"{head}{after}" + head.join(changes)
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=store.memory_dir, input=script.encode(), check=True
    )


def _pages(browser: TestClient, address: str) -> list[str]:
    """All pages, as somebody who follows the last link gets them."""
    pages = []
    while address:
        pages.append(browser.get(address).text)
        found = re.search(r'rel="next" href="([^"]+)"', pages[-1])
        address = found[1].replace("&amp;", "&") if found else ""
    return pages


def test_every_change_is_on_some_page(
    browser: TestClient, store: MemoryStore, gone: list[str]
) -> None:
    pages = _pages(browser, "/history")

    shown = [commit for page in pages for commit in re.findall(r"history\?at=(\w+)", page)]
    recorded = log.log(str(store.memory_dir), limit=10_000)
    assert shown == [version.commit for version in recorded]
    assert len(pages) > 5


def test_every_deleted_note_is_on_some_page(browser: TestClient, gone: list[str]) -> None:
    pages = _pages(browser, "/history?deleted=1")

    titles = [title for page in pages for title in re.findall(r"Title of (N\d+)", page)]
    assert list(dict.fromkeys(titles)) == gone


def test_a_deleted_note_comes_back_however_long_ago_it_was(
    browser: TestClient, store: MemoryStore, gone: list[str]
) -> None:
    html = browser.get(f"/notes/{gone[-1]}/history").text
    offered = re.search(r'name="revision"\s+value="([0-9a-f]{40})"', html)
    assert offered is not None
    assert "Restore what was deleted" in html

    browser.post(f"/notes/{gone[-1]}/restore", data={"revision": offered[1]})

    note = store.get(gone[-1])
    assert note is not None
    assert note.title == f"Title of {gone[-1]}"


def test_a_note_that_was_forgotten_on_purpose_is_not_offered(
    store: MemoryStore, gone: list[str]
) -> None:
    write_file(store.root, tree.tombstone_of(gone[0]), tree.TOMBSTONE)

    assert gone[0] not in {note.id for note in restore.removed_notes(store).notes}


@pytest.mark.parametrize("start", ["--all", "HEAD..HEAD", "x" * 300, "0" * 40])
def test_a_place_that_is_none_is_refused(browser: TestClient, note_id: str, start: str) -> None:
    for address in ("/history?from=", "/history?deleted=1&from="):
        assert browser.get(f"{address}{start}").status_code == 400


def test_a_note_with_many_versions_shows_them_all(
    browser: TestClient, store: MemoryStore, note_id: str
) -> None:
    path = f"semantic/{note_id}.md"
    _record(store, [_written(path, note_id, f"version {number}") for number in range(120)])

    first = browser.get(f"/notes/{note_id}/history").text
    whole = browser.get(f"/notes/{note_id}/history?limit=200").text

    assert "Older versions" in first
    assert len(set(re.findall(r"at=([0-9a-f]{40})", whole))) == 121


def test_what_git_noted_about_changes_may_be_damaged(
    store: MemoryStore, note_id: str, gone: list[str]
) -> None:
    memory = store.memory_dir
    write = ["git", "commit-graph", "write", "--reachable", "--changed-paths"]
    subprocess.run(write, cwd=memory, check=True, capture_output=True)
    with_it = restore.versions(store, note_id)
    graph = memory / ".git" / "objects" / "info" / "commit-graph"
    graph.chmod(0o600)
    graph.write_bytes(graph.read_bytes()[:200])

    assert restore.versions(store, note_id) == with_it


def test_a_version_of_many_notes_shows_all_of_them(browser: TestClient, store: MemoryStore) -> None:
    notes = [store.write(type="semantic", title=f"Many {n:03}", body="") for n in range(230)]
    browser.post("/notes", data={"act": "tag", "id": notes[0].id, "tag": "x"})
    html = browser.get("/history").text
    link = re.search(r'href="(/history\?version=\w+)">and 222 more', html)
    assert link is not None

    pages = _pages(browser, link[1])

    shown = [title for page in pages for title in re.findall(r"Many \d{3}", page)]
    assert sorted(shown) == [note.title for note in notes]
    assert len(pages) == 2


@pytest.mark.parametrize("version", ["--output=x", "f" * 40, "main..main", "../x"])
def test_a_version_that_is_none_is_refused(
    browser: TestClient, gone: list[str], version: str
) -> None:
    assert browser.get("/history", params={"version": version}).status_code == 400


@pytest.mark.parametrize("message", ["\x01\x02\x03", "\x01" + "a" * 40 + "\x02x", ":000 x", "\n"])
def test_what_another_program_wrote_as_a_message_upsets_no_page(
    browser: TestClient, store: MemoryStore, message: str
) -> None:
    note = store.write(type="semantic", title="Written here", body="")
    browser.post("/notes", data={"act": "tag", "id": note.id, "tag": "x"})
    browser.get("/history")
    git = ["git", "-C", str(store.memory_dir), "-c", "user.name=x", "-c", "user.email=x@desk"]
    (store.memory_dir / "semantic" / "by-hand.md").write_text("words")
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty-message", "-m", message], check=True)

    html = browser.get("/history").text

    assert "by-hand" in html
    assert "Written here" in html
    assert browser.get("/fleet").status_code == 200
    assert browser.get(f"/notes/{note.id}/history").status_code == 200
