"""A cloned repository cannot ask for the memory of another project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis.archive import database
from anamnesis.archive.turns import Header, Turn
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.hooks.payload import Payload
from anamnesis.operations.machine import project
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.operations.sessions.prompt import recall_for_prompt
from anamnesis.project import resolve_project_key
from anamnesis.store import MemoryStore
from support.archive import save
from support.fleet import git
from support.hooks import Transcript, environment, hook
from support.pty import shown

VICTIM = "github.com/acme/payroll"
FACT = "The payroll export runs on the host vault-7 at night."
ASKED = "On which host does the payroll export run at night?"


@pytest.fixture
def clone(home: Path, store: MemoryStore) -> Path:
    """What somebody else published, cloned; and a note of a project of the person's own."""
    store.write(type="semantic", title="Payroll export", body=FACT, project=VICTIM)
    published = home / "published"
    (published / ".anamnesis").mkdir(parents=True)
    (published / ".anamnesis" / "project").write_text(f"{VICTIM}\n")
    git("init", "--quiet", "--initial-branch=main", cwd=published)
    git("add", "--all", cwd=published)
    git("commit", "--quiet", "--message=x", cwd=published)
    git("clone", "--quiet", str(published), str(home / "nice-library"), cwd=home)
    return home / "nice-library"


def started(root: Path, directory: Path) -> str:
    return inject(Home(root), Payload(session_id="s-1", cwd=str(directory), source="startup"))


def test_its_sessions_get_nothing_of_the_project_that_it_names(clone: Path, root: Path) -> None:
    prompt = Payload(session_id="s-1", cwd=str(clone), prompt=ASKED)

    told = started(root, clone)

    assert "vault-7" not in told
    assert "vault-7" not in recall_for_prompt(Home(root), prompt)
    assert "names another project's memory" in told
    assert "anamnesis project allow" in told
    assert VICTIM not in told  # what a stranger wrote is not repeated to an agent


def test_once_allowed_its_sessions_get_it(clone: Path, root: Path) -> None:
    project.allow(Home(root), str(clone))

    told = started(root, clone)

    assert "vault-7" in told
    assert "project allow" not in told


def test_what_is_said_there_is_captured_under_its_own_key(clone: Path, root: Path) -> None:
    transcript = Transcript(clone.parent / "s-1.jsonl", cwd=str(clone))
    transcript.user("Fix the parser of the nice library").edit(f"{clone}/a.py").result()
    transcript.assistant("The parser is fixed.")
    told = Payload(session_id="s-1", transcript_path=str(transcript.path), cwd=str(clone))

    note = capture(Home(root), told, source="session-end").note

    assert note is not None
    assert note.project == str(clone.parent / "published").lower()
    assert "vault-7" not in started(root, clone)  # a session there is no consent


def test_status_and_doctor_name_it(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(clone)

    main(["status"])

    assert "names another project's memory" in capsys.readouterr().out


def archived(root: Path, directory: Path, *, ended: float, key: str = VICTIM) -> None:
    """A session that an earlier version captured there."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ended))
    header = Header("s-0", project=key, cwd=str(directory), note="n", ended=at)
    save(Home(root), header, [Turn("person", at=at, text="What about the export?")])
    database.refresh(Home(root))


def test_a_marker_in_use_before_is_accepted(clone: Path, root: Path) -> None:
    archived(root, clone / "src", ended=time.time() + 5)
    (clone / "src").mkdir()

    assert "vault-7" in started(root, clone)
    database.clear(Home(root))
    assert "vault-7" in started(root, clone)


def test_a_session_of_earlier_at_the_same_place_is_no_consent(clone: Path, root: Path) -> None:
    """The directory was a clone of the person's own project then."""
    archived(root, clone, ended=os.lstat(clone / ".anamnesis" / "project").st_ctime - 60)

    assert "vault-7" not in started(root, clone)


@pytest.mark.parametrize("elsewhere", ["other-clone", ""])
def test_a_session_of_the_project_elsewhere_is_no_consent(
    clone: Path, root: Path, home: Path, elsewhere: str
) -> None:
    (home / elsewhere).mkdir(exist_ok=True)
    archived(root, home / elsewhere, ended=time.time() + 5)

    assert "vault-7" not in started(root, clone)


def test_no_hook_there_starts_a_process(clone: Path, home: Path, tmp_path: Path) -> None:
    trap = tmp_path / "git"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    trap.chmod(0o755)
    start = {"session_id": "s-1", "cwd": str(clone), "source": "startup"}

    told = hook(home, "inject", payload=start, PATH=f"{tmp_path}:{os.environ['PATH']}")

    assert b"names another project" in told.stdout
    assert not (tmp_path / "started").exists()


def test_the_command_shows_and_allows(clone: Path, home: Path, root: Path) -> None:
    def run(*words: str, **more: str) -> tuple[str, int]:
        argv = [sys.executable, "-m", "anamnesis", "project", *words]
        env = {**environment(home), **more}
        return shown(argv, columns=200, env=env, cwd=clone, keyboard=True)

    printed, code = run("show", "--json")
    found = json.loads(printed)
    assert (code, found["marker_key"], found["consent"]) == (0, VICTIM, "waiting")
    assert found["key"] == found["repository"] == resolve_project_key(clone)

    printed, code = run("allow", CLAUDECODE="1")
    assert (code, "Cannot decide" in printed) == (1, True)
    assert resolve_project_key(clone) != VICTIM

    printed, code = run("allow")
    assert (code, "consent     given" in printed) == (0, True)
    assert resolve_project_key(clone) == VICTIM

    printed, code = run("allow", "--undo")
    assert (code, "consent     waiting" in printed) == (0, True)
    assert resolve_project_key(clone) != VICTIM
    assert run("allow", "--undo")[1] == 2


def test_a_pipe_is_nobody_s_consent(clone: Path, home: Path) -> None:
    argv = [sys.executable, "-m", "anamnesis", "project", "allow", str(clone)]

    done = subprocess.run(argv, env=environment(home), input=b"y\n", capture_output=True)

    assert done.returncode == 1
    assert b"Cannot decide" in done.stderr
