"""Forgotten means gone: the word is in no file of any store, compressed, deleted or logged."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks import receipts, runs
from anamnesis.index import database
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of
from support.fleet import Machine, SealedFleet
from support.hooks import Transcript, hook
from support.notes import index_content

WORD = "Zyxwotharn"
On = Callable[..., int]
pytestmark = pytest.mark.usefixtures("other_notes", "terminal")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> On:
    """Run a command on a machine of a fleet with one remote."""
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)

    def run(name: str, *argv: str) -> int:
        monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / name))
        monkeypatch.setenv("ANAMNESIS_MACHINE_ID", name)
        monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
        return main(list(argv))

    return run


@pytest.fixture
def other_notes(tmp_path: Path) -> None:
    """Notes that stay, so that a page of a database is shared with what goes."""
    with MemoryStore(tmp_path / "laptop") as store:
        for number in range(20):
            port = f"The port of service {number} is {8000 + number}."
            store.write(type="semantic", title=f"Note {number}", body=port)


def traces(store: Path, word: str = WORD) -> list[str]:
    """The files below a store that have a word, as they are or unpacked; and git's objects."""
    needle = word.lower()[:7].encode()  # a stem or a shared beginning is enough to give it away
    found = []
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        texts = [str(path.relative_to(store)).encode(), path.read_bytes(), *_unpacked(path)]
        if any(needle in text.lower() for text in texts):
            found.append(str(path.relative_to(store)))
    repositories = sorted(path.parent for path in store.rglob("objects") if path.is_dir())
    with_it = (each for each in repositories if needle in _objects(each).lower())
    return [*found, *(f"{each.relative_to(store)} (objects)" for each in with_it)]


def _unpacked(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        yield gzip.decompress(data)
    if data.startswith(b"SQLite format 3"):
        yield from _rows(path)


def _rows(path: Path) -> Iterator[bytes]:
    """What a database says: its rows, and the words that its full text has."""
    with closing(sqlite3.connect(path)) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            yield repr(db.execute(f"SELECT * FROM {table}").fetchall()).encode()
            if table.endswith("_fts"):
                db.execute(f"CREATE VIRTUAL TABLE temp.w USING fts5vocab(main, {table}, instance)")
                yield repr(db.execute("SELECT DISTINCT term FROM temp.w").fetchall()).encode()
                db.execute("DROP TABLE temp.w")


def _objects(repository: Path) -> bytes:
    argv = ["git", "cat-file", "--batch", "--batch-all-objects", "--unordered"]
    return subprocess.run(argv, cwd=repository, capture_output=True, check=True).stdout


def session(store: Path, number: str = "s-1") -> dict[str, str]:
    """A session about the word, as a client leaves it outside of the store."""
    transcript = Transcript(store.parent / f"{number}-of-{store.name}.jsonl", session=number)
    transcript.user(f"Set up {WORD} for the shop and write down its port")
    transcript.edit("/home/u/shop/server.js").result()
    transcript.assistant(f"{WORD} listens on 4041 now.")
    return {"session_id": number, "transcript_path": str(transcript.path), "cwd": "/home/u/shop"}


def used(on: On, store: Path, payload: dict[str, str]) -> None:
    """Let a machine have a session with the word: captured, injected, recalled."""
    variables: Any = {"ANAMNESIS_HOME": str(store), "ANAMNESIS_MACHINE_ID": store.name}
    end = {**payload, "hook_event_name": "SessionEnd"}
    hook(store.parent, "capture", "--no-sync", payload=end, **variables)
    start = {"session_id": "s-2", "cwd": "/home/u/shop", "source": "startup"}
    hook(store.parent, "inject", payload=start, **variables)
    prompt = {**start, "prompt": f"Which port does the {WORD} service of the shop listen on?"}
    hook(store.parent, "recall-hook", payload=prompt, **variables)
    assert on(store.name, "search", WORD) == 0


def planted(on: On, tmp_path: Path) -> tuple[Path, Path]:
    """Two machines that have met the word in every way."""
    laptop, desk = tmp_path / "laptop", tmp_path / "desk"
    with MemoryStore(laptop) as store:
        body = "It listens on port 4041."
        note = store.write(type="semantic", title=f"{WORD} is our proxy", body=body, tags=[WORD]).id
    assert on("laptop", "sync") == on("desk", "sync") == 0
    for place, port in ((laptop, 5051), (desk, 6061)):
        path = place / "memory" / "semantic" / f"{note}.md"
        path.write_text(path.read_text().replace("4041", f"{port} of {WORD}"))
    assert on("laptop", "sync") == 0
    assert on("desk", "sync") == 3  # a conflict
    assert on("desk", "conflicts", "resolve", note, "--mine") == 0
    assert on("desk", "sync") == on("laptop", "sync") == 0
    used(on, laptop, session(laptop, "s-1"))
    used(on, desk, session(desk, "s-3"))
    for place in (laptop, desk):
        assert on(place.name, "pin", note) == 0  # a change that undo keeps
        home, ended = Home(place), "s-1" if place is laptop else "s-3"
        runs.note_run(home, "capture", did=f"wrote a note (shop: {WORD})", session=ended)
        runs.note_run(home, "inject", did="3 notes", session="s-2")
        for given in ([note], [note, "other"]):  # as earlier versions logged it
            notes = [receipts.GivenNote(id, f"it has {WORD}" if id == note else "", 9, whole=True)
                     for id in given]  # fmt: skip
            receipts.write(
                home, event="recall", session="s-2", project="shop", source="prompt", given=notes,
                units=9,
            )  # fmt: skip
        (place / "spool").mkdir(exist_ok=True)
        payload = json.dumps({"session_id": ended, "prompt": WORD})  # whose capture was killed
        (place / "spool" / "1-0123456789ab.json").write_text(payload)
        asked = [(f"where is {WORD}", note), ("kept", "other")]
        cases = [json.dumps({"query": query, "relevant": [id]}) for query, id in asked]
        Path(home.eval_cases).write_text("\n".join(cases) + "\n")
    for name in ("laptop", "desk", "laptop"):
        assert on(name, "sync") == 0
    return laptop, desk


def test_a_purged_word_is_nowhere_below_any_store(machine: On, tmp_path: Path) -> None:
    laptop, desk = planted(machine, tmp_path)
    places = {path.split("/")[0].split("-")[0] for path in traces(laptop)}
    assert places >= {
        "memory",
        "undo",
        "log",
        "sessions",
        "index.db",
        "sessions.db",
        "spool",
        "state",
    }
    assert "conflicts" in {path.split("/")[0] for path in traces(desk)}

    assert machine("laptop", "forget", "--query", WORD, "--purge-history", "--yes") == 0
    assert machine("desk", "sync") == 0
    assert machine("laptop", "sync") == 0

    assert traces(laptop) == []
    assert traces(desk) == []
    for place in (laptop, desk):
        assert len(index_content(place)["memories"]) == 20
        assert "3 notes" in {run["did"] for run in runs.latest_runs(Home(place))}
        assert "other" in receipts.already_given(Home(place), "s-2")
        assert '"kept"' in (place / "eval.jsonl").read_text()


def test_without_a_purge_only_the_history_has_the_word(machine: On, tmp_path: Path) -> None:
    laptop, desk = planted(machine, tmp_path)

    assert machine("laptop", "forget", "--query", WORD, "--yes") == 0
    assert machine("laptop", "sync") == machine("desk", "sync") == 0

    for place in (laptop, desk):
        assert {path.split(" ")[0] for path in traces(place)} <= {"memory/.git"}


def test_a_copy_that_another_sync_program_made_goes_too(
    machine: On, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert machine("laptop", "write", f"It is {WORD}.", "--title", "A name") == 0
    note_id = capsys.readouterr().out.strip()
    (note,) = (tmp_path / "laptop/memory").rglob(f"{note_id}.md")
    copy = note.with_name(f"{note.stem}.sync-conflict-20260101-120000-ABCDEFG.md")
    copy.write_bytes(note.read_bytes())

    assert machine("laptop", "forget", note_id, "--yes") == 0

    assert not copy.exists()


def test_a_session_with_the_word_goes_although_its_note_stays(
    machine: On, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laptop = tmp_path / "laptop"
    told = session(laptop)
    used(machine, laptop, told)
    with MemoryStore(laptop) as store:
        note = next(each for each in store.list() if each.type == "episodic")
        path = laptop / "memory" / "episodic" / f"{note.id}.md"
        path.write_text(path.read_text().replace(WORD, "the proxy"))
    assert machine("laptop", "search", WORD) == 0

    assert machine("laptop", "forget", "--query", WORD, "--yes") == 0
    used(machine, laptop, told)

    assert "1 archived session removed" in capsys.readouterr().out
    assert not list((laptop / "sessions").iterdir())
    assert traces(laptop) == []
    assert path.exists()


def test_words_of_a_deleted_note_and_of_an_earlier_version_can_be_purged(
    machine: On, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laptop, desk = tmp_path / "laptop", tmp_path / "desk"
    with MemoryStore(laptop) as store:
        deleted = store.write(type="semantic", title="Proxy", body=f"{WORD} it is called.")
        edited = store.write(type="semantic", title="Gate", body=f"Behind {WORD} is a gate.")
    assert machine("laptop", "sync") == machine("desk", "sync") == 0
    path = laptop / "memory" / "semantic" / f"{edited.id}.md"
    path.write_text(path.read_text().replace(WORD, "the proxy"))
    assert machine("laptop", "delete", deleted.id, "--yes") == 0
    assert machine("laptop", "sync") == machine("desk", "sync") == 0
    assert {"undo", "memory"} <= {trace.split("/")[0] for trace in traces(laptop)}
    capsys.readouterr()

    assert machine("laptop", "forget", "--query", WORD, "--purge-history", "--yes") == 0
    assert machine("desk", "sync") == 0

    printed = capsys.readouterr().out
    assert "1 version kept for undo removed" in printed
    assert "2 versions are gone from the history" in printed
    assert traces(laptop) == []
    assert traces(desk) == []
    for place in (laptop, desk):
        assert "the proxy is a gate" in (place / "memory/semantic" / path.name).read_text()


def test_words_of_one_project_say_nothing_about_earlier_versions_elsewhere(
    machine: On, tmp_path: Path
) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        deleted = store.write(type="semantic", title="Proxy", body=f"{WORD} it is called.")
    assert machine("laptop", "sync") == 0
    assert machine("laptop", "delete", deleted.id, "--yes") == machine("laptop", "sync") == 0

    words = ("--query", WORD, "--project", "shop")
    assert machine("laptop", "forget", *words, "--purge-history", "--yes") == 0

    assert machine("laptop", "undo") == 0
    with MemoryStore(tmp_path / "laptop") as store:
        assert store.get(deleted.id) is not None


def test_what_a_killed_sync_left_goes_with_the_next_one(machine: On, tmp_path: Path) -> None:
    _, desk = planted(machine, tmp_path)
    assert machine("laptop", "forget", "--query", WORD, "--purge-history", "--yes") == 0

    backend_of(desk, machine_id="desk").sync()  # killed before it looked at the tombstones
    assert "index.db" in traces(desk)
    assert machine("desk", "sync") == 0

    assert traces(desk) == []


def test_what_killed_processes_left_goes_too(machine: On, tmp_path: Path) -> None:
    laptop = tmp_path / "laptop"
    with MemoryStore(laptop) as store:
        note = store.write(type="semantic", title="Proxy", body=f"{WORD} it is called.")
    text = (laptop / "memory" / "semantic" / f"{note.id}.md").read_bytes()
    left = [
        laptop / "memory" / "semantic" / ".tmp-1-0123456789ab",
        laptop / "undo" / ".tmp-1-0123456789ab",
        laptop / "conflicts" / f"{note.id}.tmp-1-0123" / "theirs.md",
        laptop / "conflicts" / "path-0123456789abcdef" / "theirs.md",
        laptop / "index.db.building",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        os.utime(path, (1, 1))

    assert machine("laptop", "forget", note.id, "--yes") == 0

    assert traces(laptop) == []


def test_an_index_that_is_being_read_is_cleaned_by_the_next_sync(
    machine: On, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = tmp_path / "laptop"
    with MemoryStore(laptop) as store:
        note = store.write(type="semantic", title="Proxy", body=f"{WORD} it is called.")
    monkeypatch.setattr(database, "_BUSY_MILLISECONDS", 50)
    with closing(sqlite3.connect(laptop / "index.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        assert machine("laptop", "forget", note.id, "--yes") == 0
    assert "the next sync removes what is left there" in capsys.readouterr().err

    assert machine("laptop", "sync") == 0

    assert traces(laptop) == []


def test_a_sealed_remote_makes_no_difference(
    sealed_fleet: SealedFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = sealed_fleet.copy(tmp_path / "fleet")
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    monkeypatch.setenv("ANAMNESIS_SEALED", "1")
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(fleet.remote))

    def on(each: Machine, *argv: str) -> None:
        monkeypatch.setenv("ANAMNESIS_HOME", str(each.home))
        monkeypatch.setenv("ANAMNESIS_MACHINE_ID", each.name)
        assert main(argv) == 0

    laptop.write("plan", f"{WORD} is the plan")
    laptop.write("other", "stays")
    for each in (laptop, desk):
        on(each, "sync")
        on(each, "search", WORD)
        assert traces(each.home)

    on(laptop, "forget", "--query", WORD, "--purge-history", "--yes")
    on(desk, "sync")

    assert traces(laptop.home) == []
    assert traces(desk.home) == []
    assert desk.body("other") == "stays"
