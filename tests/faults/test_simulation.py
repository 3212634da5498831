"""Many machines and everything that can happen to them, as docs/reliability.md describes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.simulation import Simulation


@pytest.mark.soak
@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "sealed"])
def test_a_fleet_loses_no_edit_whatever_happens_to_its_remote(tmp_path: Path, sealed: bool) -> None:
    report = Simulation(tmp_path, machines=20, seed=1, sealed=sealed).run(20)

    assert report.holes == []
