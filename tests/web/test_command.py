"""`anamnesis dashboard` as a process: one per store, private, gone when it is told to end."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    """The first page, as a browser with cookies gets it."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page: str = browser.open(link, timeout=20).read().decode()
    return page


def _announced(root: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((root / "dashboard.json").read_text())
    return found


def test_the_printed_address_opens_it_once(
    dashboard: tuple[subprocess.Popen[str], str],
) -> None:
    _, link = dashboard

    assert "<title>Pulse" in _opened(link)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(link, timeout=20)


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


def test_the_key_is_readable_by_its_owner_only_and_goes_with_the_server(
    dashboard: tuple[subprocess.Popen[str], str], root: Path
) -> None:
    process, link = dashboard
    _opened(link)
    facts = _announced(root)
    mode = stat.S_IMODE(os.stat(root / "dashboard.json").st_mode)
    request = urllib.request.Request(
        f"{facts['address']}/api/status", headers={"Authorization": f"Bearer {facts['key']}"}
    )
    assert json.load(urllib.request.urlopen(request, timeout=20))["root"] == str(root)

    process.send_signal(signal.SIGINT)
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
    assert f"Port {port} is taken" in finished.stderr
