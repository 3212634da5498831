"""`anamnesis host` on one machine and `anamnesis join` on another, over a real ssh server."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.ssh_server import USER, SshServer, Visitor
from support.thin import every

COMMAND = Path(sys.executable).parent / "anamnesis"


class Person(Visitor):
    """Somebody on a machine of their own."""

    def __init__(self, home: Path, server: SshServer) -> None:
        home.mkdir()
        super().__init__(home, server)
        self.home = home

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "GIT_SSH_COMMAND": self.ssh,
        }
        return subprocess.run(
            [COMMAND, *words], env=environment, capture_output=True, text=True, timeout=120
        )

    def does(self, *words: str) -> subprocess.CompletedProcess[str]:
        finished = self.run(*words)
        assert finished.returncode == 0, finished.stderr
        return finished

    def settings(self) -> list[Path]:
        return [path for path in (self.home / ".claude").rglob("*") if path.is_file()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SshServer]:
    folder = tmp_path / "server"
    folder.mkdir()
    made = SshServer(folder)
    yield made
    made.stop()


@pytest.fixture
def desk(tmp_path: Path, server: SshServer) -> Person:
    return Person(tmp_path / "desk", server)


@pytest.fixture
def laptop(tmp_path: Path, server: SshServer) -> Person:
    return Person(tmp_path / "laptop", server)


def hosted(desk: Person, *words: str, path: str = "") -> list[str]:
    """The words of the line that the host tells to paste elsewhere."""
    desk.server.live_in(desk.home, path=path)
    desk.server.start()
    desk.does("init", "--yes", "--local-only", "--agents", "claude")
    desk.does("write", "The build needs Java 21")
    line = desk.does("host", *words, "--address", "127.0.0.1").stdout.strip()
    return [*shlex.split(line)[1:], "--yes", "--agents", "claude"]


@pytest.mark.parametrize(
    "path", every(2, ["my own notes/memory of all.git", "anamnesis-memory.git"])
)
def test_the_line_that_the_host_prints_joins_it(desk: Person, laptop: Person, path: str) -> None:
    line = hosted(desk, str(desk.home / path))
    laptop.is_introduced()

    told = laptop.does(*line).stderr

    assert line[1] == f"{USER}@127.0.0.1:{path}"
    assert "a test commit was pushed and fetched" in told
    assert "1 note on this machine" in told
    assert "all work" in told
    laptop.does("write", "The tests need Docker")
    laptop.does("sync")
    desk.does("sync")
    assert "Docker" in desk.does("search", "tests").stdout
    assert "Java 21" in laptop.does("search", "build").stdout
    assert len(json.loads(desk.does("status", "--fleet", "--json").stdout)) == 2


def test_a_repository_is_made_over_ssh_where_there_is_none(desk: Person, laptop: Person) -> None:
    desk.server.live_in(desk.home)
    desk.server.start()
    laptop.is_introduced()
    address = f"{USER}@127.0.0.1:made for us/memory.git"

    told = laptop.does("init", "--yes", "--agents", "claude", "--remote", address).stderr

    assert "was created and works" in told
    assert (desk.home / "made for us" / "memory.git" / "HEAD").exists()


def test_a_key_that_is_refused_stops_before_anything_is_set_up(
    desk: Person, laptop: Person
) -> None:
    line = hosted(desk)
    laptop.knows_the_host()

    finished = laptop.run(*line)

    assert finished.returncode == 1
    assert "refused this machine's key" in finished.stderr
    assert "ssh-copy-id" in finished.stderr
    assert laptop.settings() == []


def test_a_host_that_nobody_knows_is_not_trusted(desk: Person, laptop: Person) -> None:
    line = hosted(desk)
    laptop.is_let_in()

    finished = laptop.run(*line)

    assert finished.returncode == 1
    assert "host key of" in finished.stderr
    assert not laptop.known_hosts.exists()
    assert laptop.settings() == []


def test_a_host_without_git_says_so(desk: Person, laptop: Person) -> None:
    line = hosted(desk, path="/nowhere")
    laptop.is_introduced()

    finished = laptop.run(*line)

    assert finished.returncode == 1
    assert f"git is not installed on {USER}@127.0.0.1" in finished.stderr
    assert laptop.settings() == []
