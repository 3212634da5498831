"""Machines that share a bare repository: one that reads the notes, and one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleet import FIVE, PLAIN_ONLY, Fleet, Machine


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot be about a sealed remote."""
    left_out = [item for item in items if _is_plain_only(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _is_plain_only(item)]


def _is_plain_only(item: pytest.Item) -> bool:
    called = getattr(item, "callspec", None)
    sealed = called is not None and called.params.get("fleet") == "sealed"
    return sealed and getattr(item, "originalname", "") in PLAIN_ONLY


@pytest.fixture(scope="session")
def plain_fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """A remote that nobody has used yet, to be copied."""
    return Fleet(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="session")
def plain_pair(plain_fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return _in_step(plain_fleet.copy(tmp_path_factory.mktemp("plain-pair") / "fleet"))


@pytest.fixture(scope="session")
def sealed_pair(sealed_fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return _in_step(sealed_fleet.copy(tmp_path_factory.mktemp("sealed-pair") / "fleet"))


def _in_step(fleet: Fleet) -> Fleet:
    """Let two machines of a fleet have the same two notes, to be copied."""
    laptop, desk = fleet.machine("laptop"), fleet.machine("desk")
    laptop.write("n", FIVE)
    laptop.write("anchor", "stays")
    laptop.sync()
    desk.sync()
    return fleet


@pytest.fixture(params=["plain", "sealed"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Fleet:
    """Machines that share a remote; the two of `pair` are in step if a test asks for them."""
    state = "pair" if "pair" in request.fixturenames else "fleet"
    template: Fleet = request.getfixturevalue(f"{request.param}_{state}")
    return template.copy(tmp_path / "fleet")


@pytest.fixture
def pair(fleet: Fleet) -> tuple[Machine, Machine]:
    """Two machines in step, with two notes."""
    return fleet.machine("laptop"), fleet.machine("desk")
