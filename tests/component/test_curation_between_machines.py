"""Curation on one machine, seen from another, through real git."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.ground.records import replace
from anamnesis.notes import tree
from anamnesis.operations.curate import reflect
from anamnesis.store import MemoryStore
from support.reflect import FACT, durable, files, sessions

On = Callable[..., None]


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> On:
    """Run a command on a machine of a fleet with one remote."""
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)

    def run(machine: str, *argv: str) -> None:
        monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / machine))
        monkeypatch.setenv("ANAMNESIS_MACHINE_ID", machine)
        monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(remote))
        assert main(list(argv)) == 0

    return run


def notes_of(folder: Path) -> dict[str, bytes]:
    return {path: data for path, data in files(folder).items() if "/.git/" not in path}


def test_a_forgotten_note_is_gone_everywhere_and_stays_gone(on: On, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        note = durable(store, body="what nobody shall know")
        durable(store, "Another")
    on("laptop", "sync")
    on("desk", "sync")
    on("laptop", "forget", note.id, "--yes")
    on("laptop", "sync")
    with MemoryStore(tmp_path / "desk") as store:
        store.put(replace(note, body="edited on the desk before it heard of it"))

    for machine in ("desk", "laptop", "desk", "laptop"):
        on(machine, "sync")

    for machine in ("laptop", "desk"):
        with MemoryStore(tmp_path / machine) as store:
            assert store.get(note.id) is None
            assert tree.is_forgotten(str(store.root), note.id)
    assert notes_of(tmp_path / "laptop") == notes_of(tmp_path / "desk")


def test_a_forgotten_note_that_comes_back_is_removed_by_the_next_sync(
    on: On, tmp_path: Path
) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        note = durable(store, body="what nobody shall know")
        durable(store, "Another")
    on("laptop", "sync")
    on("laptop", "forget", note.id, "--yes")
    on("laptop", "sync")
    with MemoryStore(tmp_path / "laptop") as store:
        store.put(note)

    on("laptop", "sync")

    with MemoryStore(tmp_path / "laptop") as store:
        assert store.get(note.id) is None


@pytest.mark.usefixtures("terminal")
def test_a_forgotten_note_leaves_no_trace_on_the_other_machine(on: On, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        note = durable(store, body="what nobody shall know")
        durable(store, "Another")
    on("laptop", "sync")
    on("desk", "sync")
    on("desk", "pin", note.id)
    on("desk", "sync")
    on("laptop", "sync")

    on("laptop", "forget", note.id, "--yes")
    on("laptop", "sync")
    on("desk", "sync")

    found = files(tmp_path / "desk")
    kept = [path for path in found if "/.git/" not in path and not path.startswith("index.db")]
    assert not [path for path in kept if b"nobody shall know" in found[path]]


def test_both_machines_may_forget_the_same_note(on: On, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        note = durable(store)
        durable(store, "Another")
    on("laptop", "sync")
    on("desk", "sync")

    for machine in ("laptop", "desk"):
        on(machine, "forget", note.id, "--yes")
    for machine in ("laptop", "desk", "laptop"):
        on(machine, "sync")

    assert notes_of(tmp_path / "laptop") == notes_of(tmp_path / "desk")


def test_reflections_of_two_machines_converge_through_a_sync(on: On, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        sessions(store, 5, body=FACT)
        durable(store, "One", body="Releases are cut on Fridays by whoever is on call.")
        durable(store, "Two", body="Releases are cut on Fridays by whoever is on call!")
    on("laptop", "sync")
    on("desk", "sync")

    for machine in ("laptop", "desk"):
        on(machine, "reflect", "--apply")
    for machine in ("laptop", "desk", "laptop"):
        on(machine, "sync")

    assert notes_of(tmp_path / "laptop") == notes_of(tmp_path / "desk")
    with MemoryStore(tmp_path / "desk") as store:
        assert [note.body for note in store.list(type="semantic")].count(FACT) == 1
        assert reflect.propose(store) == []


def test_a_reflection_is_one_commit(on: On, tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "laptop") as store:
        sessions(store, 5, body=FACT)
    on("laptop", "sync")
    with MemoryStore(tmp_path / "laptop") as store:
        durable(store, "Written meanwhile")

    on("laptop", "reflect", "--apply")
    on("laptop", "reflect", "--undo")

    argv = ["git", "log", "--format=tformat:-", "--name-status", "--"]
    memory = tmp_path / "laptop" / "memory"
    log = subprocess.run(argv, cwd=memory, capture_output=True, text=True, check=True).stdout
    commits = [[line[0] for line in part.split("\n") if line] for part in log.split("-\n")[1:]]
    assert commits == [["D"], ["A"], ["A"], ["A"] * 5]


def test_native_memory_is_taken_in_at_a_sync(on: On, home: Path, tmp_path: Path) -> None:
    folder = home / ".claude" / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Some text.\n")

    for machine in ("laptop", "desk", "laptop", "desk"):
        on(machine, "sync")

    for machine in ("laptop", "desk"):
        with MemoryStore(tmp_path / machine) as store:
            assert "Some text." in [note.body for note in store.list()]
    assert notes_of(tmp_path / "laptop") == notes_of(tmp_path / "desk")
