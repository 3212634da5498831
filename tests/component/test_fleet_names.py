"""Machines with one host name, and machines that get another name: each is one machine."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.operations.travel import fleet


class Desk:
    """A machine whose host is called as all the others are."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = home / ".anamnesis"
        self._patch = monkeypatch
        home.mkdir()

    def run(self, *arguments: str) -> int:
        self._patch.setenv("HOME", str(self.root.parent))
        self._patch.setenv("ANAMNESIS_HOME", str(self.root))
        return main(list(arguments))

    def set_up(self, *options: str) -> None:
        assert self.run("init", "--yes", "--agents", "claude", *options) == 0

    @property
    def name(self) -> str:
        return str(json.loads((self.root / "config.json").read_text())["machine_id"])

    @property
    def knows(self) -> set[str]:
        return {machine.machine for machine in fleet.machines(Home(self.root))}


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Desk]:
    monkeypatch.setattr("anamnesis.ground.startup.gethostname", lambda: "desk")
    return [Desk(tmp_path / str(number), monkeypatch) for number in range(3)]


def test_machines_of_one_name_that_meet_later_are_told_apart(
    desks: list[Desk], tmp_path: Path
) -> None:
    remote = str(tmp_path / "shared.git")
    desks[0].set_up("--remote", remote)
    for late in desks[1:]:
        late.set_up("--local-only")
        late.run("remote", "set", remote)
        late.run("sync")

    for _ in range(2):
        for desk in desks:
            assert desk.run("sync") == 0

    assert desks[0].name == "desk"  # it was here first
    names = {desk.name for desk in desks}
    assert len(names) == 3
    assert all(desk.knows == names for desk in desks)


def test_a_machine_that_got_another_name_leaves_no_ghost(desks: list[Desk], tmp_path: Path) -> None:
    remote = str(tmp_path / "shared.git")
    desks[0].set_up("--remote", remote)
    desks[1].set_up("--remote", remote)

    desks[1].run("config", "set", "machine_id", "laptop")
    desks[1].run("sync")
    desks[0].set_up("--machine-id", "tower")
    desks[1].run("sync")

    assert desks[0].knows == desks[1].knows == {"laptop", "tower"}


def test_a_machine_that_was_copied_from_another_is_a_machine_of_its_own(
    desks: list[Desk], tmp_path: Path
) -> None:
    desks[0].set_up("--remote", str(tmp_path / "shared.git"))
    shutil.copytree(desks[0].root, desks[1].root)
    desks[1].run("config", "set", "machine_id", "laptop")

    for _ in range(3):
        for desk in desks[:2]:
            assert desk.run("sync") == 0

    assert desks[0].knows == desks[1].knows == {"desk", "laptop"}


def test_a_name_that_a_variable_gives_is_not_ours_to_change(
    desks: list[Desk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    remote = str(tmp_path / "shared.git")
    desks[0].set_up("--remote", remote)
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "desk")
    desks[1].set_up("--remote", remote)
    before = (desks[1].root / "config.json").read_bytes()
    capsys.readouterr()

    desks[1].run("sync")
    assert desks[1].run("doctor") == 1

    assert "-> unset ANAMNESIS_MACHINE_ID" in capsys.readouterr().out
    assert (desks[1].root / "config.json").read_bytes() == before


def test_two_computers_that_take_turns_with_one_store_are_noticed(
    desks: list[Desk], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = desks[0]
    desk.set_up("--local-only")

    def used_by(boot: str) -> bool:
        monkeypatch.setattr(fleet, "_boot_id", lambda: boot)
        assert desk.run("sync") == 0
        return fleet.is_used_by_two_hosts(Home(desk.root))

    assert not used_by("a-first-boot")
    assert not used_by("after-a-restart")
    assert not used_by("after-another")
    assert not used_by("after-another")
    assert used_by("after-a-restart")
    capsys.readouterr()
    desk.run("doctor")
    assert "two computers use" in capsys.readouterr().out

    os.utime(desk.root / "state" / "boots", (1, 1))
    assert not fleet.is_used_by_two_hosts(Home(desk.root))
