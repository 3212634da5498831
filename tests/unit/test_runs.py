from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.ground import clock
from anamnesis.hooks import runs


def test_a_failure_is_remembered_since_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    for day in (1, 2):
        monkeypatch.setattr(clock, "utcnow", lambda day=day: f"2026-11-0{day}")
        runs.failed(home, "capture", "disk\nfull")

    (failing,) = runs.failing(home)

    assert failing.sentence == "capture has been failing since 2026-11-01 (disk full)"
    assert failing.times == 2
    runs.worked(home, "capture")
    assert runs.failing(home) == []


def test_damaged_state_still_tells_of_a_failure(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "sync.failing").write_text("{")

    assert runs.failing(Home(tmp_path))[0].area == "sync"
