"""What a note keeps of the invented sessions does not fall below what it once was.

Real figures come from `make bench-memory`; this only notices when something breaks.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.memory import Score, by_capture, by_specification, invented_sessions, scored


@pytest.fixture
def score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "bench")
    return scored(invented_sessions(tmp_path), by=by_capture)


def test_a_note_keeps_what_a_colleague_asks_for(score: Score, tmp_path: Path) -> None:
    plain = scored(invented_sessions(tmp_path), by=by_specification)

    assert score.share("kept") >= 0.9
    assert score.share("found") >= 0.9
    assert score.share("prompt") >= 0.4
    assert score.share("kept") > plain.share("kept")


def test_rules_are_proposed_and_nothing_else(score: Score) -> None:
    assert score.share("rules") == 1.0
    assert score.share("proposed") >= 0.8
    assert score.share("right") >= 0.8


def test_titles_say_something_and_trivial_sessions_leave_no_note(score: Score) -> None:
    assert score.share("titles") == 1.0
    assert score.share("trivial") == 1.0
    assert score.size <= 2_000
