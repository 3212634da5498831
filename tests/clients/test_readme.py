"""README alone, on an empty machine: its commands in their order, as they are pasted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clients.desk import REPOSITORY
from support.pty import shown

pytestmark = pytest.mark.client

TOOLS = REPOSITORY / ".cache" / "tools" / "bin"
README = (REPOSITORY / "README.md").read_text()
COMMANDS = re.findall(r"^    (?!\$|I|\d)(\S.*)$", README, re.MULTILINE)


def machine(tmp_path: Path, name: str) -> tuple[Path, dict[str, str]]:
    """A home with Claude Code's folder and nothing else, and what a login shell has."""
    home = tmp_path / name
    (home / ".claude").mkdir(parents=True)
    return home, {
        "HOME": str(home), "PATH": f"{home}/.local/bin:{TOOLS}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        "UV_PYTHON": sys.executable, "UV_OFFLINE": "1", "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(REPOSITORY / ".cache" / "wheels"), "TERM": "xterm",
        "ANAMNESIS_MACHINE_ID": name,
    }  # fmt: skip


def test_the_commands_of_readme_do_what_it_says(tmp_path: Path) -> None:
    assert COMMANDS == [
        "uv tool install .", "anamnesis init", "anamnesis host",
        "anamnesis join you@box:anamnesis-memory.git", "anamnesis uninstall",
    ]  # fmt: skip
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "clone", "-q", str(REPOSITORY), str(checkout)], check=True)
    box, of_box = machine(tmp_path, "box")
    laptop, of_laptop = machine(tmp_path, "laptop")

    def pasted(line: str, env: dict[str, str], *, typed: str = "") -> str:
        printed, code = shown(["bash", "-c", line], columns=100, env=env, cwd=checkout, typed=typed)
        assert code == 0, (line, printed)
        return printed

    pasted(COMMANDS[0], of_box)
    assert "all work" in pasted(COMMANDS[1], of_box, typed="\n" * 8)
    assert "anamnesis join" in pasted(COMMANDS[2], of_box)
    pasted("anamnesis write 'The staging database needs the VPN' && anamnesis sync", of_box)
    pasted(COMMANDS[0], of_laptop)
    # Both machines are one disk here; the tests of `host` and `join` go through ssh.
    pasted(f"anamnesis join {box}/anamnesis-memory.git --yes", of_laptop)
    assert "needs the VPN" in pasted("anamnesis search staging", of_laptop)
    settings = (box / ".claude" / "settings.json").read_text()
    pasted(COMMANDS[4], of_box, typed="y\n")

    assert "anamnesis" in settings
    assert not (box / ".claude" / "settings.json").exists()  # there was none before
    assert list((box / ".anamnesis" / "memory" / "semantic").iterdir())
    assert os.path.isdir(laptop / ".anamnesis")
