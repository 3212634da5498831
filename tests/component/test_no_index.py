"""A hook never builds an index: it answers from the newest files, and has one built behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.ground import locks
from anamnesis.index import rebuild, refresh
from anamnesis.inject import without_index
from anamnesis.notes import tree
from anamnesis.store import IndexBroken, MemoryStore
from support.hooks import environment, hook

STARTED = {"session_id": "s-1", "cwd": "/u/demo", "hook_event_name": "SessionStart"}
ASKED = {**STARTED, "hook_event_name": "UserPromptSubmit", "prompt": "sqlite busy_timeout value?"}


def fill(root: Path, count: int, start: str = "N") -> None:
    folder = root / "memory" / "semantic"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        front = f"id: {start}{number:05}\ntype: semantic\ntitle: Title {number}\nproject: global\n"
        (folder / f"{start}{number:05}.md").write_text(f"---\n{front}---\nBody {number}.\n")


def missing(root: Path) -> None:
    (root / "index.db").unlink()


def damaged(root: Path) -> None:
    (root / "index.db").write_bytes(b"no database at all" * 100)


def older(root: Path) -> None:
    import sqlite3

    with sqlite3.connect(root / "index.db") as db:
        db.execute("PRAGMA user_version = 77")


@pytest.mark.parametrize("harm", [missing, damaged, older])
def test_a_session_starts_with_the_newest_files(
    store: MemoryStore, root: Path, home: Path, harm: Callable[[Path], None]
) -> None:
    store.write(type="semantic", title="SQLite in WAL mode", body="Set busy_timeout to 5000.")
    store.close()
    harm(root)

    done = hook(home, "inject", payload=STARTED)

    assert "Set busy_timeout to 5000." in done.stdout.decode()
    assert without_index.NOTICE in done.stdout.decode()
    _wait_for_index(root)
    assert without_index.NOTICE not in hook(home, "inject", payload=STARTED).stdout.decode()


def test_a_prompt_gets_nothing_until_the_index_is_there(
    store: MemoryStore, root: Path, home: Path
) -> None:
    store.write(type="semantic", title="SQLite busy_timeout", body="Set busy_timeout to 5000.")
    store.close()
    missing(root)

    assert hook(home, "recall-hook", payload=ASKED).stdout == b""

    _wait_for_index(root)
    assert b"busy_timeout" in hook(home, "recall-hook", payload=ASKED).stdout


def _wait_for_index(root: Path) -> None:
    for _ in range(400):
        try:
            MemoryStore(root, hurried=True).close()
        except IndexBroken:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nobody built the index")


def test_a_hook_without_an_index_reads_a_bounded_number_of_files(root: Path, home: Path) -> None:
    fill(root, 1500)
    watch = (
        "import sys, json\nread = []\n"
        "def watch(event, given):\n"
        "    if event == 'open' and str(given[0]).endswith('.md'): read.append(1)\n"
        "sys.addaudithook(watch)\n"
        "from anamnesis.hooks import background\n"
        "background.start = lambda arguments: None\n"
        "from anamnesis.cli import main\nmain(['inject'])\n"
        "sys.stderr.write(str(len(read)))"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", watch], input=json.dumps(STARTED), capture_output=True, text=True,
        check=True, env=environment(home),
    )  # fmt: skip

    assert "Body 1499." in done.stdout
    assert int(done.stderr) <= 60
    assert not (root / "index.db").exists()


def test_nothing_is_built_twice(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anamnesis.hooks import background

    started: list[object] = []
    monkeypatch.setattr(background, "start", started.append)
    with locks.held(str(root / "locks" / "rebuild.lock"), name="index", timeout=1):
        background.update_index(Home(root))
    assert started == []

    background.update_index(Home(root))
    assert started == [background.REINDEX]


def test_a_rebuild_that_is_not_needed_leaves_the_index_alone(
    store: MemoryStore,
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.write(type="semantic", title="t", body="b")
    built: list[object] = []
    monkeypatch.setattr(rebuild, "rebuild", lambda *a, **k: built.append(a))

    assert main(["reindex", "--if-needed"]) == 0

    assert built == []
    assert "1 note" in capsys.readouterr().out


KILLED = """
import os, sys
from anamnesis.index import rows
from anamnesis.store import MemoryStore
real, calls = rows.insert_all, 0
def dies(db, notes):
    global calls
    calls += 1
    if calls == 3:
        os._exit(9)
    real(db, notes)
rows.insert_all = dies
MemoryStore(sys.argv[1])
"""


@pytest.mark.skipif(not os.path.exists("/proc/sys/kernel/random/boot_id"), reason="Linux knows it")
def test_a_killed_rebuild_goes_on_where_it_was(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(root, 3500)
    assert subprocess.run([sys.executable, "-c", KILLED, str(root)]).returncode == 9
    read: list[str] = []
    real = tree.read_note

    def watched(at: str, path: str) -> tree.ReadNote:
        read.append(path)
        return real(at, path)

    monkeypatch.setattr(tree, "read_note", watched)

    with MemoryStore(root) as store:
        assert len(store.headers()) == 3500

    assert len(read) <= 1500
    assert not list(root.glob("index.db.building*"))


def test_what_was_edited_while_a_rebuild_lay_dead_is_read_again(root: Path) -> None:
    fill(root, 3500)
    subprocess.run([sys.executable, "-c", KILLED, str(root)], check=False)
    edited = root / "memory" / "semantic" / "N00001.md"
    edited.write_text(edited.read_text().replace("Title 1\n", "Another title\n"))
    (root / "memory" / "semantic" / "N00002.md").unlink()

    with MemoryStore(root) as store:
        titles = {note.id: note.title for note in store.headers()}

    assert titles["N00001"] == "Another title"
    assert "N00002" not in titles


def test_no_write_pays_for_a_rebuild(root: Path) -> None:
    """The full-text index is one segment, above the level that new notes are merged in."""
    fill(root, 2500)

    with MemoryStore(root) as store:
        store.reindex()
        segments = store.ask(
            lambda db: db.execute("SELECT count(DISTINCT segid) FROM memories_fts_idx").fetchone()[
                0
            ]
        )
        changed = [_pages_written(store) for _ in range(40)]

    assert segments == 1
    assert max(changed) <= 10 * sorted(changed)[20]


def _pages_written(store: MemoryStore) -> int:
    before = os.path.getsize(store.db_path.with_name("index.db-wal"))
    store.write(type="semantic", title="A title", body="some words of a note")
    return max(0, os.path.getsize(store.db_path.with_name("index.db-wal")) - before)


def test_one_new_file_in_a_large_folder_is_left_to_the_background(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 1500)
    MemoryStore(root).close()
    fill(root, 1501)
    scanned: list[str] = []
    real = os.scandir

    def watched(path: str) -> object:
        scanned.append(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", watched)

    with MemoryStore(root, hurried=True) as store:
        assert store.lags

    assert scanned == []
    assert b"Body 1500." not in hook(home, "inject", payload=STARTED).stdout
    for _ in range(200):
        if b"Body 1500." in hook(home, "inject", payload=STARTED).stdout:
            return
        time.sleep(0.05)
    raise AssertionError("nobody refreshed the index")


def test_a_large_store_is_not_listed_to_find_its_newest_files(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 90, "00A")  # before every id of today
    MemoryStore(root).close()
    monkeypatch.setattr(without_index, "_MOST_LISTED", 50)
    listed: list[object] = []

    def count(home: Home) -> list[str]:
        listed.append(home)
        return []

    monkeypatch.setattr(without_index, "_paths", count)
    with MemoryStore(root) as store:
        late = store.write(type="semantic", title="Late", body="The latest of all.")
        gone = store.write(type="semantic", title="Gone", body="Deleted since.")
        store.delete(gone.id)
    missing(root)

    notes = without_index.newest_notes(Home(root), project="global")

    assert listed == []
    assert len(notes) == 60
    assert set(notes) == {late.id, *(f"00A{number:05}" for number in range(31, 90))}


def test_a_store_whose_files_were_exchanged_is_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 90)
    MemoryStore(root).close()
    missing(root)
    for path in (root / "memory").rglob("*.md"):
        path.rename(path.with_name(f"X{path.name}"))
    monkeypatch.setattr(without_index, "_MOST_LISTED", 50)

    assert len(without_index.newest_notes(Home(root), project="global")) == 60


def test_what_is_kept_of_the_newest_notes_does_not_grow(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "_LONGEST_NEWEST", 2000)
    with MemoryStore(root) as store:
        ids = [store.write(type="semantic", title=f"N {n}", body="x").id for n in range(300)]

    known = refresh.newest_known(Home(root))
    assert known[0] == f"memory/semantic/{max(ids)}.md"
    assert len(known) <= 200
    assert (root / "state" / "newest-notes.txt").stat().st_size < 20_000
