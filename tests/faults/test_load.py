"""Acknowledged means present: every front end at once, on two machines, under kill -9."""

from __future__ import annotations

from pathlib import Path

import pytest

from .load import Load


def run(tmp_path: Path, *, seconds: float, kills: int) -> None:
    report = Load(tmp_path, seed=33).run(seconds=seconds, kills=kills)

    print(report)
    assert report.lost == (), str(report)
    assert report.kills >= kills
    assert len(report.acknowledged) > 0


def test_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    run(tmp_path, seconds=6, kills=8)


@pytest.mark.soak
def test_what_was_acknowledged_in_five_minutes_is_there(tmp_path: Path) -> None:
    run(tmp_path, seconds=300, kills=300)
