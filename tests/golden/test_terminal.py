"""What people see on a terminal of 80 and of 140 columns, to the letter.

After a deliberate change: ANAMNESIS_GOLDEN=write make test, and read the difference.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from anamnesis.notes.fields import Memory, MemoryType
from support.fleet import Machine
from support.pty import short_home, shown

GOLDEN = Path(__file__).parent / "terminal"
WRITE = os.environ.get("ANAMNESIS_GOLDEN") == "write"
PROGRAM = str(Path(sys.executable).with_name("anamnesis"))
CLASH = "01M7K4PDW8YKA2DN70020K04GA"
SHOP, INFRASTRUCTURE = "github.com/acme/shop", "github.com/acme/infrastructure"
LONG = "The staging database needs the VPN, and its certificate expires every ninety days"
FIXED = "Fixed the flaky deploy: the health check ran before the migration had ended"
WIDE = "認証トークンは毎晩ローテーションされるので、スクリプトにキャッシュしてはいけない"
NOTES: tuple[tuple[str, float, MemoryType, str, str], ...] = (  # id, hours ago, …
    ("01M7K4PDW8YKA2DN70020K04GB", 0.2, "semantic", SHOP, LONG),
    ("01M7K4PDW8YKA2DN7002WSVY5T", 5, "procedural", SHOP, "Release steps"),
    ("01M7K4PDW8YKA2DN7002WTVY5T", 30, "episodic", INFRASTRUCTURE, FIXED),
    ("01M7K4PDW8YKA2DN70020K0NNE", 24 * 9, "semantic", "global", WIDE),
    ("01M5AAAAAAAAAAAAAAAAAAAAB2", 24 * 90, "semantic", SHOP, "Prices are stored in cents"),
)


@pytest.fixture
def laptop() -> Iterator[Path]:
    """A home with some notes, one of them in conflict with another machine."""
    with short_home() as home:
        fill(home)
        yield home


def fill(home: Path) -> None:
    """Notes of two machines, and a conflict that is three days old."""
    remote = home / "notes.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(remote)], check=True)
    desk = Machine(home / "desk", str(remote))
    (home / ".anamnesis").mkdir(mode=0o700)
    here = Machine(home / ".anamnesis", str(remote))
    here.name = "laptop"
    for note_id, hours, type, project, title in NOTES:
        at = (datetime.now(UTC) - timedelta(hours=hours, minutes=1)).isoformat(timespec="seconds")
        here.put(
            Memory(id=note_id, type=type, title=title, body=f"{title}.", project=project,
                   machine_id="laptop", created_at=at, updated_at=at)
        )  # fmt: skip
    here.write(CLASH, "The port is 8080.", title="Which port the proxy listens on")
    here.sync()
    desk.sync()
    desk.edit(CLASH, body="The port is 8443.")
    desk.sync()
    here.edit(CLASH, body="The port is 9000.")
    here.sync()
    record = next((here.home / "conflicts").glob("*/conflict.json"))
    held = (datetime.now(UTC) - timedelta(days=3, hours=1)).isoformat(timespec="seconds")
    record.write_text(re.sub(r'("since": )"[^"]*"', rf'\1"{held}"', record.read_text()))


def lines_of(text: str, home: Path) -> str:
    """A screen without what differs from run to run."""
    text = text.replace(str(home), "~")
    text = re.sub(r"(?<=ok       python  ).*|(?<=git version ).*", "…", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "2026-11-15T08:30:00+00:00", text)
    text = re.sub(r"\d{4}-\d\d-\d\d(?!T)", "2026-08-17", text)
    text = re.sub(r"(?<=last sync  ).*", "just now", text)
    return re.sub(r"[ ]+$", "", text, flags=re.MULTILINE)


def test_what_a_terminal_shows(laptop: Path) -> None:
    environment = {
        "PATH": f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(laptop),
        "ANAMNESIS_MACHINE_ID": "laptop",
        "ANAMNESIS_GIT_REMOTE": str(laptop / "notes.git"),
        "ANAMNESIS_SWEEP": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }
    screens = {}
    for name, command in {
        "sync": ["sync"],
        "help": ["--help"],
        "list": ["list"],
        "search": ["search", "staging database certificate"],
        "status": ["status"],
        "conflicts": ["conflicts"],
        "doctor": ["doctor"],
    }.items():
        for columns in (80, 140):
            text, _ = shown([PROGRAM, *command], columns=columns, env=environment, cwd=laptop)
            screens[f"{name}-{columns}"] = lines_of(text, laptop)

    for name, screen in screens.items():
        if WRITE:
            (GOLDEN / f"{name}.txt").write_text(screen, encoding="utf-8")
        width = int(name.rpartition("-")[2])
        too_long = [line for line in screen.splitlines() if len(line) > width]
        assert not [line for line in too_long if "anamnesis " not in line], name
    golden = {path.stem: path.read_text(encoding="utf-8") for path in GOLDEN.glob("*.txt")}
    assert screens == golden
