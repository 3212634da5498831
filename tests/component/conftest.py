"""Machines that share a bare repository: one that reads the notes, and one that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleet import FIVE, PLAIN_ONLY, Fleet, Machine

# What these are about happens on this machine, before anything is sealed: two minutes of CPU.
SEALED_IN_SOAK = ("test_sync_commands", "test_sync_hostile", "test_sync_parts", "test_sync_states")


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot be about a sealed remote, and the costly part that hardly is."""
    left_out = [item for item in items if _is_sealed(item) and _name(item) in PLAIN_ONLY]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    for item in items:
        if _is_sealed(item) and item.path.stem in SEALED_IN_SOAK:
            item.add_marker(pytest.mark.soak)


def _is_sealed(item: pytest.Item) -> bool:
    called = getattr(item, "callspec", None)
    return called is not None and called.params.get("fleet") == "sealed"


def _name(item: pytest.Item) -> str:
    return getattr(item, "originalname", "")


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
