"""What is not installed is named with the command that installs it, and the rest works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from anamnesis.ground.errors import install_command
from support.hooks import environment

WITHOUT = "import sys; sys.modules['fastmcp'] = None; sys.modules['mcp'] = None\n"


def run(home: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False,
        timeout=60, env=environment(home), stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_functions_of_the_server_need_no_fastmcp(home: Path) -> None:
    done = run(
        home,
        "from anamnesis import server\nfrom anamnesis.store import MemoryStore\n"
        f"store = MemoryStore({str(home)!r})\n"
        "server.write_memory(store, type='semantic', title='VPN', body='Deploys need it.')\n"
        "print([note['title'] for note in server.search_memories(store, query='vpn')])",
    )

    assert done.stderr == ""
    assert done.stdout == "['VPN']\n"


def test_the_server_over_http_names_its_extra(home: Path) -> None:
    done = run(
        home,
        "from anamnesis.cli import main\n"
        "sys.exit(main(['serve', '--transport', 'http', '--port', '0']))",
    )

    assert done.returncode == 1
    assert done.stderr.startswith("serve: The server over HTTP or in memory needs the extra [mcp]")
    assert f"Install it:  {install_command('mcp')}\n" in done.stderr


def test_the_package_is_the_command(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "anamnesis", "--version"], capture_output=True, text=True,
        check=True, env=environment(home),
    )  # fmt: skip

    assert done.stdout.startswith("anamnesis ")
