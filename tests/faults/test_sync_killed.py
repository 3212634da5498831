"""kill -9 at every step of a sync: the next one continues automatically and nothing is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.fleet import (
    FIVE,
    FLEETS,
    Fleet,
    Machine,
    SealedFleet,
    Victims,
    every_text,
    quiet,
)
from support.thin import thinned

Situation = Callable[[Fleet], Machine]


def everything_at_once(fleet: Fleet) -> Machine:
    """A merge, a clash, a deletion and new notes on both sides, and commits that wait."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    for name in ("merged", "clash", "gone", "kept"):
        laptop.write(name, FIVE)
    quiet(laptop, desk)
    laptop.edit("merged", body=FIVE.replace("one", "ONE of laptop"))
    laptop.edit("clash", body="text of laptop")
    laptop.delete("gone")
    laptop.write("from-laptop", "new on laptop")
    laptop.sync()
    desk.remote = None
    desk.edit("merged", title="Title of desk")
    desk.write("waiting", "committed while offline")
    desk.sync()
    desk.remote = str(fleet.remote)
    desk.edit("merged", body=FIVE.replace("five", "FIVE of desk"))
    desk.edit("clash", body="text of desk")
    desk.write("from-desk", "new on desk")
    return desk


def a_machine_that_joins(fleet: Fleet) -> Machine:
    """Notes on both sides and no common history."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("shared", "the same on both")
    laptop.write("from-laptop", "new on laptop")
    laptop.sync()
    desk.write("shared", "the same on both")
    desk.write("from-desk", "new on desk")
    return desk


TEXTS: dict[Situation, list[str]] = {
    everything_at_once: [
        "ONE of laptop", "FIVE of desk", "Title of desk", "text of laptop", "text of desk",
        "new on laptop", "new on desk", "committed while offline",
    ],
    a_machine_that_joins: ["the same on both", "new on laptop", "new on desk"],
}  # fmt: skip


def check(fleet: Fleet, situation: Situation) -> None:
    """What must hold after a kill and one more sync of everybody."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    for machine in (desk, laptop):
        result = machine.sync()
        assert not result.error, result
    held = set(desk.held())
    assert set(laptop.held()) == set()
    theirs, mine = laptop.files(), desk.files()
    assert {p: t for p, t in theirs.items() if p not in held} == {
        p: t for p, t in mine.items() if p not in held
    }
    assert theirs == fleet.published()
    assert desk.git("symbolic-ref", "HEAD") == "refs/heads/main"
    # Git's own index stops no sync of ours: its lock is left until it is old enough to be dead.
    for left in (desk.memory / ".git").rglob("*.lock"):
        assert left.name == "index.lock"
        os.utime(left, (0, 0))
        desk.sync()
        assert not left.exists()
    if situation is everything_at_once:
        assert held == {"semantic/clash.md"}
        assert desk.body("clash") == "text of desk"
        assert "semantic/gone.md" not in mine
    found = every_text(laptop.home, desk.home, fleet.remote)
    for text in TEXTS[situation]:
        assert text.encode() in found, text


def kill_before_each_effect(
    victims: Victims, situation: Situation, start: Fleet, *, first: int = 1, step: int = 1
) -> int:
    """Kill a sync before its first effect, its second, and so on; gives how many there are."""
    situation(start)
    number, through = first - step, False
    while not through:
        number += step
        fleet = start.copy(start.base.parent / f"try-{number}")
        through = victims.sync(number, fleet.base / "desk", fleet.remote)
        check(fleet, situation)
        shutil.rmtree(fleet.base)
    return number - 1


@pytest.mark.parametrize("made", FLEETS)
@pytest.mark.parametrize("first", thinned(16, kept=(1, 9)))
def test_a_sync_killed_before_any_of_its_effects_is_completed_by_the_next(
    victims: Victims, tmp_path: Path, first: int, made: type[Fleet]
) -> None:
    """Every 16th effect: these try an eighth of all, `make soak` tries the others."""
    start = made(_made(tmp_path / "start"))

    count = kill_before_each_effect(victims, everything_at_once, start, first=first, step=16)

    assert count > 30


def test_a_sync_over_a_sealed_remote_killed_at_a_few_places_is_completed_by_the_next(
    victims: Victims, tmp_path: Path
) -> None:
    """Every 21st effect; `make soak` tries all of them."""
    start = SealedFleet(_made(tmp_path / "start"))

    assert kill_before_each_effect(victims, everything_at_once, start, first=9, step=21) > 30


@pytest.mark.soak
@pytest.mark.parametrize("made", FLEETS)
def test_a_first_sync_killed_before_any_of_its_effects_is_completed_by_the_next(
    victims: Victims, tmp_path: Path, made: type[Fleet]
) -> None:
    start = made(_made(tmp_path / "start"))

    assert kill_before_each_effect(victims, a_machine_that_joins, start) > 30


# What becomes of the N-th git process, with the real one in $GIT:
DEATHS = {
    "git dies before it does anything": "kill -9 $$",
    "git lives on without us": 'kill -9 $PPID; exec "$GIT" "$@"',
    "git dies in the middle": '"$GIT" "$@" & sleep 0.004; kill -9 $! $$',
    "both die when git is done": '"$GIT" "$@" >/dev/null; kill -9 $PPID $$',
}
LONG = ("git dies in the middle", "both die when git is done")


@pytest.mark.parametrize("made", FLEETS)
@pytest.mark.parametrize("first", thinned(2, kept=(2,)))
@pytest.mark.parametrize(
    "death", [pytest.param(d, marks=[pytest.mark.soak] if d in LONG else []) for d in DEATHS]
)
def test_a_sync_whose_git_is_killed_is_completed_by_the_next(
    victims: Victims, death: str, tmp_path: Path, first: int, made: type[Fleet]
) -> None:
    """Every second git process; the two runs together try each of them."""
    start = made(_made(tmp_path / "start"))
    everything_at_once(start)
    number, reached = first - 2, True
    while reached:
        number += 2
        fleet = start.copy(tmp_path / f"try-{number}")
        reached = _with_deadly_git(victims, fleet, number, DEATHS[death])
        check(fleet, everything_at_once)
        shutil.rmtree(fleet.base)

    assert number > 10


def _with_deadly_git(victims: Victims, fleet: Fleet, number: int, death: str) -> bool:
    """Sync while the N-th git process dies; False if there were not so many."""
    folder = _made(fleet.base / "bin")
    count = folder / "count"
    count.write_text("0")
    wrapper = folder / "git"
    wrapper.write_text(
        f"#!/bin/sh\nGIT={shutil.which('git')}\n"
        f"read n < {count}; n=$((n+1)); echo $n > {count}\n"
        f'if [ $n = {number} ]; then {death}; fi\nexec "$GIT" "$@"\n'
    )
    wrapper.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    victims.sync(0, fleet.base / "desk", fleet.remote, path=path)
    return int(count.read_text()) >= number


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
