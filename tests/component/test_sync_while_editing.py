"""A person saves a file while a sync is under way."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from support.fleet import FIVE, Machine, git_that


def sync_and_meanwhile(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Sync with a git that runs a shell command when it is asked to fetch."""
    with monkeypatch.context() as patched:
        patched.setenv("PATH", git_that(tmp_path, command, at="fetch"))
        machine.sync()


def test_an_edit_of_another_line_is_merged(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()

    sync_and_meanwhile(desk, tmp_path, monkeypatch, f"sed -i s/five/FIVE/ {desk.path('n')}")

    assert desk.body("n") == "ONE\ntwo\nthree\nfour\nFIVE"
    desk.sync()
    laptop.sync()
    assert laptop.body("n") == desk.body("n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes to a file")
def test_what_a_program_writes_slowly_is_merged(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    data = desk.path("n").read_bytes()

    with desk.path("n").open("wb", buffering=0) as editor:
        editor.write(data[:-6])
        desk.sync()
        editor.write(data[-6:] + b"six\n")
    desk.sync()

    assert desk.body("n") == "ONE\ntwo\nthree\nfour\nfive\nsix"
    assert not desk.held()
    laptop.sync()
    assert laptop.files() == desk.files()


def test_an_edit_of_the_same_line_is_held(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()

    sync_and_meanwhile(desk, tmp_path, monkeypatch, f"sed -i s/one/uno/ {desk.path('n')}")

    assert desk.body("n") == FIVE.replace("one", "uno")
    held = desk.held()["semantic/n.md"]
    assert b"ONE" in held.theirs
    assert held.base is not None
    assert b"one" in held.base
    assert desk.sync().conflicted
    laptop.sync()
    assert laptop.body("n") == FIVE.replace("one", "ONE")


def test_an_edit_of_a_note_that_is_deleted_elsewhere_wins(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    laptop.delete("n")
    laptop.sync()

    sync_and_meanwhile(desk, tmp_path, monkeypatch, f"sed -i s/one/uno/ {desk.path('n')}")
    desk.sync()
    laptop.sync()

    assert laptop.body("n") == desk.body("n") == FIVE.replace("one", "uno")


def test_a_new_note_goes_out_with_the_next_sync(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    laptop.edit("n", body="news")
    laptop.sync()

    sync_and_meanwhile(
        desk,
        tmp_path,
        monkeypatch,
        f"sed s/anchor/new/g {desk.path('anchor')} > {desk.path('new')}",
    )
    desk.sync()
    laptop.sync()

    assert laptop.body("new") == "stays"
    assert desk.body("n") == "news"


def test_a_commit_by_hand_meanwhile_is_kept(
    pair: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=FIVE.replace("one", "ONE"))
    laptop.sync()
    once = tmp_path / "once"
    command = (
        f"[ -e {once} ] || (touch {once}; cd {desk.memory}; "
        f"sed -i s/stays/changed/ {desk.path('anchor')}; "
        f"{shutil.which('git')} -c user.name=p -c user.email=p@x commit -qam by-hand)"
    )

    sync_and_meanwhile(desk, tmp_path, monkeypatch, command)
    laptop.sync()

    assert laptop.body("anchor") == desk.body("anchor") == "changed"
    assert laptop.body("n") == desk.body("n") == FIVE.replace("one", "ONE")
    assert "by-hand" in desk.git("log", "--format=%s")
