"""Many machines that sync with one bare repository at the same moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.fleet import FLEETS, Fleet, SealedFleet

ROUNDS = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from support.fleet import Machine
machine = Machine(Path({home!r}), {remote!r}, sealed={sealed})
for number in range({rounds}):
    machine.write(f"{{machine.name}}-{{number}}", f"round {{number}} of {{machine.name}}")
    result = machine.sync()
    if result.error or result.offline or result.conflicted or not result.pushed:
        sys.exit(f"round {{number}}: {{result}}")
"""


def together(fleet: Fleet, *, machines: int, rounds: int) -> None:
    tests = str(Path(__file__).parent.parent)
    everybody = [fleet.machine(f"m{number}") for number in range(machines)]  # and members
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ROUNDS.format(
                tests=tests, home=str(fleet.base / f"m{number}"), remote=str(fleet.remote),
                rounds=rounds, sealed=isinstance(fleet, SealedFleet))],
            stderr=subprocess.PIPE,
        )
        for number in range(machines)
    ]  # fmt: skip
    failures = [child.communicate()[1].decode() for child in children]
    assert [child.returncode for child in children] == [0] * machines, failures

    for machine in everybody:
        machine.sync()
    published = fleet.published()
    assert len(published) == machines * rounds
    assert all(machine.files() == published for machine in everybody)


@pytest.mark.parametrize("made", FLEETS)
def test_four_machines_at_once_all_get_through(tmp_path: Path, made: type[Fleet]) -> None:
    together(made(tmp_path), machines=4, rounds=5)


@pytest.mark.soak
@pytest.mark.parametrize("made", FLEETS)
def test_ten_machines_at_once_for_twenty_rounds_all_get_through(
    tmp_path: Path, made: type[Fleet]
) -> None:
    together(made(tmp_path), machines=10, rounds=20)
