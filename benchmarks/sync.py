"""Sync at 1k and 10k notes: with nothing to do beside plain git, and with one new note."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from anamnesis.notes.frontmatter import serialize
from anamnesis.notes.note import Memory
from anamnesis.sync import GitSyncBackend
from benchmarks import corpus
from benchmarks.measure import Row, ask_peer, milliseconds, print_table, times

SIZES = (1_000, 10_000)
COMMAND = Path(sys.executable).with_name("anamnesis")
MAX_PROCESSES = 12


def cpu_with_children(work: Callable[[], object], *, repeats: int = 11) -> float:
    """The least CPU seconds of some work and of the programs that it ran."""
    found = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.process_time()
        work()
        own = time.process_time() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(own + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


class Place:
    """A store of some size that is in step with its remote."""

    def __init__(self, base: Path, size: int) -> None:
        self.home = base / f"home-{size}"
        self.memory = self.home / "memory"
        self.remote = base / f"remote-{size}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(self.remote)], check=True)
        corpus.write_files(self.home, size)
        self.backend = GitSyncBackend(self.memory, remote=str(self.remote), machine_id="bench")
        self.backend.sync()
        time.sleep(1.1)  # git reads a file again that is as young as its index
        self.backend.sync()
        self.run("git", "status")

    def run(self, *argv: str) -> None:
        environment = {
            **os.environ, "ANAMNESIS_HOME": str(self.home),
            "ANAMNESIS_GIT_REMOTE": str(self.remote), "ANAMNESIS_MACHINE_ID": "bench",
        }  # fmt: skip
        subprocess.run(argv, cwd=self.memory, env=environment, capture_output=True, check=True)

    def write_one(self) -> None:
        note = Memory(id=f"NEW{time.time_ns()}", type="semantic", title="new", body="one new note")
        (self.memory / "semantic" / f"{note.id}.md").write_text(serialize(note))


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


def run() -> None:
    """Print the table."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as directory:
        for size in SIZES:
            rows += _rows(Place(Path(directory), size), size, Path(directory))
    print_table("sync (CPU of everything that runs, children included)", rows)


def _rows(place: Place, size: int, base: Path) -> list[Row]:
    bare = cpu_with_children(lambda: place.run("git", "fetch", "origin")) + cpu_with_children(
        lambda: place.run("git", "status")
    )
    cycle = cpu_with_children(place.backend.sync)
    command = cpu_with_children(lambda: place.run(str(COMMAND), "sync"))
    peer = ask_peer("peer_sync.py", str(_copy(place, base)), str(place.remote))
    theirs = milliseconds(peer["nothing"]) if peer else ""
    processes, read = git_processes(place), notes_read(place)
    label = f"{size // 1000}k notes"
    return [
        Row(f"nothing to do, {label}", milliseconds(cycle), milliseconds(bare), times(cycle, bare),
            "1.5x git fetch + git status", theirs),
        Row(f"  as a whole command, {label}", milliseconds(command), milliseconds(bare),
            times(command, bare)),
        Row(f"one new note, {label}: git processes", str(processes), "", "", f"{MAX_PROCESSES}"),
        Row(f"one new note, {label}: note files opened", "no strace" if read is None else str(read),
            "", "", "the same at any size"),
    ]  # fmt: skip


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
