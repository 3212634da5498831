from __future__ import annotations

from pathlib import Path

from anamnesis.hooks import runs


def test_a_journal_forgets_its_older_half(tmp_path: Path) -> None:
    path = str(tmp_path / "log" / "j.jsonl")
    for number in range(1_000):
        runs.append_line(path, {"n": number}, limit=1_000)

    kept = [entry["n"] for entry in runs.latest_lines(path, whole=True)]

    assert kept == sorted(range(min(kept), 1_000), reverse=True)
    assert 50 < len(kept) < 300


def test_a_journal_is_read_around_broken_lines(tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(b'{"n": 1}\n\xff\n[2]\n{"n": 3}\n{"n": ')

    assert [entry["n"] for entry in runs.latest_lines(str(file))] == [3, 1]


def test_a_journal_that_cannot_be_written_is_silent(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file where the folder should be")

    runs.append_line(str(tmp_path / "log" / "j.jsonl"), {"n": 1}, limit=10)
