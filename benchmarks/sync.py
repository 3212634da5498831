"""Sync: the first one, with nothing to do beside plain git, and with one new note."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.sync import GitSyncBackend
from benchmarks import corpus
from benchmarks.measure import (
    COMMAND,
    Sample,
    Table,
    ask_peer,
    sample_process,
    sample_with_children,
)


class Place:
    """A store of some size that is in step with its remote."""

    def __init__(self, base: Path, size: int) -> None:
        self.home = base / f"home-{size}"
        self.memory = self.home / "memory"
        self.remote = base / f"remote-{size}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(self.remote)], check=True)
        corpus.write_files(self.home, size)
        self.backend = GitSyncBackend(self.memory, remote=str(self.remote), machine_id="bench")
        first = sample_with_children(self.backend.sync, repeats=1)
        self.first = first.best
        time.sleep(1.1)  # git reads a file again that is as young as its index
        self.backend.sync()
        self.run("git", "status")

    def run(self, *argv: str) -> None:
        environment = {
            **os.environ, "ANAMNESIS_HOME": str(self.home),
            "ANAMNESIS_GIT_REMOTE": str(self.remote), "ANAMNESIS_MACHINE_ID": "bench",
        }  # fmt: skip
        subprocess.run(argv, cwd=self.memory, env=environment, capture_output=True, check=True)

    def remote_kilobytes(self) -> float:
        return sum(file.stat().st_size for file in self.remote.rglob("*") if file.is_file()) / 1024

    def write_one(self) -> None:
        note = Memory(id=f"NEW{time.time_ns()}", type="semantic", title="new", body="one new note")
        (self.memory / "semantic" / f"{note.id}.md").write_text(serialize(note))

    def sync_one(self) -> None:
        self.write_one()
        self.backend.sync()


def git_processes(place: Place) -> int:
    """How many git processes a sync of one new note runs, those of git's own included."""
    with tempfile.TemporaryDirectory() as directory:
        traces = Path(directory) / "traces"
        traces.mkdir()
        (Path(directory) / ".gitconfig").write_text(f"[trace2]\n eventTarget = {traces}\n")
        place.write_one()
        before, os.environ["HOME"] = os.environ.get("HOME", ""), directory
        try:
            place.backend.sync()
        finally:
            os.environ["HOME"] = before
        return len(list(traces.iterdir()))


def notes_read(place: Place) -> int | None:
    """How many note files a sync of one new note opens, git included; None without strace."""
    if shutil.which("strace") is None:
        return None
    place.write_one()
    code = (
        "from anamnesis.sync import GitSyncBackend\n"
        f"GitSyncBackend({str(place.memory)!r}, remote={str(place.remote)!r}).sync()\n"
    )
    with tempfile.NamedTemporaryFile() as log:
        trace = ["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", log.name]
        place.run(*trace, sys.executable, "-c", code)
        opened = [line for line in Path(log.name).read_text().splitlines() if '.md"' in line]
    return len({line.split('"')[1] for line in opened})


def run(sizes: tuple[int, ...] = corpus.SIZES) -> None:
    """Print the table."""
    table = Table("Sync (CPU of everything that runs, children included)")
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as directory:
        for size in sizes:
            place = Place(Path(directory), size)
            _rows(table, place, size, Path(directory))
            if size == 10_000:
                _container_rows(table, place, size, Path(directory))
            shutil.rmtree(place.home)
            shutil.rmtree(place.remote)


class Container:
    """A machine that is thrown away after each use."""

    def __init__(self, base: Path, remote: Path) -> None:
        self._home = base / "container"
        self._around = {
            "PATH": os.environ["PATH"], "HOME": str(self._home),
            "ANAMNESIS_GIT_REMOTE": str(remote), "ANAMNESIS_SWEEP": "0",
        }  # fmt: skip

    def run(self, *argv: str, ephemeral: bool = True) -> Sample:
        """One command with whatever it waits for; what goes on behind it is not waited for."""
        around = {**self._around, **({"ANAMNESIS_EPHEMERAL": "1"} if ephemeral else {})}
        start = b'{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s"}'
        return sample_process(
            [COMMAND, *argv], repeats=1, stdin=start, environment=around, cwd=self._home
        )

    def renew(self) -> None:
        """Throw it away; what an earlier one left running gets a moment to notice."""
        while self._home.exists():
            shutil.rmtree(self._home, ignore_errors=True)
            time.sleep(0.2)
        (self._home / ".claude").mkdir(parents=True)


def _container_rows(table: Table, place: Place, size: int, base: Path) -> None:
    """What a container waits for until its first session has its notes."""
    label = f"{size // 1000}k notes"
    container = Container(base, place.remote)
    inject = ("inject", "--project", corpus.PROJECTS[3])
    container.renew()
    join = container.run("join", str(place.remote), "--yes", ephemeral=False)
    table.figure(f"container, {label}: join", join.best, "s")
    container.renew()
    attach, first = container.run("attach", "--agents", "claude"), container.run(*inject)
    table.figure(f"container, {label}: attach", attach.best, "s")
    table.figure(f"container, {label}: inject after it", first.best, "s")
    container.renew()
    alone = container.run(*inject).best
    table.figure(f"container, {label}: inject that attaches", alone, "s", most=2.0)
    container.renew()


def _rows(table: Table, place: Place, size: int, base: Path) -> None:
    label = f"{size // 1000}k notes"
    table.figure(f"first sync, {label}", place.first / size * 1000, "ms a note", most=0.4)
    fetch = sample_with_children(lambda: place.run("git", "fetch", "origin"))
    status = sample_with_children(lambda: place.run("git", "status"))
    git = fetch.plus(status)
    cycle = sample_with_children(place.backend.sync)
    peer = {}
    if size <= 10_000:
        peer = ask_peer("peer_sync.py", str(_copy(place, base)), str(place.remote))
    table.row(f"nothing to do, in process, {label}", cycle, baseline=git, peer=peer.get("nothing"))
    command = sample_with_children(lambda: place.run(COMMAND, "sync"))
    most = 2 if size == 10_000 else None
    table.row(f"nothing to do, the command, {label}", command, baseline=git, most=most,
              of="git fetch + status")  # fmt: skip
    table.figure(f"one new note, {label}: git processes", git_processes(place), "", most=12)
    read = notes_read(place)
    if read is not None:
        table.figure(f"one new note, {label}: note files opened", read, "")
    before = place.remote_kilobytes()
    one = sample_with_children(place.sync_one, repeats=10)
    table.row(f"one new note, {label}", one, baseline=git)
    grown = (place.remote_kilobytes() - before) / 10
    table.figure(f"one new note, {label}: growth of the remote", grown, "KB")


def _copy(place: Place, base: Path) -> Path:
    """The same notes for the published package, which writes into the repository differently."""
    target = base / f"peer-{place.home.name}" / "memory"
    subprocess.run(["git", "clone", "--quiet", str(place.remote), str(target)], check=True)
    subprocess.run(
        ["git", "checkout", "--quiet", "-B", "main", "origin/main"], cwd=target, check=True
    )
    time.sleep(1.1)
    subprocess.run(["git", "status"], cwd=target, check=True, capture_output=True)
    return target
