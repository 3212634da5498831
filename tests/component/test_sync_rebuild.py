"""A repository whose objects are lost or spoiled is made again; no note is at risk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.ground.errors import AnamnesisError
from anamnesis.sync import rebuild, recovery
from anamnesis.sync.repository import Repository
from support.fleet import FIVE, Fleet, Machine, in_step


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def spoil(machine: Machine, how: Callable[[Path], None]) -> None:
    """Damage every pack and every loose object."""
    for path in (machine.memory / ".git" / "objects").rglob("*"):
        if path.is_file() and path.suffix in ("", ".pack"):
            path.chmod(0o644)
            how(path)


@pytest.fixture
def spoiled(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines; desk has an edit that is committed, one that is not, and a deletion."""
    laptop, desk = pair
    laptop.write("deleted", "x")
    laptop.write("of-laptop", "x")
    in_step(laptop, desk)
    desk.edit("n", body=FIVE.replace("one", "ONE of desk"))
    desk.backend.commit()
    laptop.edit("n", body=FIVE.replace("three", "THREE of laptop"))
    laptop.sync()
    desk.edit("n", body=FIVE.replace("one", "ONE of desk").replace("five", "FIVE of desk"))
    desk.delete("deleted")
    return laptop, desk


@pytest.mark.parametrize("how", [emptied, flipped, Path.unlink])
def test_a_damaged_repository_is_made_again(
    spoiled: tuple[Machine, Machine], how: Callable[[Path], None]
) -> None:
    laptop, desk = spoiled
    spoil(desk, how)

    assert desk.sync().done

    in_step(laptop, desk)
    assert desk.body("n") == "ONE of desk\ntwo\nTHREE of laptop\nfour\nFIVE of desk"
    assert "semantic/deleted.md" not in laptop.files()
    assert desk.git("fsck", "--no-dangling", "--no-reflogs") == ""


def test_the_old_repository_is_put_aside_and_named(spoiled: tuple[Machine, Machine]) -> None:
    _, desk = spoiled
    spoil(desk, flipped)

    result = desk.sync()

    (aside,) = desk.home.glob("memory.damaged-*")
    assert str(aside) in result.detail
    assert (aside / "objects").is_dir()


def test_without_the_remote_nothing_is_changed(
    spoiled: tuple[Machine, Machine], fleet: Fleet
) -> None:
    laptop, desk = spoiled
    spoil(desk, flipped)
    before = desk.files()
    away = fleet.remote.rename(fleet.base / "away.git")

    with pytest.raises(AnamnesisError, match="damaged"):
        desk.sync()

    assert desk.files() == before
    assert not list(desk.home.glob("memory.damaged-*"))
    away.rename(fleet.remote)
    in_step(laptop, desk)


def test_a_kill_between_the_old_and_the_new_repository_costs_nothing(
    spoiled: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = spoiled
    repository = Repository(str(desk.memory))
    with monkeypatch.context() as killed:
        killed.setattr(recovery, "take_rebuilt", lambda _: None)
        rebuild.rebuild(repository, desk.backend._transport_for)
    assert not (desk.memory / ".git").exists()

    in_step(laptop, desk)

    assert "semantic/deleted.md" not in laptop.files()
