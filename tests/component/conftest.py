"""Machines that share a bare repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleet import FIVE, Fleet, Machine


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


@pytest.fixture
def pair(fleet: Fleet) -> tuple[Machine, Machine]:
    """Two machines in step, with two notes."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", FIVE)
    laptop.write("anchor", "stays")
    laptop.sync()
    desk.sync()
    return laptop, desk
