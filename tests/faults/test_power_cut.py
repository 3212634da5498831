"""The power fails during a command: nothing is lost, and what was reported as done stays done.

A recorder notes every write, rename and sync of a command (support/preload.c); from these the
states are made that a disk may be in (support/power_cut.py), and the command runs again on each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.every_call import SCENARIOS, Trial
from support.injector import Injector

COMMANDS = ("write", "first write", "edit", "move", "import", "undo", "sync everything")
FEW = 3


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_stands_a_power_cut_at_a_few_moments(
    injector: Injector, tmp_path: Path, name: str
) -> None:
    trial = Trial(SCENARIOS[name], tmp_path, injector)
    moments = trial.moments
    step = -(-len(moments) // FEW)

    assert not [str(hole) for hole in trial.power_cuts(moments[::-step][::-1])]


@pytest.mark.soak
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_stands_a_power_cut_at_every_moment(
    injector: Injector, tmp_path: Path, name: str
) -> None:
    trial = Trial(SCENARIOS[name], tmp_path, injector)

    assert not [str(hole) for hole in trial.power_cuts(trial.moments)]
