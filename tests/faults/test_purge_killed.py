"""kill -9 at every step of a purge, and of following one: no note is lost, the purged one goes."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from support.fleet import FLEETS, Fleet, Victims, quiet
from support.thin import thinned

if TYPE_CHECKING:
    from pathlib import Path

SECRET = b"what nobody shall know"


@pytest.fixture(params=FLEETS)
def forgotten(tmp_path: Path, request: pytest.FixtureRequest) -> Fleet:
    """Two machines; one forgot a note, the other has work that nobody else has."""
    base = tmp_path / "start"
    base.mkdir()
    fleet: Fleet = request.param(base)
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    for name in ("early", "late"):
        laptop.write(name, "body")
        laptop.write("plan", f"{SECRET.decode()} {name}")
        laptop.sync()
    quiet(laptop, desk)
    with MemoryStore(laptop.home) as store:
        forget.forget(store, ["plan"])
    laptop.sync()
    desk.remote = None
    desk.write("from-desk", "committed while offline")
    desk.sync()
    desk.write("early", "edited on the desk")
    return fleet


def check(fleet: Fleet) -> None:
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    quiet(laptop, desk)
    laptop.backend.purge({"plan"})
    quiet(desk, laptop)
    for machine in (laptop, desk):
        bodies = {name: machine.body(name) for name in ("early", "late", "from-desk", "plan")}
        assert bodies == {
            "early": "edited on the desk", "late": "body",
            "from-desk": "committed while offline", "plan": None,
        }  # fmt: skip
    for place in (fleet.remote, laptop.memory, desk.memory):
        argv = ["git", "rev-list", "--objects", "--all"]
        listed = subprocess.run(argv, cwd=place, capture_output=True, check=True).stdout
        wanted = b"\n".join(line.split()[0] for line in listed.splitlines())
        argv = ["git", "cat-file", "--batch"]
        found = subprocess.run(argv, cwd=place, input=wanted, capture_output=True, check=True)
        assert SECRET not in found.stdout, place


def kill_before_each_effect(
    start: Fleet, base: Path, work: str, victims: Victims, *, first: int, step: int
) -> int:
    number, through = first, False
    while not through:
        fleet = start.copy(base / str(number))
        if work == "purge":
            through = victims.purge(number, fleet.base / "laptop", fleet.remote)
        else:
            through = victims.sync(number, fleet.base / "desk", fleet.remote)
        check(fleet)
        shutil.rmtree(fleet.base)
        number += step
    return number


@pytest.mark.parametrize("first", thinned(8, kept=(2,)))
def test_a_killed_purge_is_finished_by_whoever_comes_next(
    victims: Victims, forgotten: Fleet, tmp_path: Path, first: int
) -> None:
    count = kill_before_each_effect(forgotten, tmp_path, "purge", victims, first=first, step=8)

    assert count > 15


@pytest.mark.parametrize("first", thinned(8, kept=(2,)))
def test_a_machine_that_is_killed_while_it_follows_goes_on(
    victims: Victims, forgotten: Fleet, tmp_path: Path, first: int
) -> None:
    forgotten.machine("laptop").backend.purge({"plan"})

    count = kill_before_each_effect(forgotten, tmp_path, "sync", victims, first=first, step=8)

    assert count > 30
