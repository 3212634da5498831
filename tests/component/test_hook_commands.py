from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest

from anamnesis import cli
from anamnesis.capture import discovery
from anamnesis.cli import cmd_capture, cmd_inject, main
from anamnesis.config import Home
from anamnesis.hooks import background, runs
from anamnesis.store import MemoryStore
from support.hooks import PAYLOADS, TRANSCRIPTS, Transcript, hook

HOOKS = ("inject", "recall-hook", "capture")


@pytest.fixture(autouse=True)
def no_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_SWEEP", "0")
    monkeypatch.setenv("ANAMNESIS_MACHINE_ID", "testbox")


def told(monkeypatch: pytest.MonkeyPatch, payload: object) -> None:
    """What the client puts on standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(payload)))


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("sample", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_payload_goes_into_every_hook(
    sample: Path,
    name: str,
    store: MemoryStore,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store.write(type="semantic", title="Use tabs", body="Everywhere.", project="proj")
    told(monkeypatch, json.loads(sample.read_text()))

    code = main([name, "--no-sync"])

    said = capsys.readouterr()
    assert (code, said.err) == (0, "")
    if name == "inject":
        assert "## [semantic] Use tabs" in said.out
    elif name == "recall-hook":
        assert said.out == ""
    else:
        trivial = "capture: skipped trivial session (proj)\n"
        assert said.out in ("", "capture: no transcript\n", trivial)
    assert all(run["ok"] for run in runs.latest_runs(Home(root)))
    # Without a transcript only the summary of a compaction says anything.
    said_enough = name == "capture" and sample.name.startswith("PostCompact")
    bodies = [note.body for note in store.list(type="episodic")]
    assert ["FAKE SUMMARY" in body for body in bodies] == [True] * said_enough


def test_a_client_that_does_not_ask_gets_the_memory_again_with_the_next_prompt(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(type="semantic", title="Use tabs", body="Everywhere.", project="shop")
    payload = {"session_id": "s/1", "cwd": "/home/u/shop", "prompt": "go on"}
    told(monkeypatch, payload)
    main(["capture", "--source", "precompact", "--inject-again", "--no-sync"])
    capsys.readouterr()

    given = []
    for _ in range(2):
        told(monkeypatch, payload)
        main(["recall-hook", "--format", "copilot"])
        given.append(capsys.readouterr().out)

    assert "## [semantic] Use tabs" in json.loads(given[0])["additionalContext"]
    assert given[1] == ""


def test_a_session_from_start_to_end(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    transcript = Transcript(tmp_path / "abc.jsonl", session="abc", cwd=str(project))
    transcript.user("Fix the login page").assistant("Fixed: the cookie was missing its path.")
    common = {"session_id": "abc", "transcript_path": str(transcript.path), "cwd": str(project)}

    start = hook(home, "inject", payload={**common, "hook_event_name": "SessionStart"})
    stop = hook(home, "capture", "--no-sync", payload={**common, "hook_event_name": "Stop"})
    end = hook(home, "capture", "--no-sync", payload={**common, "hook_event_name": "SessionEnd"})
    again = hook(home, "inject", payload={**common, "session_id": "next"})

    assert [each.returncode for each in (start, stop, end, again)] == [0, 0, 0, 0]
    assert [each.stderr for each in (start, stop, end, again)] == [b"", b"", b"", b""]
    assert (start.stdout, stop.stdout) == (b"", b"")
    assert end.stdout.startswith(b"capture: wrote episodic note ")
    assert b"## [episodic] Fix the login page" in again.stdout
    assert b"origin: testbox | where the last session stopped: " in again.stdout


def test_a_detached_capture_lets_the_client_go_on(home: Path, tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "abc.jsonl", session="abc")
    transcript.user("Fix the login page").assistant("Fixed: the cookie was missing its path.")
    payload = {"session_id": "abc", "transcript_path": str(transcript.path)}

    done = hook(home, "capture", "--detach", "--no-sync", payload=payload)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    root = home / ".anamnesis"
    deadline = time.monotonic() + 30
    while not list(root.glob("memory/episodic/*.md")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(list(root.glob("memory/episodic/*.md"))) == 1
    assert list(root.glob("spool/*")) == []


def test_the_documented_functions_take_a_namespace(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(type="semantic", title="A rule", body="Always.")
    told(monkeypatch, {"cwd": "/x"})
    assert cmd_inject(Namespace(project=None, k=8)) == 0
    assert "## [semantic] A rule" in capsys.readouterr().out

    transcript = str(TRANSCRIPTS / "05_interactive.jsonl")
    given = Namespace(transcript=transcript, project="p", source="precompact", no_sync=True)
    assert cmd_capture(given) == 0
    assert capsys.readouterr().out.startswith("capture: wrote episodic note ")
    (note,) = store.list(type="episodic")
    assert (note.project, note.tags) == ("p", ["session", "precompact"])


def test_other_names_of_the_cli_are_still_missing() -> None:
    with pytest.raises(AttributeError):
        _ = cli.cmd_nothing


@pytest.mark.parametrize("name", HOOKS)
def test_help_is_for_people(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])

    said = capsys.readouterr().out
    assert f"usage: anamnesis {name}" in said
    assert "Always exits 0" in said


def test_pause_and_resume(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(type="semantic", title="A rule", body="Always.")

    def injected() -> str:
        told(monkeypatch, {"cwd": "/u/demo"})
        capsys.readouterr()
        assert main(["inject"]) == 0
        return capsys.readouterr().out

    assert injected()
    assert main(["pause"]) == 0
    assert injected() == ""
    assert main(["resume"]) == 0
    assert main(["pause", "--project", "demo"]) == 0
    assert injected() == ""
    assert main(["resume", "--project", "demo"]) == 0
    assert injected()


def test_a_client_that_exits_before_it_writes_the_payload(home: Path, root: Path) -> None:
    _claude(home, "abc-1")
    told_by = {"CLAUDE_CODE_SESSION_ID": "abc-1", "CLAUDE_PROJECT_DIR": "/u/demo"}

    done = hook(home, "capture", "--no-sync", data=b"", **told_by)

    assert b"wrote episodic note" in done.stdout
    with MemoryStore(root) as store:
        assert [note.prov_session for note in store.list()] == ["abc-1"]


@pytest.mark.parametrize("session", ["", "*", "../../etc", "nobody"])
def test_a_session_that_nobody_knows_has_no_transcript(home: Path, session: str) -> None:
    _claude(home, "abc-1")

    done = hook(home, "capture", "--no-sync", payload={"session_id": session})

    assert done.stdout == b"capture: no transcript\n"


def test_copilot_does_not_say_where_its_transcript_is(home: Path, root: Path) -> None:
    session = "cce81adc-2f34-402d-9b70-39df288d94aa"
    place = home / ".copilot" / "session-state" / session
    place.mkdir(parents=True)
    shutil.copy(TRANSCRIPTS.parents[1] / "copilot" / "events.jsonl", place)
    payload = (TRANSCRIPTS.parents[1] / "copilot" / "payload.sessionEnd.json").read_bytes()

    hook(home, "capture", "--no-sync", data=payload)

    with MemoryStore(root) as store:
        assert [note.prov_session for note in store.list()] == [session]


def _claude(home: Path, session: str, *, age: float = 3600.0) -> Path:
    """A transcript in the place where Claude Code keeps it, last changed a while ago."""
    path = home / ".claude" / "projects" / "-u-demo" / f"{session}.jsonl"
    transcript = Transcript(path, session=session, cwd="/u/demo")
    transcript.user(f"Work of {session}").assistant("Done, and here is a summary of what it was.")
    _age(path, age)
    return path


def _started(home: Path, session: str) -> None:
    """The start of a session, as its hook tells of it."""
    hook(home, "inject", payload={"session_id": session, "cwd": "/u/demo", "source": "startup"})


def _age(path: Path, seconds: float) -> None:
    import os

    at = time.time() - seconds
    os.utime(path, (at, at))


def test_a_killed_session_is_swept_up_once(home: Path, root: Path) -> None:
    _claude(home, "from-before-the-installation", age=7200)
    assert main(["capture", "--sweep", "--no-sync"]) == 0
    _age(root / "state" / "sweep-from", 5000)
    killed = _claude(home, "killed")
    _started(home, "killed")
    _claude(home, "still-running", age=5)
    _claude(home, "agent-helper")

    assert main(["capture", "--sweep", "--no-sync"]) == 0
    assert main(["capture", "--sweep", "--no-sync"]) == 0

    with MemoryStore(root) as store:
        assert [note.prov_session for note in store.list()] == ["killed"]
    written = next(iter(runs.latest_runs(Home(root))))
    assert written["did"] == "sweep: 0 of 0 sessions that no hook had captured"

    Transcript(killed, session="killed").assistant("And then it went on, on the next day.")
    _age(killed, 100)
    main(["capture", "--sweep", "--no-sync"])
    with MemoryStore(root) as store:
        (note,) = store.list()
    assert "went on" in note.body


def test_a_session_without_hooks_is_counted_and_not_swept_in(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["capture", "--sweep", "--no-sync"])
    _age(root / "state" / "sweep-from", 9000)
    _claude(home, "hooks-switched-off")
    _claude(home, "killed")
    _started(home, "killed")
    capsys.readouterr()

    main(["capture", "--sweep", "--no-sync"])
    main(["status"])

    with MemoryStore(root) as store:
        assert [note.prov_session for note in store.list()] == ["killed"]
    told = capsys.readouterr()
    sentence = "1 session of the last week ran without hooks and left no note"
    assert sentence in told.out + told.err
    assert "anamnesis capture --backfill --since 7d" in told.out + told.err

    main(["capture", "--backfill", "--no-sync"])
    main(["status"])

    with MemoryStore(root) as store:
        assert len(store.list()) == 2
    told = capsys.readouterr()
    assert sentence not in told.out + told.err


def test_a_session_that_began_before_the_set_up_and_went_on_is_swept_up(
    home: Path, root: Path
) -> None:
    path = _claude(home, "older-than-the-set-up")
    goes_on = Transcript(path, session="older-than-the-set-up")
    goes_on.user("And then?", timestamp="2001-01-01T00:00:00Z")
    main(["capture", "--sweep", "--no-sync"])
    _age(root / "state" / "sweep-from", 9000)
    _age(path, 3600)

    main(["capture", "--sweep", "--no-sync"])

    with MemoryStore(root) as store:
        assert [note.prov_session for note in store.list()] == ["older-than-the-set-up"]


def test_a_folder_of_any_name_is_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "claude [old]" / "projects" / "-u-demo" / "s-1.jsonl"
    Transcript(path).user("Fix the login")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude [old]"))

    assert [found.path for found in discovery.transcripts()] == [str(path)]
    assert discovery.transcript_of("s-1") == str(path)


@pytest.fixture
def rollout(home: Path) -> Path:
    """A session of Codex that nobody has captured, in the file where it was written."""
    sample = (TRANSCRIPTS.parents[1] / "codex" / "rollout_full.jsonl").read_text()
    session = json.loads(sample.splitlines()[0])["payload"]["id"]
    path = home / f".codex/sessions/2026/11/15/rollout-2026-11-15T20-53-46-{session}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(sample.replace('"source": "exec"', '"source": "cli"'))
    _age(path, 3600)
    return path


def _packed(path: Path) -> Path:
    """What Codex makes of a session that was left alone for a while; the time stays."""
    subprocess.run(["zstd", "-q", "--rm", path], check=True)
    return path.with_suffix(".jsonl.zst")


def test_a_compressed_session_becomes_the_note_that_the_plain_one_would(
    home: Path, root: Path, rollout: Path
) -> None:
    hook(home, "capture", "--no-sync", payload={"transcript_path": str(rollout)})
    with MemoryStore(root) as store:
        [plain] = store.list()
    shutil.rmtree(root)
    packed = _packed(rollout)

    main(["capture", "--backfill", "--no-sync"])

    with MemoryStore(root) as store:
        [note] = store.list()
    assert (note.title, note.prov_session) == (plain.title, plain.prov_session)
    assert [found.path for found in discovery.transcripts()] == [str(packed)]


def test_a_session_that_was_captured_is_not_read_again_once_it_is_compressed(
    home: Path, root: Path, rollout: Path
) -> None:
    main(["capture", "--backfill", "--no-sync"])
    _packed(rollout)
    assert discovery.uncaptured(Home(root), since=0.0) == []

    subprocess.run(["zstd", "-dq", rollout.with_suffix(".jsonl.zst")], check=True)  # taken up again
    _age(rollout, 10)

    assert [found.path for found in discovery.uncaptured(Home(root), since=0.0)] == [str(rollout)]


def test_without_zstd_a_compressed_session_waits_for_it(
    home: Path,
    root: Path,
    rollout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    packed = _packed(rollout)
    with monkeypatch.context() as without:
        without.setenv("PATH", str(home))
        main(["capture", "--backfill", "--no-sync"])
        main(["capture", "--transcript", str(packed), "--no-sync"])
        assert "install zstd to read it" in capsys.readouterr().out
        main(["doctor"])
        assert "1 compressed session cannot be read" in capsys.readouterr().out

    main(["capture", "--backfill", "--no-sync"])

    with MemoryStore(root) as store:
        assert len(store.list()) == 1


def test_what_went_on_while_paused_is_not_swept_up_later(home: Path, root: Path) -> None:
    main(["capture", "--sweep", "--no-sync"])
    _age(root / "state" / "sweep-from", 9000)
    main(["pause"])
    seen = _claude(home, "seen-by-a-hook", age=3600)
    _claude(home, "seen-by-nobody", age=3000)
    payload = {"session_id": "seen-by-a-hook", "transcript_path": str(seen)}
    assert b"capture: paused" in hook(home, "capture", "--no-sync", payload=payload).stdout
    main(["resume"])

    main(["capture", "--sweep", "--no-sync"])
    _age(root / "state" / "sweep-from", 9000)
    _claude(home, "seen-by-nobody", age=20 * 86_400)
    main(["capture", "--sweep", "--no-sync"])

    with MemoryStore(root) as store:
        assert store.list() == []


def test_a_pause_counts_that_ended_before_the_background_came_to_it(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(background, "start", lambda arguments: started.append(list(arguments)))
    path = _claude(home, "private", age=3600)
    payload = {"session_id": "private", "transcript_path": str(path), "cwd": str(home)}
    main(["pause"])
    told(monkeypatch, payload)
    assert main(["capture", "--detach", "--no-sync"]) == 0
    main(["resume"])
    _age(root / "state" / "sweep-from", 9000)

    main(["capture", "--sweep", "--no-sync"])

    assert started == []
    with MemoryStore(root) as store:
        assert store.list() == []


@pytest.mark.parametrize("event", ["SessionEnd", "Stop"])
def test_a_pause_after_the_end_is_about_the_next_session(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(background, "start", lambda arguments: started.append(list(arguments)))
    path = _claude(home, "open", age=3600)
    told(monkeypatch, {"session_id": "open", "transcript_path": str(path), "cwd": str(home),
                       "hook_event_name": event})  # fmt: skip
    main(["capture", "--detach", "--no-sync"])
    main(["pause"])

    main(started[0])

    with MemoryStore(root) as store:
        assert len(store.list()) == (event == "SessionEnd")


def test_a_session_is_not_captured_after_a_prompt_in_a_pause(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _claude(home, "private", age=3600)
    payload = {"session_id": "private", "transcript_path": str(path), "cwd": str(home)}
    main(["pause"])
    told(monkeypatch, {**payload, "prompt": "Which password does the staging database have?"})
    main(["recall-hook"])
    main(["resume"])

    told(monkeypatch, payload)
    main(["capture", "--no-sync"])

    with MemoryStore(root) as store:
        assert store.list() == []


def test_a_project_that_is_paused_as_its_session_ends_stays_out(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(background, "start", lambda arguments: started.append(list(arguments)))
    (home / "secret-app").mkdir()
    payload = {"session_id": "s", "transcript_path": "x", "cwd": str(home / "secret-app")}
    main(["pause", "--project", "secret-app"])
    for cwd in ("secret-app", "."):
        told(monkeypatch, {**payload, "session_id": cwd, "cwd": str(home / cwd)})
        main(["capture", "--detach", "--no-sync"])

    assert len(started) == 1


def test_a_transcript_whose_name_is_not_its_session_is_captured_once(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chats = home / ".gemini" / "tmp" / "demo" / "chats"
    chats.mkdir(parents=True)
    shutil.copy(next((TRANSCRIPTS.parents[1] / "gemini").glob("session-*.jsonl")), chats)

    for _ in range(2):
        assert main(["capture", "--backfill", "--no-sync"]) == 0

    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("backfill: 1 transcript: 1 note written")
    assert said[1].startswith("backfill: 0 transcripts")


def test_a_transcript_that_is_not_there_is_not_called_trivial(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(monkeypatch, {})

    assert main(["capture", "--transcript", "/no/such.jsonl", "--no-sync"]) == 0

    assert capsys.readouterr().out == "capture: there is no transcript at /no/such.jsonl\n"


def test_old_transcripts_can_be_captured_by_hand(
    home: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for days in (1, 10, 100):
        _claude(home, f"session-{days}", age=days * 86_400)
    trivial = home / ".claude" / "projects" / "-u-demo" / "trivial.jsonl"
    Transcript(trivial, session="trivial").user("<command-name>/clear</command-name>")
    shutil.copytree(TRANSCRIPTS.parents[1] / "codex", home / ".codex" / "sessions" / "2026" / "11")
    rollout = home / ".codex" / "sessions" / "2026" / "11" / "15"
    rollout.mkdir()
    name = "rollout-2026-11-15T20-53-46-01a1e0fc-cd45-7b63-9b78-c6b6ea82d993.jsonl"
    shutil.copy(TRANSCRIPTS.parents[1] / "codex" / "rollout_full.jsonl", rollout / name)

    assert main(["capture", "--backfill", "--since", "30d", "--no-sync"]) == 0
    first = capsys.readouterr().out
    assert main(["capture", "--backfill", "--no-sync"]) == 0
    second = capsys.readouterr().out

    assert first.startswith("backfill: 4 transcripts: 3 notes written, 1 skipped")
    assert second.startswith("backfill: 1 transcript: 1 note written")
    with MemoryStore(root) as store:
        assert len(store.list()) == 4


def test_a_wrong_time_is_told_to_the_person_and_not_to_the_next_session(root: Path) -> None:
    assert main(["capture", "--backfill", "--since", "last week"]) == 2

    assert list(runs.latest_runs(Home(root))) == []


def test_status_says_what_is_paused_and_what_fails(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs.failed(Home(root), "capture", "disk full")
    main(["pause", "--project", "demo"])
    capsys.readouterr()

    assert main(["status"]) == 0

    said = capsys.readouterr().out
    assert "failed   capture  capture has been failing since" in said
    assert "warning  paused   paused in demo" in said
    assert "-> anamnesis resume --project demo" in said
