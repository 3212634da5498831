"""A machine in a test: a home directory, a project, and the real clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from clients.model import ScriptedModel

REPOSITORY = Path(__file__).parent.parent.parent
CLIENTS = REPOSITORY / ".cache" / "clients"
_SECONDS = 180


def client(name: str) -> str:
    """The program of a client that `make e2e` has installed."""
    found = CLIENTS / os.environ.get("CLIENTS", "known") / name / "node_modules" / ".bin" / name
    assert found.exists(), f"there is no {found}; run: make e2e"
    return str(found)


class Desk:
    """One machine with its own home."""

    def __init__(
        self, directory: Path, model: ScriptedModel, *, name: str = "desk", **variables: str
    ) -> None:
        self.name = name
        self.variables = variables  # of every program on this machine
        self.model = model
        self.home = directory / name
        self.store = self.home / ".anamnesis"
        self.project = self.home / "work" / "shop"
        self.command = str(Path(sys.executable).parent / "anamnesis")
        for folder in (self.project, self.home / "tmp"):
            folder.mkdir(parents=True)
        self.run(["git", "init", "-q", "-b", "main", "."])
        self.run(["git", "config", "user.email", "a@example.org"])
        self.run(["git", "config", "user.name", "A"])
        self.run(["git", "remote", "add", "origin", "https://example.org/team/shop.git"])
        self.run(["git", "commit", "-q", "--allow-empty", "-m", "start"])
        self.run(["git", "checkout", "-q", "-b", "feature"])

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([os.path.dirname(self.command), os.environ["PATH"]]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": str(self.home / "tmp"),
            **self.variables,
            **more,
        }

    def run(self, argv: list[str], *, env: Mapping[str, str] | None = None, input: str = "") -> str:
        """Run a program in the project; its output."""
        finished = subprocess.run(
            argv, cwd=self.project, env=dict(env or self.environment()), input=input, text=True,
            capture_output=True, timeout=_SECONDS,
        )  # fmt: skip
        assert finished.returncode == 0, f"{argv}: {finished.stdout}\n{finished.stderr}"
        return finished.stdout

    def anamnesis(self, *words: str) -> str:
        return self.run([self.command, *words])

    def notes(self, **fields: str) -> list[dict[str, str]]:
        """Every note with its body, those that have these fields."""
        listed = json.loads(self.anamnesis("list", "--json"))
        found = [note for note in listed if fields.items() <= note.items()]
        return [json.loads(self.anamnesis("show", note["id"], "--json")) for note in found]

    def runs(self, hook: str) -> list[dict[str, str]]:
        """The runs of a hook that a session started."""
        log = self.store / "log" / "hooks.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        entries = [json.loads(line) for line in lines]
        return [entry for entry in entries if entry["hook"] == hook and entry.get("session")]

    def comes_to_rest(self) -> None:
        """Wait until nothing runs on this machine any more: a session leaves work behind."""
        mine = f"HOME={self.home}".encode()
        eventually(lambda: not any(mine in each for each in environments()), seconds=_SECONDS)

    def an_hour_passes(self, *transcripts: Path) -> None:
        """Transcripts that somebody writes to are left alone, and sweeps come now and then only."""
        for path in (*transcripts, *(self.store / "state").iterdir()):
            if path.is_file():
                then = path.stat().st_mtime - 3600
                os.utime(path, (then, then))

    def files(self) -> dict[str, bytes]:
        """Every file in the home outside of the store and the project."""
        skipped = (self.store, self.project, self.home / "tmp")
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not any(path.is_relative_to(each) for each in skipped)
        }


def environments() -> Iterator[list[bytes]]:
    """The environment of every process that runs."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or is another user's
            yield path.read_bytes().split(b"\0")


def eventually(look: Callable[[], object], *, seconds: float = 60) -> None:
    """Wait for something that happens in the background."""
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)
