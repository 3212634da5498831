"""A session that starts on one machine knows what ended on another one a moment ago."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import news, receipts, runs
from support.ssh_server import SshServer, Visitor, serving

ASLEEP = (
    5_000  # milliseconds; nothing here takes that long, so whoever waits for all of it is wrong
)


class Machine:
    """A machine with a store, and the commands of its hooks."""

    def __init__(self, folder: Path, remote: str, **variables: str) -> None:
        self.home = Home(folder / ".anamnesis")
        folder.mkdir()
        (folder / "app").mkdir()
        self.app = str(folder / "app")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "ANAMNESIS_HOME": self.home,
            "ANAMNESIS_MACHINE_ID": folder.name, "ANAMNESIS_GIT_REMOTE": remote,
            "ANAMNESIS_IMPORT_NATIVE": "0", "ANAMNESIS_SWEEP": "0", **variables,
        }  # fmt: skip

    def run(self, *words: str, **payload: str) -> str:
        told = json.dumps({"cwd": self.app, "session_id": "s-1", **payload}) if payload else ""
        done = subprocess.run(
            [sys.executable, "-m", "anamnesis", *words], input=told, text=True, check=True,
            capture_output=True, env=self.environment, timeout=120,
        )  # fmt: skip
        return done.stdout

    def start(self, *words: str) -> str:
        return self.run("inject", *words, hook_event_name="SessionStart", source="startup")

    def prompt(self) -> str:
        return self.run("recall-hook", hook_event_name="UserPromptSubmit", prompt="go on, please")

    def finish_sync(self) -> None:
        """Wait for the sync in the background."""
        deadline = time.monotonic() + 60
        while not runs.last_exchange(self.home).at:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SshServer]:
    with serving(tmp_path / "server") as running:
        yield running


@pytest.fixture
def machines(server: SshServer, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines with a bare repository behind ssh."""
    bare = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    visitor = Visitor(tmp_path, server)
    visitor.is_introduced()
    reached = {"GIT_SSH_COMMAND": visitor.ssh}
    url, patient = server.url(bare), str(ASLEEP * 6)
    return (
        Machine(tmp_path / "laptop", url, **reached),
        Machine(tmp_path / "desk", url, **reached, ANAMNESIS_START_WAIT=patient),
    )


def test_what_ended_on_one_machine_is_at_the_start_on_the_other(
    machines: tuple[Machine, Machine],
) -> None:
    laptop, desk = machines
    laptop.run("write", "Orders are read with a sniffed delimiter.", "--project", "app")
    laptop.run("sync")

    desk.run("sync", "--detach")
    text = desk.start()

    assert "sniffed delimiter" in text


def test_a_client_without_a_sync_hook_of_its_own_gets_it_too(
    machines: tuple[Machine, Machine],
) -> None:
    laptop, desk = machines
    laptop.run("write", "Orders are read with a sniffed delimiter.", "--project", "app")
    laptop.run("sync")

    assert "sniffed delimiter" in desk.start("--format", "codex")


def test_what_arrives_later_comes_with_the_first_prompt_once(
    machines: tuple[Machine, Machine],
) -> None:
    laptop, desk = machines
    desk.environment["ANAMNESIS_START_WAIT"] = "0"
    laptop.run("write", "Orders are read with a sniffed delimiter.", "--project", "app")
    laptop.run("write", "Something of another project.", "--project", "elsewhere")
    laptop.run("sync")

    assert desk.start() == ""
    desk.run("sync", "--detach")
    desk.finish_sync()
    first, second = desk.prompt(), desk.prompt()

    assert "_new from laptop_" in first
    assert "sniffed delimiter" in first
    assert "another project" not in first
    assert second == ""
    assert next(iter(receipts.latest(desk.home)))["event"] == "news"


def test_a_prompt_right_after_a_start_that_did_not_wait_gives_the_sync_its_time(
    machines: tuple[Machine, Machine],
) -> None:
    """As in `claude -p` within a minute of another session: nobody types there meanwhile."""
    laptop, desk = machines
    desk.run("sync")
    laptop.run("write", "Orders are read with a sniffed delimiter.", "--project", "app")
    laptop.run("sync")

    started = desk.start()
    desk.run("sync", "--detach")
    first = desk.prompt()

    assert "sniffed delimiter" not in started
    assert "sniffed delimiter" in first


def test_such_a_prompt_waits_neither_late_nor_without_a_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "store")
    naps: list[float] = []
    monkeypatch.setattr("time.sleep", naps.append)
    now = time.time()

    news.promise(home, "unsynced")
    news.since_start(home, "unsynced")
    news.promise(home, "typed", is_running=True)
    monkeypatch.setattr("time.time", lambda: now + 2)
    news.since_start(home, "typed")

    assert naps == []


def test_nobody_waits_again_soon_after_a_success_or_a_failure(tmp_path: Path) -> None:
    home = Home(tmp_path / "store")

    assert news.is_due(home)
    for worked in (True, False):
        runs.note_exchange(home, worked=worked)
        assert not news.is_due(home)


@pytest.mark.parametrize(
    ("seconds", "worked", "due"), [(61, True, True), (61, False, False), (601, False, True)]
)
def test_a_failure_spares_the_wait_for_longer_than_a_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, worked: bool, due: bool
) -> None:
    home = Home(tmp_path / "store")
    runs.note_exchange(home, worked=worked)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + seconds)

    assert news.is_due(home) is due


@pytest.mark.parametrize("source", ["clear", "compact", ""])
def test_only_a_new_or_resumed_session_waits(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", "somewhere")

    assert news.may_come("startup")
    assert not news.may_come(source)


def test_a_damaged_file_counts_as_no_exchange(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "exchange.json").write_text('{"at": "x"')

    assert runs.last_exchange(home) == runs.Exchange()
    assert news.since_start(home, "s") == []
