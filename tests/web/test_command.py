"""`anamnesis dashboard` as a process: one per store, private, gone when it is told to end."""

from __future__ import annotations

import html
import json
import os
import signal
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from benchmarks import corpus

COMMAND = [sys.executable, "-c", "import sys; from anamnesis.cli import main; sys.exit(main())"]


@pytest.fixture
def dashboard(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running command and the address that it printed."""
    process = subprocess.Popen(
        [*COMMAND, "dashboard", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def _opened(link: str) -> str:
    """The first page, as a browser gets it: it finds the name, and brings the cookie along."""
    split = urlsplit(link)
    with closing(HTTPConnection("127.0.0.1", split.port, timeout=20)) as connection:
        connection.request("GET", f"{split.path}?{split.query}", headers={"Host": split.netloc})
        opened = connection.getresponse()
        opened.read()
        if opened.status != 200:
            return str(opened.status)
        cookie = (opened.getheader("set-cookie") or "").partition(";")[0]
        connection.request("GET", "/", headers={"Host": split.netloc, "Cookie": cookie})
        return connection.getresponse().read().decode()


def _announced(root: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((root / "dashboard.json").read_text())
    return found


def test_the_printed_address_opens_it_once(
    dashboard: tuple[subprocess.Popen[str], str],
) -> None:
    _, link = dashboard

    assert "<title>Pulse" in _opened(link)
    assert _opened(link) == "401"


def test_a_second_call_gives_a_new_address_of_the_same_dashboard(
    dashboard: tuple[subprocess.Popen[str], str],
) -> None:
    _, link = dashboard
    _opened(link)

    again = subprocess.run(
        [*COMMAND, "dashboard", "--no-open"], capture_output=True, text=True, timeout=60, check=True
    ).stdout.strip()

    assert again != link
    assert again.partition("/open")[0] == link.partition("/open")[0]
    assert "<title>Pulse" in _opened(again)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_key_is_readable_by_its_owner_only_and_goes_with_the_server(
    dashboard: tuple[subprocess.Popen[str], str], root: Path, ending: signal.Signals
) -> None:
    process, link = dashboard
    _opened(link)
    facts = _announced(root)
    mode = stat.S_IMODE(os.stat(root / "dashboard.json").st_mode)
    request = urllib.request.Request(
        f"{facts['address']}/api/status", headers={"Authorization": f"Bearer {facts['key']}"}
    )
    assert json.load(urllib.request.urlopen(request, timeout=20))["root"] == str(root)

    process.send_signal(ending)
    _, complaint = process.communicate(timeout=30)

    assert mode == 0o600
    assert "Traceback" not in complaint
    assert not (root / "dashboard.json").exists()


def test_a_port_that_is_taken_is_told(dashboard: tuple[subprocess.Popen[str], str]) -> None:
    _, link = dashboard
    port = link.partition("/open")[0].rpartition(":")[2]
    environment = {**os.environ, "ANAMNESIS_HOME": os.environ["HOME"] + "/other"}

    finished = subprocess.run(
        [*COMMAND, "dashboard", "--no-open", "--port", port],
        capture_output=True, text=True, timeout=60, check=False, env=environment,
    )  # fmt: skip

    assert finished.returncode == 1
    assert f"Port {port} is in use" in finished.stderr


def test_the_link_reaches_the_browser_without_standing_in_the_list_of_processes(
    root: Path, tmp_path: Path, dashboard: tuple[subprocess.Popen[str], str]
) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$@" > {seen}\ncat "${{1#file://}}" >> {seen}\n')
    program.chmod(0o700)

    finished = subprocess.run(
        [*COMMAND, "dashboard"], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "BROWSER": str(program)},
    )  # fmt: skip

    arguments, page = seen.read_text().split("\n", 1)
    assert "token" not in arguments
    assert html.escape(finished.stdout.strip()) in page


def test_without_the_name_a_password_lets_the_browser_in(
    dashboard: tuple[subprocess.Popen[str], str],
) -> None:
    finished = subprocess.run(
        [*COMMAND, "dashboard", "--no-open", "--no-name"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    link = urlsplit(finished.stdout.strip())
    assert link.hostname == "127.0.0.1"
    assert link.username == "anamnesis"
    assert len(link.password or "") > 30


def test_starting_over_many_unindexed_notes_says_what_it_does(root: Path) -> None:
    corpus.write_files(root, 600)
    process = subprocess.Popen(
        [*COMMAND, "dashboard", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://")

    process.terminate()

    assert "Indexing 600 notes first. This happens once." in process.communicate()[1]
