"""Faults at the calls of every command that writes: nothing lost, torn or stuck, no false success.

`make test` tries a few calls of each command; `make soak` and `make soak-all` try many or all of
them (see table.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.every_call import SCENARIOS, Trial
from faults.table import EACH
from support.injector import Injector


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
        started = kind == "kill"  # the start of the program is tried as well
        assert not [str(hole) for hole in trial.holes(kind, [chosen], started=started)]


FEW = ("write", "capture", "sync everything")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FEW else [pytest.mark.soak]) for n in SCENARIOS]
)
def test_a_fork_makes_the_calls_of_a_program_that_is_started(
    injector: Injector, tmp_path: Path, name: str
) -> None:
    """The same kinds of change to the same files; how often also depends on the clock."""
    trial = Trial(SCENARIOS[name], tmp_path, injector)

    forked, started = set(trial.calls()), set(trial.calls(started=True))
    for _ in range(4):  # what is saved once a second is not saved by every run
        if forked != started:
            forked |= set(trial.calls())
            started |= set(trial.calls(started=True))
    assert forked == started


def test_a_fork_makes_as_many_calls_as_a_program_that_is_started(
    injector: Injector, tmp_path: Path
) -> None:
    trial = Trial(SCENARIOS["write"], tmp_path, injector)

    assert trial.calls() == trial.calls(started=True)
