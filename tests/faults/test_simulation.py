"""Many machines and everything that can happen to them, as docs/reliability.md describes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.simulation import Simulation, machine_held


@pytest.mark.soak
@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "sealed"])
def test_a_fleet_loses_no_edit_whatever_happens_to_its_remote(tmp_path: Path, sealed: bool) -> None:
    report = Simulation(tmp_path, machines=20, seed=1, sealed=sealed).run(20)

    assert report.holes == []


def test_words_that_a_machine_holds_are_wanted_still_when_another_keeps_the_note_for_itself(
    tmp_path: Path,
) -> None:
    """Its own first verdict on such a note was wrong: the words that brought it back were real."""
    fleet = Simulation(tmp_path, machines=5, seed=1)
    here, there, keeper = fleet.machines
    fleet.create(here)
    note = next(iter(fleet.wanted.values()))
    for machine in (here, there, keeper):
        fleet.sync(machine)
    while note not in machine_held(there):
        for machine in (here, there):
            fleet.edit(machine, note)
            fleet.sync(machine)
    for machine in (keeper, here):
        fleet.sync(machine)
    fleet.keep_local(keeper, note)
    fleet.delete(here, note)

    fleet._come_to_rest()
    fleet._examine()

    assert fleet.report.holes == []
    assert note in fleet.wanted.values()
