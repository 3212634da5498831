"""One list of checks: the same finding, sentence and remedy in every face that shows it."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from anamnesis import __version__
from anamnesis.cli import COMMANDS, main
from anamnesis.config import Home
from anamnesis.ground import clock
from anamnesis.ground.records import replace
from anamnesis.hooks import receipts, runs, switches
from anamnesis.hooks.payload import Payload
from anamnesis.mcp.tools import call
from anamnesis.mcp.workspace import Binding
from anamnesis.onboard import health as onboard_health
from anamnesis.onboard import planning_setup
from anamnesis.onboard.planning_setup import Wishes
from anamnesis.operations.care import status
from anamnesis.operations.care.checks import (
    DASHBOARD,
    DOCTOR,
    OK,
    SESSION,
    STATUS,
    TOOL,
    Finding,
    Subject,
    examined,
    sessions,
)
from anamnesis.operations.machine import checkouts
from anamnesis.operations.sessions.inject import inject
from anamnesis.search import encoder, meaning
from anamnesis.store import MemoryStore
from anamnesis.sync import recovery
from anamnesis.sync.conflicts import Conflicts
from anamnesis.web.app import build
from anamnesis.web.security import Keys
from support.fleet import git as git_in
from support.hooks import Transcript
from support.notes import write_file
from support.reflect import durable

NOTE = "---\nid: {id}\ntype: semantic\ntitle: t\nproject: demo\ntags: [{tags}]\n{more}---\nbody\n"
FUTURE = "created_at: '2999-01-01T00:00:00+00:00'\nupdated_at: '2999-01-01T00:00:00+00:00'\n"
OWN = ("memory", ".git", "anamnesis")
FACES = (DOCTOR, STATUS, DASHBOARD, TOOL, SESSION)


def heartbeat(root: Path, machine: str, **fields: object) -> None:
    """What another machine left in the synced tree."""
    said = {
        "machine": machine, "name": machine, "version": __version__, "install": "other",
        "seen": clock.utcnow(), "last_capture": "", "last_sync": "", "pending": 0,
        "last_error": "", **fields,
    }  # fmt: skip
    write_file(root, f"memory/.machines/{machine}.json", json.dumps(said))


def days_ago(days: float) -> str:
    from datetime import UTC, datetime, timedelta

    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")


@pytest.fixture
def wreck(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine on which every check finds something."""
    write_file(root, "memory/semantic/n1.md", NOTE.format(id="n1", tags="pending", more=FUTURE))
    assert main(["sync"]) == 0
    _spoil_notes(root)
    _spoil_sync(root)
    _spoil_hooks(root)
    clone = tmp_path / "clone"  # of a repository that names another project
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    write_file(clone, ".anamnesis/project", "demo")
    write_file(clone, ".anamnesis/memory/semantic/t1.md", NOTE.format(id="t1", tags="", more=""))
    git_in("commit", "-q", "--allow-empty", "-m", "x", cwd=clone)
    for origin in ("demo", "moved"):
        git_in("config", "remote.origin.url", origin, cwd=clone)
        checkouts.learn(Home(root), str(clone))
    monkeypatch.chdir(clone)
    monkeypatch.setattr(meaning, "_FILE", str(tmp_path / "no table"))
    meaning._table.cache_clear()
    monkeypatch.setattr(encoder, "_CARRIER", "no_such_package")
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    config = {"machine_id": "desk", "install_id": "mine", "remote": str(tmp_path / "nowhere.git")}
    spoiled = {"reflect_auto": "perhaps", "sealed": True}
    (root / "config.json").write_text(json.dumps({**config, **spoiled}))
    root.chmod(0o755)
    git = shutil.which("git")
    fake = '#!/bin/sh\n[ "$1" = --version ] && echo "git version 2.9.1" && exit\nexec {git} "$@"\n'
    (tmp_path / "git").write_text(fake.format(git=git))
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))  # without zstd, as it happens
    yield root
    meaning._table.cache_clear()


def _spoil_notes(root: Path) -> None:
    write_file(root, "memory/semantic/broken.md", "no front matter")
    write_file(root, "memory/semantic/What?.md", NOTE.format(id="q1", tags="", more=""))


def spoil_index(root: Path) -> None:
    """Leave a thing that cannot be replaced where the index should be."""
    (root / "index.db").unlink(missing_ok=True)
    (root / "index.db").mkdir()
    (root / "index.db" / "x").touch()


def _spoil_sync(root: Path) -> None:
    own = str(root.joinpath(*OWN))
    offline = {"offline_since": "2026-11-01T00:00:00+00:00", "offline_reason": "no answer"}
    recovery.remember(own, replace(recovery.remembered(own), **offline))
    Conflicts(Home(root)).hold(
        "semantic/n1.md", base=None, machine="laptop", fields=("tags",),
        theirs=NOTE.format(id="n1", tags="", more="").encode(),
    )  # fmt: skip
    heartbeat(root, "desk")
    write_file(root, "state/boots", "one\nother\none")
    heartbeat(root, "laptop", version="0.1")
    heartbeat(root, "attic", seen=days_ago(20))


def _spoil_hooks(root: Path) -> None:
    home = Home(root)
    write_file(root, "state/sweep-from", "")
    os.utime(root / "state" / "sweep-from", (1, 1))
    unhooked = Path.home() / ".claude" / "projects" / "-u-demo" / "unhooked.jsonl"
    Transcript(unhooked, session="unhooked").user("Fix the login")
    os.utime(unhooked, (time.time() - 3600, time.time() - 3600))
    write_file(Path.home(), ".codex/sessions/2026/11/15/rollout-2026-11-15-packed.jsonl.zst", "")
    switches.pause(home, project="elsewhere")
    runs.failed(home, "capture", "disk full")
    runs.note_run(home, "capture", did="disk full", session="s", failed=True)
    titles = [receipts.GivenNote(f"n{number}", "recent", 0, whole=False) for number in range(3)]
    receipts.write(
        home, event="inject", session="s", project="demo", source="", given=titles, units=9
    )


def shown_by(
    face: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[Finding], bool]:
    """Whether a face, run as it is run for real, shows a finding."""
    home = Home(root)
    if face in (DOCTOR, STATUS):
        capsys.readouterr()
        main([face, "--json"])
        printed = json.loads(capsys.readouterr().out)
        rows = printed if face == DOCTOR else printed["findings"]
        return lambda finding: any(finding.as_dict().items() <= row.items() for row in rows)
    if face == SESSION:
        started = inject(home, Payload(event="SessionStart", cwd=os.getcwd()))
        text = json.loads(started)["systemMessage"]
        return lambda finding: f"Anamnesis: {finding.sentence}. Run: {finding.remedy}" in text
    with MemoryStore(root) as store:
        if face == TOOL:
            answer = call(Binding(store), "memory_status", {})
            rows = answer.structured["findings"]
            return lambda finding: finding.as_dict() in rows and finding.sentence in answer.text
        keys = Keys()
        app = build(store, keys=keys, hosts=frozenset({"testserver"}), cookie="c")
        with TestClient(app) as browser:
            browser.get("/open", params={"token": keys.mint()})
            page = html.unescape(browser.get("/").text)
        return lambda finding: finding.sentence in page and finding.remedy in page


def test_every_check_is_shown_by_the_faces_that_its_row_names(
    wreck: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["status"])  # brings the index up to date
    shown = {SESSION: shown_by(SESSION, wreck, capsys)}
    spoil_index(wreck)
    shown |= {face: shown_by(face, wreck, capsys) for face in FACES if face != SESSION}
    with Subject(Home(wreck)) as subject:
        found = {check.name: list(check.look(subject)) for check in status.CHECKS}

    assert [name for name, findings in found.items() if not findings] == []
    for check in status.CHECKS:
        troubles = [finding for finding in found[check.name] if finding.severity != OK]
        assert bool(troubles) == (check.name != "python"), check.name
        for finding in troubles:
            faces = {face for face in FACES if shown[face](finding)}
            assert faces == set(check.faces), finding


def test_a_session_that_finds_no_index_is_told_what_can_be_told_without(
    store: MemoryStore, root: Path
) -> None:
    store.write(type="semantic", title="t", body="b", project="global", tags=["pending"])
    store.close()
    runs.failed(Home(root), "capture", "disk full")
    (root / "index.db").unlink()

    text = inject(Home(root), Payload(cwd="/"), format="text")

    assert "capture has been failing since" in text
    assert "for review" not in text


def test_every_trouble_has_a_remedy_and_each_command_of_ours_exists(wreck: Path) -> None:
    with Subject(Home(wreck)) as subject:
        found = list(examined(subject, status.CHECKS, face=DOCTOR))

    assert [
        finding.name for finding in found if finding.severity != OK and not finding.remedy
    ] == []
    commands = [each.remedy.split()[1] for each in found if each.remedy.startswith("anamnesis ")]
    assert set(commands) <= set(COMMANDS)


def test_a_sentence_stands_alone_in_every_face(wreck: Path) -> None:
    with Subject(Home(wreck)) as subject:
        found = list(examined(subject, status.CHECKS, face=DOCTOR))

    assert [each.sentence for each in found if each.sentence.endswith(".")] == []
    assert [each.sentence for each in found if "\n" in each.sentence] == []


def test_a_session_start_runs_the_cheap_checks_alone() -> None:
    told = {check.name for check in status.CHECKS if SESSION in check.faces}

    assert told == {check.name for check in sessions.CHECKS}


def test_the_doctor_runs_every_check_of_the_list() -> None:
    every = (*status.CHECKS, *onboard_health.CHECKS)

    assert [check.name for check in every if DOCTOR not in check.faces] == []
    assert len({check.name for check in every}) == len(every)


def test_a_store_that_cannot_be_opened_is_told_once(root: Path) -> None:
    root.parent.mkdir(exist_ok=True)
    root.mkdir()
    (root / "memory").write_text("a file where the notes should be")

    with Subject(Home(root)) as subject:
        found = [each.sentence for each in examined(subject, status.CHECKS, face=DOCTOR)]

    assert len(found) == len(set(found))
    assert any("memory" in sentence for sentence in found)


READING = [
    "status", "status --json", "status --fleet", "status --forget laptop", "list", "list --json",
    "search vpn", "show 7Q3X2", "history 7Q3X2", "diff 7Q3X2", "log", "review --list",
    "conflicts list", "conflicts show 7Q3X2", "embed", "stale", "export", "standup", "sessions",
    "sessions search vpn", "how deploy",
]  # fmt: skip


@pytest.mark.parametrize("command", READING)
def test_reading_without_a_store_says_so_and_makes_none(
    home: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(command.split())

    told = capsys.readouterr()
    assert code == 4
    assert "not set up" in told.err
    assert "anamnesis init" in told.err
    assert told.out == ""
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    ["undo --list", "machines", "trust", "config", "completion --complete show x", "doctor"],
)
def test_what_needs_no_store_makes_none(home: Path, command: str) -> None:
    main(command.split())

    assert list(home.iterdir()) == []


@pytest.mark.parametrize("face", [DOCTOR, STATUS, DASHBOARD, TOOL, SESSION])
def test_offline_is_no_failure_in_any_face(
    root: Path, face: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "ssh://nobody@host.invalid/x.git")
    main(["write", "x"])
    assert main(["sync"]) == 0

    with Subject(Home(root)) as subject:
        found = list(examined(subject, status.CHECKS, face=face))

    assert [each for each in found if each.severity == "failed"] == []
    since = [each.sentence for each in found if each.sentence.startswith("offline since ")]
    assert len(since) == (face != SESSION)
    assert len([each for each in found if "offline" in each.sentence]) == len(since)


def test_offline_counts_from_the_first_sync_that_got_no_answer(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(root.joinpath(*OWN))
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "ssh://nobody@host.invalid/x.git")
    main(["write", "x"])
    main(["sync"])
    recovery.remember(
        own, replace(recovery.remembered(own), offline_since="2026-11-01T00:00:00+00:00")
    )

    main(["sync"])
    assert recovery.remembered(own).offline_since == "2026-11-01T00:00:00+00:00"

    monkeypatch.delenv("ANAMNESIS_GIT_REMOTE")
    main(["remote", "--create", str(tmp_path / "shared.git")])
    main(["sync"])
    assert recovery.remembered(own).offline_since is None


def test_being_offline_that_an_earlier_version_kept_as_an_error_is_none(root: Path) -> None:
    main(["write", "x"])
    main(["sync"])
    own = str(root.joinpath(*OWN))
    told = {"last_error": "2026-11-01T00:00:00+00:00: offline: no answer; committed locally"}
    Path(own, "state.json").write_text(json.dumps(told))

    known = recovery.remembered(own)

    assert (known.last_error, known.offline_since) == (None, "2026-11-01T00:00:00+00:00")
    assert known.offline_reason == "no answer; committed locally"


def test_a_reflection_that_failed_when_you_ran_it_is_not_repeated_at_every_start(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.failed(Home(root), "reflect", "openai is not installed")

    assert "failing" not in inject(Home(root), Payload(cwd="/"), format="text")

    monkeypatch.setenv("ANAMNESIS_REFLECT_AUTO", "1")
    assert "reflect has been failing" in inject(Home(root), Payload(cwd="/"), format="text")


def test_a_failing_sync_is_told_once(root: Path, tmp_path: Path) -> None:
    root.mkdir()
    (root / "config.json").write_text(json.dumps({"remote": str(tmp_path / "nowhere.git")}))
    main(["write", "x"])
    assert main(["sync"]) == 1

    with Subject(Home(root)) as subject:
        found = list(examined(subject, status.CHECKS, face=STATUS))

    (failed,) = (each for each in found if each.severity == "failed")
    assert failed.name == "sync"
    assert failed.sentence.startswith("sync has been failing since")


def _set_up(root: Path) -> None:
    wishes = Wishes(machine_id="desk", install_id="01", agents="claude")
    planning_setup.carry_out(planning_setup.prepared(Home(root), wishes), wishes)


def _found(root: Path, name: str) -> list[str]:
    """What the checks of the set-up say, without the self-test."""
    checks = [check for check in onboard_health.CHECKS if check.name != "command"]
    found = examined(Subject(Home(root)), checks, face=DOCTOR)
    return [finding.sentence for finding in found if finding.name == name]


def test_native_memory_is_not_left_alone_if_a_sync_imports_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set_up(root)

    assert _found(root, "native memory") == ["imported by every sync (0 projects have one)"]
    monkeypatch.setenv("ANAMNESIS_IMPORT_NATIVE", "0")
    assert _found(root, "native memory") == ["not imported (0 projects have one)"]


def test_an_agent_whose_receipt_was_lost_is_still_set_up(root: Path) -> None:
    _set_up(root)
    shutil.rmtree(root / "state")

    assert _found(root, "agents") == []
    assert _found(root, "Claude Code") == ["set up and current"]


def test_the_documented_table_of_checks_is_the_list() -> None:
    page = Path(__file__).parents[2] / "docs" / "concepts" / "health.md"
    rows = [
        line.strip("| ").split("|") for line in page.read_text().splitlines() if "| yes" in line
    ]
    documented = {row[0].strip(): [bool(cell.strip()) for cell in row[1:]] for row in rows}

    listed = {
        check.name: [face in check.faces for face in FACES]
        for check in (*status.CHECKS, *onboard_health.CHECKS)
    }
    assert {name: [*cells, *[False] * 5][:5] for name, cells in documented.items()} == listed


def test_a_session_start_says_how_many_notes_wait(store: MemoryStore, root: Path) -> None:
    durable(store, tags=["pending"])
    durable(store, "Seen")

    text = inject(Home(root), Payload(), project="app", format="text")

    assert "1 note to review (anamnesis review)" in text
