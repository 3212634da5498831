from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable


def test_a_write_replaces_the_whole_file_and_is_private(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.md"

    atomic.write_text(str(target), "one")
    atomic.write_text(str(target), "two")

    assert target.read_text() == "two"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert os.listdir(target.parent) == ["b.md"]


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "b.md"
    target.mkdir()

    with pytest.raises(NotWritable, match="directory"):
        atomic.write_text(str(target), "two")

    assert os.listdir(tmp_path) == ["b.md"]


def test_a_new_name_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    (tmp_path / "old").write_text("x")

    atomic.rename(str(tmp_path / "old"), str(tmp_path / "new"))

    assert os.listdir(tmp_path) == ["new"]
    assert tmp_path.stat().st_ino in synced


@pytest.mark.parametrize(("code", "told"), [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_disk_that_breaks_is_told_and_one_that_cannot_sync_a_folder_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: bool
) -> None:
    def fails_for_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails_for_folders)

    with pytest.raises(NotWritable) if told else nullcontext():
        atomic.write_text(str(tmp_path / "note"), "x")


def test_a_mac_is_asked_to_empty_the_cache_of_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, command: asked.append(command))

    atomic.write_text(str(tmp_path / "note"), "x")

    assert asked == [51, 51]  # the file, and the folder that names it


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes to a file")
@pytest.mark.parametrize("after", [b"new\n", None])
def test_a_file_that_a_program_writes_to_is_left_to_it(tmp_path: Path, after: bytes | None) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"old\n")

    with note.open("ab", buffering=0) as editor:
        assert not atomic.exchange(str(note), b"old\n", after)
        editor.write(b"more\n")

    assert note.read_bytes() == b"old\nmore\n"
    assert atomic.exchange(str(note), b"old\nmore\n", after)
    assert os.listdir(tmp_path) == (["note.md"] if after else [])


def test_an_empty_file_is_removed_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")

    assert atomic.exchange_all([(str(path), b"", None)]) == []

    assert not path.exists()
