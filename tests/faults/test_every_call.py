"""Faults at the calls of every command that writes: nothing lost, torn or stuck, no false success.

`make test` tries a few calls of each command, `make soak` every call with a kill and a disk that
stays full and every fifth with the other faults, and `make soak-all` everything.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.every_call import SCENARIOS, Trial
from support.injector import KINDS, Injector

EACH = ("kill", "full-for-good")
EVERY = 5


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_command_stands_faults_at_a_few_of_its_calls(
    injector: Injector, tmp_path: Path, name: str
) -> None:
    trial = Trial(SCENARIOS[name], tmp_path, injector)

    # Other faults and files for each command, so that all together come to many places.
    number = list(SCENARIOS).index(name)
    others = [kind for kind in trial.kinds if kind not in EACH]
    other = [] if number % 2 else [others[number // 2 % len(others)]]
    for kind in (*EACH, *other):
        places = trial.places(kind)
        chosen = places[number * 29 % len(places)]
        assert not [str(hole) for hole in trial.holes(kind, [chosen])]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name, scenario in SCENARIOS.items()
        for kind in KINDS
        if kind != "save" or scenario.saved  # nobody saves a note that a command leaves alone
    ],
)
def test_a_command_stands_faults_at_its_calls(
    injector: Injector, tmp_path: Path, name: str, kind: str
) -> None:
    trial = Trial(SCENARIOS[name], tmp_path, injector)
    every = SCENARIOS[name].step * (1 if kind in EACH else EVERY)
    points = trial.points(kind)[::every]

    assert points
    assert not [str(hole) for hole in trial.holes(kind, points)]
