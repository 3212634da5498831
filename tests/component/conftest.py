"""Machines that share a bare repository: one that reads the notes, and one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleet import FIVE, PLAIN_ONLY, Fleet, Machine, SealedFleet


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot be about a sealed remote."""
    left_out = [item for item in items if _is_plain_only(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _is_plain_only(item)]


def _is_plain_only(item: pytest.Item) -> bool:
    called = getattr(item, "callspec", None)
    sealed = called is not None and called.params.get("fleet") == "sealed"
    return sealed and getattr(item, "originalname", "") in PLAIN_ONLY


@pytest.fixture(params=["plain", "sealed"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Fleet:
    if request.param == "sealed":
        template: SealedFleet = request.getfixturevalue("sealed_fleet")
        return template.copy(tmp_path / "fleet")
    (tmp_path / "fleet").mkdir()
    return Fleet(tmp_path / "fleet")


@pytest.fixture
def pair(fleet: Fleet) -> tuple[Machine, Machine]:
    """Two machines in step, with two notes."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", FIVE)
    laptop.write("anchor", "stays")
    laptop.sync()
    desk.sync()
    return laptop, desk
