"""Listening on another address: only if told, under that name only, never without a warning."""

from __future__ import annotations

import base64
import http.client
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from anamnesis.store import MemoryStore
from anamnesis.web.serve import LOOPBACK, NoSuchAddress, Server

from .test_command import COMMAND


@pytest.fixture
def outer() -> str:
    """The address under which other machines would reach this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # sends nothing; only finds the way out
        return str(asked.getsockname()[0])


@pytest.fixture
def server(store: MemoryStore, outer: str) -> Iterator[Server]:
    """A dashboard that was told to listen there."""
    with Server(store.root, host=outer) as running:
        yield running


def _status(server: Server, path: str, *, host: str, password: str = "") -> int:
    connection = http.client.HTTPConnection(
        urlsplit(server.plain_address).hostname or "", server.port, timeout=20
    )
    basic = base64.b64encode(f"anamnesis:{password}".encode()).decode()
    connection.request("GET", path, headers={"Host": host, "Authorization": f"Basic {basic}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_unless_told_it_listens_on_loopback_only(store: MemoryStore, outer: str) -> None:
    with Server(store.root) as running:
        assert urlsplit(running.plain_address).hostname == LOOPBACK
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((outer, running.port), timeout=5).close()


def test_the_token_protects_it_there_as_well(server: Server, outer: str) -> None:
    host = f"{outer}:{server.port}"

    assert _status(server, "/notes", host=host) == 401
    assert _status(server, "/open?token=guessed", host=host) == 401
    assert _status(server, "/notes", host=host, password=server.keys.admit()) == 200
    assert urlsplit(server.link()).hostname == outer


def test_a_name_of_the_own_network_is_allowed_by_name(store: MemoryStore, outer: str) -> None:
    with Server(store.root, host=outer, names=("desk.lan",)) as running:
        secret = urlsplit(running.link()).password or ""
        assert urlsplit(running.link()).hostname == "desk.lan"
        running.plain_address = running.address  # the test cannot resolve the name
        assert _status(running, "/notes", host=f"desk.lan:{running.port}", password=secret) == 200
        assert _status(running, "/notes", host=f"desk.lan:{running.port}") == 401
        assert _status(running, "/notes", host=f"evil.lan:{running.port}", password=secret) == 421


def test_each_start_is_another_site_on_the_same_port(store: MemoryStore) -> None:
    with Server(store.root) as first:
        pass
    with Server(store.root) as again:
        assert again.port == first.port
        assert urlsplit(again.address).hostname != urlsplit(first.address).hostname
        assert again.plain_address != first.plain_address  # without a name, the port is another
    with socket.socket() as other:
        other.bind((LOOPBACK, first.port))
        other.listen()
        with Server(store.root) as elsewhere:
            assert elsewhere.port != first.port
    with Server(store.root) as back:
        assert back.port == first.port


def test_under_the_name_of_an_earlier_start_nothing_of_the_store_is_served(
    store: MemoryStore,
) -> None:
    store.write(type="semantic", title="Deploys need the VPN", body="words")
    with Server(store.root) as first:
        former = urlsplit(first.address).netloc
    with (
        Server(store.root) as again,
        closing(http.client.HTTPConnection(LOOPBACK, again.port, timeout=20)) as connection,
    ):
        session = {"Cookie": f"anamnesis-{again.port}={again.keys.admit()}"}
        for path in ("/", "/notes", "/api/notes", "/events", "/drafts", "/open?token=x"):
            connection.request("GET", path, headers={"Host": former, **session})
            answer = connection.getresponse()
            text = answer.read().decode()
            assert answer.status == 421
            assert "VPN" not in text
            assert again.address not in text
        connection.request("POST", "/hand-over", "[]", {"Host": former, "x-proof": "guessed"})
        assert connection.getresponse().status == 403


def test_no_other_program_can_listen_for_the_same_name(store: MemoryStore) -> None:
    with (
        Server(store.root) as running,
        socket.socket(socket.AF_INET6) as other,
        pytest.raises(OSError, match="in use"),
    ):
        other.bind(("::1", running.port))


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "evil.example"])
def test_it_answers_to_that_name_only(server: Server, name: str) -> None:
    secret = server.keys.admit()

    assert _status(server, "/notes", host=f"{name}:{server.port}", password=secret) == 421


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "198.51.100.7"])
def test_an_address_that_is_not_one_of_this_machine_is_refused(
    store: MemoryStore, host: str
) -> None:
    with pytest.raises(NoSuchAddress, match="cannot listen"):
        Server(store.root, host=host)


def test_an_address_of_the_new_kind_is_written_as_browsers_do(store: MemoryStore) -> None:
    with Server(store.root, host="::1") as running:
        assert running.address == f"http://[::1]:{running.port}"
        assert _status(running, "/notes", host=f"[::1]:{running.port}") == 401


def test_the_command_warns_that_nothing_is_encrypted(root: Path, outer: str) -> None:
    process = subprocess.Popen(
        [*COMMAND, "dashboard", "--no-open", "--host", outer],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    link = process.stdout.readline()
    process.terminate()
    _, said = process.communicate(timeout=30)

    assert urlsplit(link).hostname == outer
    assert "traffic is not encrypted" in said
    assert "ssh -L" in said


def test_on_loopback_there_is_nothing_to_warn_of(root: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "dashboard", "--no-open"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    _, said = process.communicate(timeout=30)

    assert "encryption" not in said
