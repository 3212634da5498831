"""A session's note knows its commit, and stands back where that is not contained."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from anamnesis.anchors.standing import last_look
from anamnesis.cli import main
from anamnesis.config import Home
from anamnesis.git.config import current_commit
from anamnesis.hooks.payload import Payload
from anamnesis.operations.notes import anchors
from anamnesis.operations.sessions.capture import capture
from anamnesis.project import resolve_project_key
from anamnesis.store import MemoryStore
from support.code import CodeRepository
from support.hooks import Transcript


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeRepository:
    repository = CodeRepository(tmp_path / "shop")
    monkeypatch.chdir(repository.top)
    return repository


def session(root: Path, code: CodeRepository, number: int) -> str:
    """The note of a session on the branch and the commit that are checked out."""
    branch = code.git("branch", "--show-current")
    with MemoryStore(root) as store:
        note = store.write(
            type="episodic", title=f"Session {number}", body=f"**Branch:** {branch}\n",
            project=resolve_project_key(str(code.top)), tags=["session"],
        )  # fmt: skip
        return anchors.place(store, note, cwd=str(code.top), branch=branch).id


def test_a_captured_session_knows_its_commit_and_is_tied_to_what_it_fixed(
    root: Path, code: CodeRepository, tmp_path: Path
) -> None:
    transcript = Transcript(tmp_path / "s-1.jsonl", cwd=str(code.top))
    transcript.user("Why is charge slow, and which retry count do we take?")
    transcript.edit(str(code.top / "pay.py")).result()
    transcript.assistant(
        "Decided: `charge` in `pay.py` retries three times, because the bank is slow."
    )

    told = Payload(session_id="s-1", transcript_path=str(transcript.path), cwd=str(code.top))
    captured = capture(Home(root), told, source="session-end")

    note = captured.note
    assert note is not None, captured.message
    assert note.at_commit == current_commit(str(code.top))[:12]
    assert [each.partition(" ")[0] for each in note.anchors] == ["pay.py#charge"]


@pytest.mark.parametrize("pack", [False, True])
def test_the_commit_is_read_from_files_and_is_gits(code: CodeRepository, pack: bool) -> None:
    if pack:
        code.git("pack-refs", "--all")
    on_branch = current_commit(str(code.top))
    code.git("checkout", "-q", "--detach")

    assert on_branch == current_commit(".") == code.git("rev-parse", "HEAD")


def test_a_session_of_another_branch_stands_back_and_says_so(
    root: Path, code: CodeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    session(root, code, 1)
    code.git("checkout", "-q", "-b", "try")
    code.change()
    session(root, code, 2)
    anchors.look_at_code(Home(root), ".")
    main(["inject"])
    there = capsys.readouterr().out
    code.git("checkout", "-q", "main")

    main(["inject"])  # nobody looked again since the checkout

    here = capsys.readouterr().out
    assert there.index("Session 2") < there.index("Session 1")
    assert "not merged here" not in there
    assert here.index("Session 1") < here.index("Session 2")
    assert "from branch try, not merged here" in here


@pytest.mark.parametrize("seed", range(4))
def test_sessions_stand_back_exactly_where_their_commit_is_not_contained(
    root: Path, code: CodeRepository, seed: int
) -> None:
    chance, sessions = random.Random(seed), {}
    branches = ["main"]
    for number in range(12):
        step = chance.choice(["branch", "commit", "commit", "merge", "squash", "rebase", "revert"])
        other = chance.choice(branches)
        here = code.git("branch", "--show-current")
        if step == "branch":
            branches.append(f"b{number}")
            code.git("checkout", "-q", "-b", f"b{number}")
        elif step == "merge":
            code.git("merge", "-q", "-X", "ours", "-m", f"merge {number}", other)
        elif step == "squash" and other != here:
            code.git("merge", "-q", "--squash", "-X", "ours", other)
            code.git("commit", "-q", "--allow-empty", "-m", f"squash {number}")
        elif step == "rebase" and other != here:
            code.git("rebase", "-q", "-X", "ours", other)
        elif step == "revert":
            code.write("note.txt", f"{number}\n")
            code.commit(f"write {number}")
            code.git("revert", "--no-edit", "HEAD")
        else:
            code.write(f"{here}.txt", f"{number}\n")
            code.commit(f"commit {number}")
        sessions[session(root, code, number)] = code.git("rev-parse", "HEAD")
        code.git("checkout", "-q", chance.choice(branches))
    anchors.look_at_code(Home(root), ".")

    for branch in branches:
        code.git("checkout", "-q", branch)
        contained = set(code.git("rev-list", "HEAD").split())
        expected = {id for id, commit in sessions.items() if commit not in contained}
        assert last_look(Home(root), ".")[1] == expected
