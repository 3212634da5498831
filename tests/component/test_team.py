"""Two people, three clones, one real remote: each session gets exactly what its branch has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis.mcp.tools import call
from anamnesis.mcp.workspace import Binding
from anamnesis.operations.repository.bridge import bridge
from anamnesis.operations.repository.check import check
from anamnesis.operations.repository.share import carry_out, plan_share
from anamnesis.store import MemoryStore
from support.fleet import git
from support.hooks import environment
from support.team import FOLDER, Clone, Team

ID = "01JREPO00000000000000000"
CANARY = "The canary of {} sings in E flat."
PORTS = "Ports.\n\nThe shop runs on 5432.\n\nThe queue runs on 6379.\n\nThe cache runs on 11211.\n"


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


class Three:
    """Anna at her desk and with her laptop, and Bert; a note that Anna shared from her desk."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.desk, self.laptop = team.clone("desk", "anna"), team.clone("laptop", "annas-laptop")
        self.bert = team.clone("berts", "bert")
        self.clones = {"anna": self.desk, "laptop": self.laptop, "bert": self.bert}
        for name, clone in self.clones.items():
            clone.write(CANARY.format(name))
        with MemoryStore(self.desk.home) as store:
            own = store.write(type="semantic", title="Ports", body=PORTS, machine_id="annas-desk")
            carry_out(self.desk.home, plan_share(store, [own], str(self.desk.top)))
        self.file = FOLDER / "semantic" / f"{own.id}.md"
        self.desk.commit("share the ports")
        self.desk.push()
        for clone in (self.laptop, self.bert):
            clone.pull()
            clone.trust()

    def edit(self, clone: Clone, before: str, after: str) -> None:
        path = clone.top / self.file
        path.write_text(path.read_text().replace(before, after))
        clone.commit(f"{before} is {after}")

    def branch(self) -> Clone:
        """A worktree of Bert's, on a branch that has a note of its own."""
        tree = self.team.worktree(self.bert, "worktree", "valkey")
        tree.note(f"{ID}01", "The queue is Valkey now.", title="Valkey")
        tree.commit("try Valkey")
        tree.push()
        return tree


@pytest.fixture
def three(team: Team) -> Three:
    return Three(team)


def test_a_branch_and_its_merge_reach_the_sessions_as_git_says(three: Three) -> None:
    tree = three.branch()
    clones = three.clones.values()
    assert "Valkey" in tree.start()
    assert all("Valkey" not in clone.start() for clone in clones)

    three.edit(three.desk, "5432", "5433")
    three.edit(three.bert, "11211", "11212")
    three.desk.push()
    three.bert.pull()
    three.bert.git("merge", "--quiet", "valkey")
    three.bert.push()

    for clone in clones:
        clone.pull()
        told = clone.start()
        assert {word for word in ("5433", "11212", "Valkey") if word in told} == {
            "5433", "11212", "Valkey",
        }  # fmt: skip
        assert check(str(clone.top)).problems == ()


def test_edits_of_one_line_are_given_once_they_are_resolved(three: Three) -> None:
    three.edit(three.desk, "5432", "7001")
    three.edit(three.laptop, "5432", "7002")
    three.desk.push()

    with pytest.raises(AssertionError, match="pull"):
        three.laptop.pull()

    told = three.laptop.start()
    assert "700" not in told
    assert "cannot be read" in told
    three.laptop.git("checkout", "--theirs", "--", str(three.file))
    three.laptop.commit("take that of the desk")
    assert "7001" in three.laptop.start()


def test_a_revert_takes_a_note_back_where_it_is_pulled(three: Three) -> None:
    tree = three.branch()
    three.bert.git("merge", "--quiet", "--no-ff", "valkey")
    three.bert.push()
    three.desk.pull()
    assert "Valkey" in three.desk.start()

    three.desk.git("revert", "--no-edit", "-m", "1", "HEAD")

    assert "Valkey" not in three.desk.start()
    assert "Valkey" in tree.start()
    assert "Valkey" in three.bert.start()


def test_nothing_personal_is_ever_staged(three: Three) -> None:
    three.branch()
    for name, clone in three.clones.items():
        assert CANARY.format(name) in clone.start()
        clone.ask("What does the canary sing?")
        bridge(clone.home, str(clone.top), files=["AGENTS.md"])
        clone.git("add", "--all", "--force")
        staged = clone.git("diff", "--cached")
        assert "canary" not in staged
        assert "annas-desk" not in staged

    assert "5432" in three.team.committed
    for word in ("canary", "annas-desk", "anna/.anamnesis"):
        assert word not in three.team.committed


def test_two_sessions_on_two_branches_at_once_do_not_disturb_each_other(team: Team) -> None:
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", "The main branch uses Redis.")
    anna.commit()
    anna.trust()
    tree = team.worktree(anna, "worktree", "other")
    tree.note(f"{ID}01", "The other branch uses Valkey.")

    with anna.store() as here, tree.store() as there:
        for _ in range(3):
            assert [hit.note.body for hit in here.recall("branch uses")] == [
                "The main branch uses Redis."
            ]
            assert [hit.note.body for hit in there.recall("branch uses")] == [
                "The other branch uses Valkey."
            ]


def test_the_index_of_a_worktree_goes_with_it(team: Team) -> None:
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", "Deploys need the tunnel.")
    anna.commit()
    anna.trust()
    for name in ("one", "two", "three"):
        tree = team.worktree(anna, name, name)
        tree.store().close()
        anna.git("worktree", "remove", "--force", str(tree.top))

    team.worktree(anna, "last", "last").store().close()

    assert len(os.listdir(Path(anna.home) / "checkouts")) == 2


def test_a_secret_in_a_repository_reaches_no_session(team: Team) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", f"Deploys use the token {token} for the tunnel.")
    anna.commit()
    anna.trust()
    tree = team.worktree(anna, "fresh", "fresh")

    for told in (
        tree.start(),
        anna.start(),
        anna.ask("Which token do deploys use for the tunnel?"),
    ):
        assert "for the tunnel" in told
        assert token not in told


def test_the_tools_follow_the_branch_and_the_consent(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", "The gateway is in Oslo.")
    anna.commit()
    monkeypatch.chdir(anna.top)
    binding = Binding(MemoryStore(anna.home))

    def asked(tool: str, **values: object) -> str:
        answer = call(binding, tool, values)
        assert not answer.is_error, answer
        return json.dumps(answer.structured) + answer.text

    assert "Oslo" not in asked("memory_search", query="gateway") + asked("memory_list")
    anna.trust()
    found = asked("memory_search", query="gateway")
    assert "Oslo" in found
    assert "repository:" in found
    assert "repository:" in asked("memory_list")
    assert "Oslo" in asked("memory_search", query=f"{ID}01")
    anna.git("checkout", "--quiet", "-b", "empty", "HEAD~1")
    assert "Oslo" not in asked("memory_search", query="gateway") + asked("memory_list")
    binding.close()


def test_hooks_as_processes_create_nothing_in_the_repository(team: Team, home: Path) -> None:
    """The real commands, with a home of their own, in a repository that is trusted."""
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", "Deploys need the tunnel.", type="procedural", title="Deploys")
    anna.commit()
    anna.trust()
    bridge(anna.home, str(anna.top), files=["AGENTS.md"])
    anna.commit("bridge")
    env = {**environment(home), "ANAMNESIS_HOME": str(anna.home)}
    payload = {"session_id": "s", "cwd": str(anna.top), "prompt": "Do deploys need the tunnel?"}

    told = {
        name: subprocess.run(
            [sys.executable, "-m", "anamnesis", name], input=json.dumps(payload), env=env,
            cwd=anna.top, capture_output=True, text=True, check=True,
        ).stdout
        for name in ("inject", "recall-hook", "failure-hook", "capture")
    }  # fmt: skip

    assert "Deploys need the tunnel." in told["inject"]
    assert git("status", "--porcelain", "--ignored", cwd=anna.top) == ""
    assert sorted(os.listdir(anna.top / ".anamnesis")) == ["memory"]


def test_git_is_asked_once_where_only_git_knows_the_origin(
    team: Team, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's own settings may rewrite addresses; then a start asks git, but not each time."""
    anna = team.clone("annas", "anna")
    anna.note(f"{ID}01", "Deploys need the tunnel.")
    anna.commit()
    (home / ".gitconfig").write_text('[url "https://example.com/"]\n\tinsteadOf = ex:\n')
    anna.trust()
    programs, calls = tmp_path / "bin", tmp_path / "calls"
    programs.mkdir()
    (programs / "git").write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\nexec {shutil.which("git")} "$@"\n'
    )
    (programs / "git").chmod(0o755)
    env = {**environment(home), "ANAMNESIS_HOME": str(anna.home)}
    env["PATH"] = f"{programs}:{env['PATH']}"

    told = subprocess.run(
        [sys.executable, "-m", "anamnesis", "inject"], env=env, cwd=anna.top, text=True,
        input=json.dumps({"session_id": "s", "cwd": str(anna.top)}), capture_output=True,
        check=True,
    ).stdout  # fmt: skip

    assert "need the tunnel" in told
    assert len([line for line in calls.read_text().splitlines() if "get-url" in line]) == 1
