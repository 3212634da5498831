"""Two hosts over a real ssh server on loopback, and servers that fail in every way."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from anamnesis.operations.travel import remote as connect
from anamnesis.sync import SyncResult
from support.fleet import Fleet, Machine, git
from support.ssh_server import USER, SshServer, Visitor, serving

LIMIT = 8.0  # what one exchange may take in these tests


class Host(Machine):
    """A machine that reaches its remote over ssh."""

    def __init__(self, member: Machine, server: SshServer) -> None:
        url = server.url(Path(member.remote or ""))
        super().__init__(member.home, url, seconds=LIMIT, sealed=member.sealed)
        self.visitor = Visitor(member.home, server)

    @contextmanager
    def environment(self) -> Iterator[None]:
        os.environ["GIT_SSH_COMMAND"] = self.visitor.ssh
        try:
            yield
        finally:
            del os.environ["GIT_SSH_COMMAND"]

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        with self.environment():
            began = time.monotonic()
            result = super().sync(accept_deletions=accept_deletions)
            assert time.monotonic() - began < 3 * LIMIT
            return result


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SshServer]:
    with serving(tmp_path / "server") as running:
        yield running


@pytest.fixture
def laptop(server: SshServer, fleet: Fleet) -> Host:
    host = Host(fleet.machine("laptop"), server)
    host.write("n", "from laptop")
    return host


def test_notes_go_round_between_two_hosts(laptop: Host, server: SshServer, fleet: Fleet) -> None:
    desk = Host(fleet.machine("desk"), server)
    laptop.visitor.is_introduced()
    desk.visitor.is_introduced()

    assert laptop.sync().pushed
    assert desk.sync().pulled == 1 + fleet.first_commits
    desk.write("m", "from desk")
    assert desk.sync().pushed
    assert laptop.sync().pulled == 1

    assert laptop.files() == desk.files()


def test_a_dead_server_is_offline_and_the_notes_wait(laptop: Host, server: SshServer) -> None:
    laptop.visitor.is_introduced()
    laptop.sync()
    laptop.write("m", "waits")
    server.stop()

    result = laptop.sync()

    assert result.offline
    assert not result.error
    assert laptop.backend.state().ahead == 1
    server.start()
    assert laptop.sync().pushed


def test_a_refused_key_is_told(laptop: Host, server: SshServer) -> None:
    laptop.visitor.is_introduced()
    server.authorized.write_text("")

    result = laptop.sync()

    assert "refused this machine's key" in result.error
    assert "ssh-copy-id" in result.hint


def test_an_unknown_host_key_is_told_and_not_accepted(laptop: Host) -> None:
    laptop.visitor.is_introduced()
    laptop.visitor.known_hosts.write_text("")

    result = laptop.sync()

    assert "host key of" in result.error
    assert "ssh " in result.hint
    assert laptop.visitor.known_hosts.read_text() == ""


def test_a_changed_host_key_is_told(laptop: Host, server: SshServer) -> None:
    laptop.visitor.is_introduced()
    other = server.key("other").with_suffix(".pub").read_text()
    laptop.visitor.known_hosts.write_text(f"[127.0.0.1]:{server.port} {other}")

    result = laptop.sync()

    assert "host key of" in result.error


def test_a_missing_repository_on_the_host_is_told(laptop: Host, fleet: Fleet) -> None:
    laptop.visitor.is_introduced()
    shutil.rmtree(fleet.remote)

    result = laptop.sync()

    assert "no git repository at" in result.error


def test_a_repository_is_created_on_the_host_and_proved(
    laptop: Host, server: SshServer, tmp_path: Path
) -> None:
    laptop.visitor.is_introduced()
    url = server.url(tmp_path / "made here" / "notes.git")
    with laptop.environment():
        assert connect.create(url) == url
        connect.prove(url)
    laptop.remote = url

    assert laptop.sync().pushed
    made = tmp_path / "made here" / "notes.git"
    assert git("for-each-ref", "--format=%(refname)", cwd=made) == "refs/heads/main"
    assert git("config", "receive.denyNonFastForwards", cwd=made) == "true"


def test_a_server_that_accepts_and_says_nothing_costs_the_limit(laptop: Host) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        laptop.remote = f"ssh://{USER}@127.0.0.1:{silent.getsockname()[1]}/x.git"
        laptop.seconds = 2.0
        began = time.monotonic()

        result = laptop.sync()

    assert result.offline
    assert time.monotonic() - began < 2 * LIMIT


class _AsksForPassword(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_a_password_prompt_is_refused_not_waited_for(fleet: Fleet) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _AsksForPassword) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        laptop = fleet.machine("laptop")
        laptop.remote = f"http://127.0.0.1:{web.server_port}/x.git"
        laptop.write("n", "x")
        began = time.monotonic()

        result = laptop.sync()
        web.shutdown()

    assert "refused this machine's key or password" in result.error
    assert time.monotonic() - began < 2 * LIMIT
