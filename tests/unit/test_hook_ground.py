from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from anamnesis.cli.hooks import Option, Options
from anamnesis.ground import clock
from anamnesis.ground.clock import since
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.home import Home
from anamnesis.hooks import journal, payload, receipts, runs, switches
from support.hooks import PAYLOADS


@pytest.mark.parametrize("sample", PAYLOADS, ids=lambda path: path.name)
def test_every_real_payload_names_its_session_and_directory(sample: Path) -> None:
    told = payload.parse(sample.read_bytes())

    assert told.session_id
    assert told.cwd == "/home/u/proj"


@pytest.mark.parametrize("data", [b"", b"garbage", b"[1]", b"null", b"\xff\xfe", b'{"cwd": 1}'])
def test_what_is_no_payload_is_an_empty_one(data: bytes) -> None:
    assert payload.parse(data) == payload.Payload()


def test_a_payload_may_come_from_any_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"sessionId": "s", "prompt": "ä"}'))
    assert payload.read() == payload.Payload(session_id="s", prompt="ä")

    monkeypatch.setattr(sys, "stdin", None)
    assert payload.read() == payload.Payload()


def test_options_are_read_without_ever_failing() -> None:
    known = {
        "--k": Option("", default="8"),
        "--project": Option(""),
        "--no-sync": Option("", is_flag=True),
    }
    given = Options(known, ["--unknown", "x", "--k=3", "--no-sync", "--project"])

    assert given.number("--k") == 3
    assert given.flag("--no-sync")
    assert given.text("--project") is None
    assert Options(known, ["--k", "many"]).number("--k") is None
    assert Options(known, ["--project", "a b"]).text("--project") == "a b"


def test_a_journal_forgets_its_older_half(tmp_path: Path) -> None:
    path = str(tmp_path / "log" / "j.jsonl")
    for number in range(1_000):
        journal.append(path, {"n": number}, limit=1_000)

    kept = [entry["n"] for entry in journal.latest(path, whole=True)]

    assert kept == sorted(range(min(kept), 1_000), reverse=True)
    assert 50 < len(kept) < 300


def test_a_journal_is_read_around_broken_lines(tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(b'{"n": 1}\n\xff\n[2]\n{"n": 3}\n{"n": ')

    assert [entry["n"] for entry in journal.latest(str(file))] == [3, 1]


def test_a_journal_that_cannot_be_written_is_silent(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file where the folder should be")

    journal.append(str(tmp_path / "log" / "j.jsonl"), {"n": 1}, limit=10)


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


def _receipt(home: Path, event: str, source: str, *ids: str, session: str = "s") -> None:
    given = [receipts.Given(id, "why", 1, whole=not id.startswith("title")) for id in ids]
    receipts.write(
        Home(home), event=event, session=session, project="p", source=source, given=given, units=9
    )


def test_what_a_session_was_given_is_known_until_it_forgets(tmp_path: Path) -> None:
    home = Home(tmp_path)
    _receipt(tmp_path, "inject", "startup", "a", "title-b")
    _receipt(tmp_path, "recall", "prompt", "c")
    _receipt(tmp_path, "inject", "startup", "d", session="other")
    assert receipts.already_given(home, "s") == {"a", "c"}

    _receipt(tmp_path, "inject", "compact", "a")
    _receipt(tmp_path, "recall", "prompt", "e")

    assert receipts.already_given(home, "s") == {"a", "e"}
    assert receipts.already_given(home, "") == set()


@pytest.mark.parametrize("notes", ['[{"whole": true}]', '["x"]', "7", "null"])
def test_a_damaged_receipt_is_passed_over(tmp_path: Path, notes: str) -> None:
    _receipt(tmp_path, "inject", "startup", "a")
    with open(receipts.path(Home(tmp_path)), "a", encoding="utf-8") as stream:
        stream.write(f'{{"session": "s", "event": "inject", "units": 1, "notes": {notes}}}\n')

    assert receipts.already_given(Home(tmp_path), "s") == {"a"}
    assert len(list(receipts.latest(Home(tmp_path)))) == 1


def test_a_fork_is_known_by_its_receipt(tmp_path: Path) -> None:
    _receipt(tmp_path, "inject", "fork")

    assert receipts.forked_at(Home(tmp_path), "s").startswith("20")
    assert receipts.forked_at(Home(tmp_path), "other") == ""


def test_pausing_and_resuming(tmp_path: Path) -> None:
    home, project = Home(tmp_path / "home"), tmp_path / "p"

    def why() -> str:
        return switches.why_off(home, project="demo", cwd=str(project))

    assert why() == ""
    switches.pause(home)
    assert why() == "paused"
    switches.resume(home)
    switches.pause(home, project="demo")
    switches.pause(home, project="other")
    assert why() == "paused for demo"
    switches.resume(home, project="demo")
    assert why() == ""
    assert switches.paused_projects(home) == ["other"]


@pytest.mark.parametrize(
    ("patterns", "path", "covered"),
    [
        ("", ".", True),
        ("", "src/a.py", True),
        ("# only a comment\n", "src", True),
        ("secret/\n", "secret", True),
        ("secret/\n", "secret/deep/a.py", True),
        ("secret/\n", "src", False),
        ("*.env\n", "config/prod.env", True),
        ("docs/*.md\n", "docs/a.md", True),
        ("docs/*.md\n", "a.md", False),
        ("x\n", "../elsewhere/x", False),
    ],
)
def test_a_project_can_be_ignored_or_a_part_of_it(
    tmp_path: Path, patterns: str, path: str, covered: bool
) -> None:
    (tmp_path / ".anamnesis").mkdir()
    (tmp_path / ".anamnesis" / "ignore").write_text(patterns)
    (tmp_path / "src").mkdir()

    found = switches.ignore_patterns(str(tmp_path / "src"))

    assert found is not None
    assert found.covers(str(tmp_path / path)) is covered


def test_the_store_is_no_project(home: Path) -> None:
    (home / ".anamnesis").mkdir()
    (home / ".anamnesis" / "ignore").write_text("")

    assert switches.ignore_patterns(str(home)) is None


def test_points_in_time() -> None:
    assert since("") == 0
    assert since("2w") < since("3d") < since("1h")
    assert since("2026-01-31") < since("2026-02-01")
    with pytest.raises(InvalidInput):
        since("yesterday")


def test_the_names_of_payload_fields_are_those_of_the_samples() -> None:
    fields = {key for sample in PAYLOADS for key in json.loads(sample.read_bytes())}

    assert {"compact_summary", "last_assistant_message", "transcriptPath", "source"} <= fields
