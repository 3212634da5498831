"""Containers, Codespaces and CI jobs, which are thrown away: each a root of its own here."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore
from anamnesis.sync import GitSyncBackend, SyncResult, cycle
from support.fleet import Fleet, Machine, git
from support.hooks import ENTRY, Transcript
from support.mcp_client import Server

PROJECT = "github.com/team/shop"


class Container:
    """A home that nobody keeps, with a checkout in it."""

    def __init__(self, base: Path, remote: Path, name: str) -> None:
        self.home = base / name
        self.store = self.home / ".anamnesis"
        self.work = self.home / "shop"
        self.remote = remote
        self.work.mkdir(parents=True)
        git("init", "--quiet", cwd=self.work)
        git("remote", "add", "origin", f"https://{PROJECT}.git", cwd=self.work)

    @property
    def variables(self) -> dict[str, str]:
        return {"ANAMNESIS_GIT_REMOTE": str(self.remote), "ANAMNESIS_EPHEMERAL": "1"}

    def run(self, *argv: str, given: object = None, **env: str) -> subprocess.CompletedProcess[str]:
        around = {"PATH": os.environ["PATH"], "HOME": str(self.home), "ANAMNESIS_SWEEP": "0", **env}
        return subprocess.run(
            [sys.executable, "-c", ENTRY, *argv], input=json.dumps(given or {}), env=around,
            cwd=self.work, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def payload(self, event: str, **more: str) -> dict[str, str]:
        return {"hook_event_name": event, "session_id": "s-1", "cwd": str(self.work), **more}

    def starts(self, **env: str) -> str:
        """A session starts; gives what it is given."""
        return self.run(
            "inject", given=self.payload("SessionStart", source="startup"), **env
        ).stdout

    def captures(self, ask: str, *, event: str = "SessionEnd", **env: str) -> None:
        """A session ends, or a turn of it, as the installed hooks report it."""
        session = f"s-{self.home.name}"
        path = self.home / f"{session}.jsonl"
        Transcript(path, session=session, cwd=str(self.work)).user(ask).assistant("It is done now.")
        options = ("--detach", "--no-sync") if event == "Stop" else ("--detach",)
        told = {**self.payload(event, transcript_path=str(path)), "session_id": session}
        done = self.run("capture", *options, given=told, **env)
        assert done.returncode == 0, done


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    made = Fleet(tmp_path)
    desk = made.machine("desk")
    desk.write("01JATTACHA", "The till opens with a key from the drawer.", project=PROJECT)
    desk.sync()
    return made


@pytest.fixture
def container(tmp_path: Path, fleet: Fleet) -> Container:
    return Container(tmp_path, fleet.remote, "box")


def pushed(remote: Path) -> str:
    """Everything that the remote has now, with its paths."""
    paths = git("ls-tree", "-r", "--name-only", "main", cwd=remote).splitlines()
    return "\n".join(f"{path}\n{git('show', f'main:{path}', cwd=remote)}" for path in paths)


def test_attach_asks_nothing_and_sets_an_ephemeral_machine_up(container: Container) -> None:
    (container.home / ".claude").mkdir()

    done = container.run("attach", str(container.remote), "--agents", "claude")

    assert done.returncode == 0, done
    assert "1 note received" in done.stderr
    config = json.loads((container.store / "config.json").read_text())
    assert config["machine_id"] == "codespace"
    assert config["ephemeral"] == "1"
    assert "inject" in (container.home / ".claude/settings.json").read_text()
    assert "The till opens" in container.starts()


def test_a_session_starts_with_the_notes_by_variables_alone(container: Container) -> None:
    given = container.starts(**container.variables)

    assert "The till opens" in given


def test_the_past_of_the_notes_stays_at_the_remote(fleet: Fleet, container: Container) -> None:
    fleet.machine("desk").edit("01JATTACHA", body="The till opens with a card.")
    fleet.machine("desk").sync()

    assert "opens with a card" in container.starts(**container.variables)

    assert git("rev-list", "--count", "main", cwd=container.store / "memory") == "1"
    refused = container.run(
        "forget", "01JATTACHA", "--yes", "--purge-history", **container.variables
    )
    assert refused.returncode == 2
    assert "without their history" in refused.stderr


def test_a_first_injection_finds_the_project_behind_newer_notes(
    fleet: Fleet, container: Container
) -> None:
    desk = fleet.machine("desk")
    for number in range(80):
        desk.write(f"01JBUSY{number:03}", "Something else entirely.", project="github.com/team/x")
    desk.sync()

    given = container.starts(**container.variables)

    assert "The till opens" in given
    assert "Something else" not in given


@pytest.mark.parametrize("hurried_again", [False, True])  # True: the first was killed at its end
def test_very_many_notes_come_newest_first_and_the_rest_with_the_next_sync(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, hurried_again: bool
) -> None:
    desk = fleet.machine("desk")
    for number in range(9):
        desk.write(f"01JMANY{number}", f"note {number}")
    desk.sync()
    monkeypatch.setattr(cycle, "_AT_ONCE", 4)
    box = Machine(tmp_path / "box" / ".anamnesis", str(fleet.remote))
    shutil.rmtree(box.memory)

    def sync(*, hurried: bool) -> SyncResult:
        return GitSyncBackend(box.memory, remote=box.remote, ephemeral=True, hurried=hurried).sync()

    first = sync(hurried=True)
    assert sorted(Path(path).stem for path in box.files()) == [f"01JMANY{n}" for n in range(5, 9)]
    box.write("01JOWN", "written in between")
    box.delete("01JMANY8")
    second = sync(hurried=hurried_again)

    assert "6 older files follow" in first.detail
    assert second.pushed
    assert len(box.files()) == 10  # nine, the first and its own, but for the one it deleted
    there = git("ls-tree", "-r", "--name-only", "main", cwd=fleet.remote)
    assert "01JATTACHA" in there
    assert "01JOWN" in there


@pytest.mark.parametrize("event", ["SessionEnd", "Stop"])
def test_a_capture_has_pushed_when_its_process_ends(container: Container, event: str) -> None:
    container.captures("Count the coins in the till, please", event=event, **container.variables)

    assert "Count the coins" in pushed(container.remote)


def test_a_capture_pushes_although_the_client_kills_its_hook(container: Container) -> None:
    container.starts(**container.variables)
    path = container.home / "s-1.jsonl"
    Transcript(path, cwd=str(container.work)).user("Polish the till").assistant("It shines now.")
    told = container.payload("SessionEnd", transcript_path=str(path))
    around = {"PATH": os.environ["PATH"], "HOME": str(container.home), **container.variables}
    hook = subprocess.Popen(
        [sys.executable, "-c", ENTRY, "capture", "--detach"], env=around, stdin=subprocess.PIPE
    )
    assert hook.stdin
    hook.stdin.write(json.dumps(told).encode())
    hook.stdin.close()

    _await(lambda: bool(Path(f"/proc/{hook.pid}/task/{hook.pid}/children").read_text()))
    hook.kill()
    hook.wait()

    _await(lambda: "Polish the till" in pushed(container.remote))


def _await(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_a_command_writes_is_pushed_when_it_ends(container: Container) -> None:
    container.starts(**container.variables)

    done = container.run("write", "The drawer sticks.", "--title", "Drawer", **container.variables)

    assert done.returncode == 0, done
    assert "The drawer sticks." in pushed(container.remote)


def test_a_server_pushes_before_it_answers_and_when_it_is_terminated(container: Container) -> None:
    container.starts(**container.variables)
    env = {**container.variables, "HOME": str(container.home)}
    with Server(container.store, env=env) as server:
        server.initialize()
        note = {"type": "semantic", "title": "Receipts", "body": "Receipts are printed twice."}
        server.call("memory_write", **note)
        assert "printed twice" in pushed(container.remote)

        by_hand = container.store / "memory" / "semantic" / "01JBYHAND.md"
        by_hand.write_text(
            "---\nid: 01JBYHAND\ntype: semantic\ntitle: By hand\n---\nthe last word\n"
        )
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0

    assert "the last word" in pushed(container.remote)


def test_containers_are_one_line_in_the_fleet(tmp_path: Path, fleet: Fleet) -> None:
    _use_containers(tmp_path, fleet, 4)


@pytest.mark.soak
def test_fifty_containers_are_one_line_in_the_fleet(tmp_path: Path, fleet: Fleet) -> None:
    _use_containers(tmp_path, fleet, 50)


def _use_containers(base: Path, fleet: Fleet, number: int) -> None:
    containers = [Container(base, fleet.remote, f"box-{n}") for n in range(number)]

    def use(box: Container) -> None:
        assert "The till opens" in box.starts(**box.variables)
        box.captures(f"Sweep the floor of {box.home.name}, please", **box.variables)
        shutil.rmtree(box.home, ignore_errors=True)  # and with it what was not pushed

    with ThreadPoolExecutor(4) as at_once:
        list(at_once.map(use, containers))

    everything = pushed(fleet.remote)
    assert [
        box.home.name for box in containers if f"{box.home.name}, please" not in everything
    ] == []
    beats = [line for line in everything.splitlines() if line.startswith(".machines/")]
    assert beats == [".machines/codespace.json"]
    listed = Container(base, fleet.remote, "last")
    listed.starts(**listed.variables)
    told = json.loads(listed.run("machines", "--json", **listed.variables).stdout)
    assert [machine["name"] for machine in told["machines"]] == ["codespace"]


def test_a_clash_in_a_container_keeps_both_versions_for_everybody(
    fleet: Fleet, container: Container
) -> None:
    container.starts(**container.variables)
    desk = fleet.machine("desk")
    desk.edit("01JATTACHA", body="The till opens with a code.")
    desk.sync()

    editor = "sed -i 's/a key from the drawer/a kick/'"
    container.run("edit", "01JATTACHA", EDITOR=editor, **container.variables)

    everything = pushed(container.remote)
    assert "opens with a kick" in everything
    assert "opens with a code" in everything
    assert container.run("conflicts", "--json", **container.variables).stdout.strip() == "[]"


def test_a_container_follows_a_purge_with_what_it_has_not_sent(
    fleet: Fleet, container: Container
) -> None:
    desk = fleet.machine("desk")
    desk.write("01JSECRET", "the code of the safe")
    desk.sync()
    container.starts(**container.variables)
    box = Machine(container.store, str(fleet.remote))
    box.write("01JUNSENT", "written while offline")
    with MemoryStore(desk.home) as store:
        forget.forget(store, ["01JSECRET"])
    desk.sync()
    desk.backend.purge({"01JSECRET"})

    done = container.run("sync", **container.variables)

    assert done.returncode == 0, done
    assert "written while offline" in pushed(fleet.remote)
    assert "the code of the safe" not in git("log", "-p", "--all", cwd=fleet.remote)
    assert "01JSECRET" not in str(box.files())


def test_a_machine_that_is_kept_is_not_attached(container: Container) -> None:
    container.run("init", "--yes", "--local-only", "--agents", "claude", "--machine-id", "desk")

    done = container.run("attach", str(container.remote))

    assert done.returncode == 2
    assert "already set up" in done.stderr
    assert json.loads((container.store / "config.json").read_text())["machine_id"] == "desk"


def test_attach_without_a_remote_says_how_to_name_one(container: Container) -> None:
    done = container.run("attach")

    assert done.returncode == 2
    assert "ANAMNESIS_GIT_REMOTE" in done.stderr


def test_an_unreachable_remote_costs_a_session_nothing_but_its_notes(container: Container) -> None:
    gone = {**container.variables, "ANAMNESIS_GIT_REMOTE": str(container.home / "nowhere.git")}

    given = container.starts(**gone)

    assert "there is no git repository" in given  # a notice, with the command that helps
