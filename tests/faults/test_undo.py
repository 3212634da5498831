"""A change of many notes is made whole or not at all, whatever happens in between."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from anamnesis.config import Home
from anamnesis.ground import atomic
from anamnesis.ground.errors import NoteChangedOnDisk, NotWritable
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.history.units import Units
from anamnesis.notes.fields import Memory, encode_id
from anamnesis.notes.tree import ReadNote
from anamnesis.operations.curate import forget, pin
from anamnesis.operations.notes.delete import delete
from anamnesis.store import MemoryStore
from support.notes import content_of_files, index_content
from support.reflect import files, sessions


def retitled(store: MemoryStore) -> list[undo.FileChange]:
    """A change of every session, and one note more."""
    pairs: list[tuple[ReadNote | None, Memory | None]] = []
    for header in store.headers(type="episodic"):
        read = store.read(header.id)
        assert read is not None
        pairs.append((read, replace(read.note, title=f"{read.note.title}, changed")))
    first = pairs[0][0]
    assert first is not None
    pairs.append((None, replace(first.note, id="NEW", title="New")))
    return undo.changes_of(store, pairs)


def test_a_unit_is_taken_back_byte_for_byte(store: MemoryStore, root: Path) -> None:
    sessions(store)
    (root / "memory/episodic/by-hand.md").write_bytes(
        b"---\r\nid: BYHAND\r\ntype: episodic\r\ntitle:   odd  \r\n---\r\nA body.\r\n"
    )
    store.refresh()
    before = files(root)
    undo.apply(store, retitled(store), kind="test", summary="")
    assert files(root) != before

    undo.undo(store)

    assert files(root) == before
    assert index_content(root) == content_of_files(root)


def test_a_unit_is_taken_back_only_once(store: MemoryStore) -> None:
    sessions(store)
    undo.apply(store, retitled(store), kind="test", summary="")
    undo.undo(store)

    with pytest.raises(undo.NothingToUndo):
        undo.undo(store)


def test_an_edit_since_is_not_lost(store: MemoryStore, root: Path) -> None:
    first, *_ = sessions(store)
    before = files(root)
    undo.apply(store, retitled(store), kind="test", summary="")
    read = store.read(first.id)
    assert read is not None
    store.update(replace(read.note, body="my edit"), expected_hash=read.hash)

    undone = undo.undo(store)

    assert undone.left == (f"memory/episodic/{first.id}.md",)
    edited = store.get(first.id)
    assert edited is not None
    assert edited.body == "my edit"
    assert sum(before[path] != data for path, data in files(root).items()) == 1


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_was_put_in_the_place_of_a_removed_note_stays(
    store: MemoryStore, root: Path, kind: str
) -> None:
    first, second, *_ = sessions(store)
    removed = [(store.require(first.id), None), (store.require(second.id), None)]
    undo.apply(store, undo.changes_of(store, removed), kind="test", summary="")
    place = root / "memory" / "episodic" / f"{first.id}.md"
    put = {"link": lambda: place.symlink_to("x"), "pipe": lambda: os.mkfifo(place)}
    put.get(kind, place.mkdir)()
    before = os.lstat(place)

    undone = undo.undo(store)

    assert undone.left == (f"memory/episodic/{first.id}.md",)
    assert os.lstat(place).st_ino == before.st_ino
    assert store.get(second.id) == second


def test_a_note_that_changed_meanwhile_stops_the_whole_unit(store: MemoryStore, root: Path) -> None:
    sessions(store)
    changes = retitled(store)
    victim = root / changes[3].path
    victim.write_bytes(victim.read_bytes() + b"a line by hand\n")
    before = files(root)

    with pytest.raises(NoteChangedOnDisk):
        undo.apply(store, changes, kind="test", summary="")

    assert files(root) == before
    assert list(Units(Home(root)).all()) == []


def test_a_full_disk_stops_the_whole_unit(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions(store)
    changes = retitled(store)
    before = files(root)
    real, written = atomic._write, []

    def fails_at_the_third(path: str, data: bytes, *rest: Any, **options: Any) -> None:
        if "/memory/" in path:
            written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        real(path, data, *rest, **options)

    monkeypatch.setattr(atomic, "_write", fails_at_the_third)
    with pytest.raises(NotWritable, match="no space"):
        undo.apply(store, changes, kind="test", summary="")

    monkeypatch.undo()
    assert files(root) == before


KILLED = """
import os, sys
from anamnesis.ground import atomic
from anamnesis.history import undo
from anamnesis.history.units import Units
from anamnesis.store import MemoryStore
from anamnesis.operations.curate import migrate
root, number, writes = sys.argv[1], int(sys.argv[2]), sys.argv[3]
count = 0
def dying(real):
    def dies(path, *more, **options):
        global count
        done = real(path, *more, **options)
        count += "/memory/" in path or "/undo/" in path
        if count == number:
            os._exit(9)
        return done
    return dies
atomic.write_bytes = dying(atomic.write_bytes)
setattr(atomic, writes, dying(getattr(atomic, writes)))  # many files are written as one
with MemoryStore(root) as store:
    migrate.migrate(store, migrate.project_changes(store, {"app": "other"}))
"""


@pytest.mark.parametrize("number", [1, 2, 4, 6])
def test_a_unit_that_was_killed_is_rolled_back_by_the_next(
    store: MemoryStore, root: Path, number: int
) -> None:
    sessions(store)
    before = files(root)
    argv = [sys.executable, "-c", KILLED, str(root), str(number), "_exchange_one"]
    assert subprocess.run(argv, env={**os.environ}, check=False).returncode == 9

    undo.apply(
        store, [undo.FileChange("memory/semantic/X.md", None, b"x")], kind="test", summary=""
    )

    rest = files(root)
    assert rest.pop("memory/semantic/X.md") == b"x"
    assert rest == before
    store.refresh()
    assert index_content(root) == content_of_files(root)


@pytest.mark.parametrize("number", [1, 2, 30, 61])
def test_a_large_unit_that_was_killed_is_rolled_back_too(
    store: MemoryStore, root: Path, number: int
) -> None:
    sessions(store, 60)
    before = files(root)
    argv = [sys.executable, "-c", KILLED, str(root), str(number), "_put"]
    assert subprocess.run(argv, env={**os.environ}, check=False).returncode == 9

    with pytest.raises(undo.NothingToUndo):
        undo.undo(store)

    kept = {path: data for path, data in files(root).items() if "/.tmp-" not in path}
    assert kept == before


def test_a_large_unit_is_taken_back_byte_for_byte(store: MemoryStore, root: Path) -> None:
    sessions(store, 60)
    before = files(root)
    undo.apply(store, retitled(store), kind="test", summary="")
    assert len(store.headers()) == 61

    undo.undo(store)

    assert files(root) == before
    assert index_content(root) == content_of_files(root)


def test_an_undo_that_was_killed_is_finished_by_the_next(store: MemoryStore, root: Path) -> None:
    sessions(store)
    before = files(root)
    unit = undo.apply(store, retitled(store), kind="test", summary="")
    assert unit is not None
    first = unit.files[0]
    assert first.before is not None
    (root / first.path).write_bytes(first.before)

    undo.undo(store)

    assert files(root) == before


def test_what_was_forgotten_is_not_kept_for_an_undo(store: MemoryStore, root: Path) -> None:
    sessions(store, body="the secret plan nobody may know")
    undo.apply(store, retitled(store), kind="test", summary="")

    forget.forget(store, [note.id for note in store.headers()])

    for path in root.rglob("*"):
        if path.is_file() and path.name not in ("index.db", "index.db-wal", "index.db-shm"):
            assert b"secret plan" not in path.read_bytes(), path


def test_the_latest_change_is_undone_first_after_the_clock_was_set_back(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, second, *_) = sessions(store)
    with monkeypatch.context() as ahead:
        real = time.time_ns
        ahead.setattr(time, "time_ns", lambda: real() + 86_400 * 10**9)
        pin.pin(store, [first.id])
    pin.pin(store, [second.id])
    pin.pin(store, [store.write(type="semantic", title="third", body="b").id])

    undone = [undo.undo(store).unit.note_ids for _ in range(3)]

    assert undone[1:] == [[second.id], [first.id]]
    assert undone[0] not in undone[1:]


def test_a_unit_whose_id_is_ahead_of_the_clock_is_kept_for_thirty_days_too(
    store: MemoryStore, root: Path
) -> None:
    (note, *_) = sessions(store)
    unit = pin.pin(store, [note.id])
    assert unit is not None
    ahead = root / "undo" / f"{copied(root, unit, days=-400)}.done.json"
    os.utime(ahead, (time.time() - 31 * 86_400,) * 2)

    undo.recover(store)

    assert kept(root) == [unit.id]


def copied(root: Path, unit: undo.Unit, *, days: int) -> str:
    """The record of a unit once more, as if it had been made so many days ago."""
    id = encode_id(int((time.time() - days * 86_400) * 1000), int.from_bytes(os.urandom(10)))
    source = root / "undo" / f"{unit.id}.done.json"
    shutil.copy(source, source.with_name(f"{id}.done.json"))
    return id


def kept(root: Path) -> list[str]:
    return [unit.id for unit in undo.undoable(Home(root))]


def test_a_unit_is_kept_for_thirty_days(store: MemoryStore, root: Path) -> None:
    (note, *_) = sessions(store)
    unit = pin.pin(store, [note.id])
    assert unit is not None
    young, old = copied(root, unit, days=29), copied(root, unit, days=31)

    undo.recover(store)

    assert kept(root) == [unit.id, young]
    assert not list((root / "undo").glob(f"{old}*"))


def test_of_very_many_units_the_oldest_are_let_go_but_not_the_only_copy_of_a_note(
    store: MemoryStore, root: Path
) -> None:
    (note, *_) = sessions(store)
    local = store.write(type="semantic", title="here only", body="b", scope="machine-local")
    pinned = pin.pin(store, [note.id])
    deleted = delete(store, [local.id]).unit
    assert pinned is not None
    assert deleted is not None
    only_copy = copied(root, deleted, days=20)
    for _ in range(305):
        copied(root, pinned, days=10)

    undo.recover(store)

    assert len(kept(root)) == 301
    assert kept(root)[-1] == only_copy


def test_large_records_are_let_go_earlier(store: MemoryStore, root: Path) -> None:
    (note, *_) = sessions(store)
    unit = pin.pin(store, [note.id])
    assert unit is not None
    for days in (2, 1):
        record = root / "undo" / f"{copied(root, unit, days=days)}.done.json"
        with record.open("a") as stream:
            stream.write(" " * 40_000_000)

    undo.recover(store)

    assert kept(root) == [unit.id, record.name.partition(".")[0]]
