"""What pages cost: how often git is started, and which tables are read, however many notes."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import threading
from collections import Counter
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.index import browse
from anamnesis.index.note_filter import NoteFilter
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.store import MemoryStore


class GitCalls:
    """The real git, with a line in a file for each time it is started."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "calls"
        real = shutil.which("git")
        script = folder / "git"
        script.write_text(f'#!/bin/sh\necho "$*" >> "{self._log}"\nexec "{real}" "$@"\n')
        script.chmod(0o755)

    def taken(self, *words: str) -> list[str]:
        """The calls since the last time that have all of some words."""
        calls = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return [call for call in calls if all(word in call for word in words)]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitCalls:
    calls = GitCalls(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return calls


@pytest.fixture
def notes(store: MemoryStore) -> list[Memory]:
    """Notes with a history of one change each."""
    written = []
    for number in range(6):
        written.append(store.write(type="semantic", title=f"note {number}", body="one\ntwo"))
        record_locally(store, machine_id="laptop")
    return written


def edited(store: MemoryStore, note: Memory, body: str) -> None:
    read = store.require(note.id)
    store.update(replace(read.note, body=body), expected_hash=read.hash)
    record_locally(store, machine_id="laptop")


def test_a_change_that_was_shown_is_not_compared_again(
    browser: TestClient, store: MemoryStore, notes: list[Memory], git: GitCalls
) -> None:
    first = browser.get("/history").text
    assert git.taken("--raw")

    again = browser.get("/history").text
    assert again.count("note 0") == first.count("note 0") > 0
    assert [call for call in git.taken() if "--raw" in call or "--numstat" in call] == []

    edited(store, notes[0], "one\ntwo\nthree")
    git.taken()
    page = browser.get("/history").text
    assert page.count("note 0") > first.count("note 0")
    [compared] = git.taken("--raw")
    assert "--no-walk" in compared  # the new change alone
    assert len([word for word in compared.split() if len(word) == 40]) == 1


def test_the_lines_of_one_note_are_counted_without_comparing_all_notes(
    browser: TestClient, store: MemoryStore, notes: list[Memory], git: GitCalls
) -> None:
    edited(store, notes[0], "one\nzwei\nthree")
    git.taken()

    page = browser.get(f"/notes/{notes[0].id}/history").text

    # Two lines of the text, and the time of the change unless it is the second of the first one.
    assert re.search(r"\+[23]<", page)
    assert git.taken("--numstat") == []


def test_which_changes_are_about_notes_is_asked_before_the_fleet_is_opened(
    browser: TestClient, store: MemoryStore, notes: list[Memory], git: GitCalls
) -> None:
    browser.app.state.dashboard.warm()  # type: ignore[attr-defined]
    assert git.taken("diff-tree")

    assert browser.get("/fleet").status_code == 200

    assert git.taken("diff-tree") == []


def test_two_versions_are_compared_without_looking_for_all_again(
    browser: TestClient, store: MemoryStore, notes: list[Memory], git: GitCalls
) -> None:
    edited(store, notes[0], "one\nzwei")
    address = f"/notes/{notes[0].id}/history"
    page = browser.get(address).text
    oldest = re.findall(r"history\?at=([0-9a-f]{40})", page)[-1]
    git.taken()

    assert "one" in browser.get(f"{address}?at={oldest}&with=now").text
    assert git.taken("--raw") == []

    edited(store, notes[0], "one\ndrei")
    git.taken()
    assert "3 recorded versions" in browser.get(address).text
    assert git.taken("--raw")


def test_the_working_tree_is_compared_once_until_something_changes(
    browser: TestClient, store: MemoryStore, root: Path, notes: list[Memory], git: GitCalls
) -> None:
    browser.get("/fleet")
    git.taken()

    browser.get("/")
    browser.get("/fleet")
    assert git.taken("status") == []

    file = root / "memory" / "semantic" / "by-hand.md"
    file.write_text("---\nid: by-hand\ntype: semantic\ntitle: By hand\n---\nwords\n")
    for _ in range(2):  # it is noticed, and then indexed
        browser.get("/fleet")
    assert git.taken("status")
    browser.get("/fleet")
    assert git.taken("status") == []

    record_locally(store, machine_id="laptop")
    git.taken()
    browser.get("/fleet")
    assert len(git.taken("status")) == 1


def test_changes_of_a_kind_are_found_among_those_that_are_known(
    browser: TestClient, store: MemoryStore, notes: list[Memory], git: GitCalls
) -> None:
    store.delete(notes[0].id)
    record_locally(store, machine_id="laptop")
    browser.get("/history")
    git.taken()

    page = browser.get("/history?what=deleted").text

    assert page.count("/history?at=") == 1
    assert "note 0" in page
    assert [call for call in git.taken() if "--raw" in call or "diff-tree" in call] == []


def test_a_change_without_one_before_it_is_listed_and_not_compared(
    browser: TestClient, notes: list[Memory], git: GitCalls
) -> None:
    page = browser.get("/history").text

    assert page.count("/history?at=") == len(notes)
    assert git.taken("ls-tree")


def _ended(ahead: set[threading.Thread]) -> None:
    """Wait for what was begun since for the next page."""
    for thread in set(threading.enumerate()) - ahead:
        if thread.daemon and "look_ahead" in thread.name:
            thread.join(60)


def test_a_page_after_a_change_looks_at_that_change_alone(
    browser: TestClient, store: MemoryStore, git: GitCalls
) -> None:
    before = set(threading.enumerate())
    note = store.write(type="semantic", title="note", body="0")
    for number in range(45):  # more than one page
        edited(store, note, str(number))
    for _ in range(3):
        browser.get("/history")
    _ended(before)
    edited(store, note, "another")
    git.taken()

    page = browser.get("/history").text
    _ended(before)

    assert 'rel="next"' in page
    calls = git.taken()
    assert [call for call in calls if "ls-tree" in call] == []
    compared = [call for call in calls if "--raw" in call]
    assert len(compared) == 1
    assert len([word for word in compared[0].split() if len(word) == 40]) == 1
    assert len([call for call in calls if "--numstat" in call]) == 1


def test_what_the_first_change_added_is_listed_once_and_for_its_page_alone(
    browser: TestClient, store: MemoryStore, git: GitCalls
) -> None:
    before = set(threading.enumerate())
    note = store.write(type="semantic", title="note", body="0")
    for number in range(45):
        edited(store, note, str(number))
    git.taken()

    page = ""
    for _ in range(4):  # whoever reads on does not wait for the one that looks ahead
        page = browser.get("/history").text
        for address in ("/history?what=deleted", "/history?what=changed", "/history?deleted=1"):
            browser.get(address)
    browser.app.state.dashboard.warm()  # type: ignore[attr-defined]
    _ended(before)
    calls = git.taken()
    assert [call for call in calls if "ls-tree" in call] == []
    asked = [word for call in calls if "--raw" in call for word in call.split() if len(word) == 40]
    assert len(asked) == len(set(asked))  # each change once, by whichever thread

    following = re.search(r'rel="next" href="([^"]+)"', page)
    assert following is not None
    for _ in range(2):
        assert "added" in browser.get(following[1].replace("&amp;", "&")).text
    assert len(git.taken("ls-tree")) == 1


class Steps:
    """How many steps SQLite takes for what the store is asked, in hundreds."""

    def __init__(self, store: MemoryStore) -> None:
        self._taken = 0
        store.ask(lambda db: db.set_progress_handler(self._count, 100))

    def _count(self) -> int:
        self._taken += 1
        return 0

    def taken(self) -> int:
        """Those since the last time."""
        taken, self._taken = self._taken, 0
        return taken


def _fill(root: Path, numbers: range) -> None:
    folder = root / "memory" / "semantic"
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        day = f"2026-11-{1 + number % 9:02}"
        note = Memory(
            id=f"N{number:05}", type="semantic", title=f"note {number}", body="words",
            tags=[f"t{number % 3}", f"u{number % 7}"], project=f"p{number % 4}", machine_id="desk",
            created_at=f"{day}T10:00:00+00:00", updated_at=f"{day}T10:00:00+00:00",
        )  # fmt: skip
        (folder / f"{note.id}.md").write_text(serialize(note))


def test_a_page_after_a_change_costs_the_same_for_few_notes_and_for_many(
    browser: TestClient, store: MemoryStore, root: Path
) -> None:
    """Numbers of notes are kept, not counted: by type, project, machine, day and tag."""
    pages = ("/", "/timeline", "/fleet", "/notes", "/notes?sort=title", "/history")
    steps = Steps(store)

    def after_a_change(page: str) -> int:
        browser.get(page)
        store.write(type="semantic", title="one more", body="words")
        steps.taken()
        assert browser.get(page).status_code == 200
        return steps.taken()

    _fill(root, range(500))
    store.refresh()
    few = {page: after_a_change(page) for page in pages}
    _fill(root, range(500, 2000))
    store.refresh()
    many = {page: after_a_change(page) for page in pages}

    assert {page: many[page] for page in pages if many[page] > 1.5 * few[page] + 20} == {}, few


@pytest.fixture
def tagged(store: MemoryStore) -> None:
    """Notes of several years, with tags."""
    for number in range(40):
        at = f"20{20 + number % 5}-03-01T00:00:00+00:00"
        store.put(
            Memory(
                id=f"n{number:02}", type="semantic", title=f"note {number}", body="words",
                tags=[f"t{number % 3}", f"u{number % 7}"], created_at=at, updated_at=at,
                project=f"p{number % 4}", prov_session="s" if number % 2 else "",
                supersedes="n02" if number == 3 else "",
            )
        )  # fmt: skip


def test_tags_are_counted_whatever_stands_in_them(store: MemoryStore) -> None:
    tags = [["a", 'say "b"'], ["a", "back\\slash\\"], ["größe", "a"], [], ["[x, y]", "größe"]]

    def check() -> None:
        expected = Counter(tag for note in store.list(limit=None) for tag in note.tags)
        assert store.ask(browse.all_tags) == expected

    for some in reversed(tags):  # those with a quote last: the others need no look at each letter
        store.write(type="semantic", title=f"{some}", body="words", tags=some)
        check()


@pytest.mark.parametrize(
    "shown",
    [
        NoteFilter(since="2021-01-01"), NoteFilter(since="2024-01-01"),
        NoteFilter(until="2023-12-31"), NoteFilter(project="p1"),
        NoteFilter(without=(("project", "p1"),)), NoteFilter(session="s"),
        NoteFilter(state="all", since="2021-01-01", until="2023-01-01"),
    ],
    ids=str,
)  # fmt: skip
def test_tags_are_counted_alike_for_few_and_for_most_notes(
    store: MemoryStore, tagged: None, shown: NoteFilter
) -> None:
    listed = store.ask(lambda db: browse.rows(db, shown, limit=None, excerpts=False))
    expected = Counter(tag for row in listed for tag in row.note.tags)

    counted = store.ask(lambda db: browse.tags(db, shown, limit=100))

    assert dict(counted) == expected
    assert store.ask(lambda db: browse.count(db, shown)) == len(listed)


def test_counting_the_notes_of_a_time_reads_an_index_alone(
    store: MemoryStore, tagged: None
) -> None:
    shown = NoteFilter(since="2021-01-01")

    def plans(db: sqlite3.Connection) -> list[str]:
        asked: list[str] = []
        db.set_trace_callback(asked.append)
        browse.cube(db, replace(shown, state="all"))
        browse.tags(db, shown, limit=9)
        db.set_trace_callback(None)
        found = [sql for sql in asked if "updated_at" in sql and "'pending'" not in sql]
        return [row[3] for sql in found for row in db.execute(f"EXPLAIN QUERY PLAN {sql}")]

    read = [plan for plan in store.ask(plans) if " m " in f"{plan} "]
    counting, tags = read[:-1], read[-1]
    assert len(counting) == 2
    assert all("COVERING INDEX idx_mem_cells" in plan for plan in counting), read
    assert tags == "SCAN m"  # the tags stand in the rows: one look at all, none at each


@pytest.mark.parametrize("order", browse.ORDERS)
@pytest.mark.parametrize(
    "shown",
    [NoteFilter(), NoteFilter(state="all"), NoteFilter(project="p2"), NoteFilter(tag="t1"),
     NoteFilter(without=(("project", "p1"),))],
    ids=str,
)  # fmt: skip
def test_a_list_goes_on_far_down_as_it_began(
    store: MemoryStore, tagged: None, monkeypatch: pytest.MonkeyPatch, shown: NoteFilter, order: str
) -> None:
    old = store.list(limit=1)[0]
    store.write(type="semantic", title="newer", body="words", supersedes=old.id)

    def page(offset: int) -> list[str]:
        rows = store.ask(lambda db: browse.rows(db, shown, order=order, limit=4, offset=offset))
        return [row.note.id for row in rows]

    whole = [page(at) for at in range(0, 40, 4)]
    monkeypatch.setattr(browse, "_DEEP", 4)

    assert [page(at) for at in range(0, 40, 4)] == whole
    assert len({note_id for each in whole for note_id in each}) > 4


@pytest.mark.parametrize("shown", [NoteFilter(), NoteFilter(machine="m"), NoteFilter(project="p")])
def test_a_page_far_down_reads_no_row_that_it_skips(
    store: MemoryStore, tagged: None, monkeypatch: pytest.MonkeyPatch, shown: NoteFilter
) -> None:
    monkeypatch.setattr(browse, "_DEEP", 4)

    def plans(db: sqlite3.Connection) -> list[str]:
        asked: list[str] = []
        db.set_trace_callback(asked.append)
        browse.rows(db, shown, limit=4, offset=4, excerpts=False)
        db.set_trace_callback(None)
        return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {asked[0]}")]

    [walked] = [plan for plan in store.ask(plans) if "recency" in plan]
    assert walked == "SCAN m USING COVERING INDEX idx_mem_recency"
