"""Timing by CPU, several times, beside a baseline; and one table for all of it."""

from __future__ import annotations

import compileall
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
CACHE = REPOSITORY / ".cache"
# An installed package has its byte-code beside it; a checkout may not, and would be compiled
# anew by every process that is measured.
compileall.compile_dir(REPOSITORY / "src", quiet=1)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    ours: str
    baseline: str = ""
    ratio: str = ""
    budget: str = ""
    peer: str = ""


def cpu_of(work: Callable[[], object], *, repeats: int = 5) -> float:
    """The least CPU seconds that some work took: the machine only ever adds to it."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def cpu_of_each(work: Iterable[Callable[[], object]]) -> tuple[float, float]:
    """The median and the 95th percentile of the CPU seconds of several pieces of work."""
    times = sorted(cpu_of(one, repeats=1) for one in work)
    return statistics.median(times), times[int(len(times) * 0.95)]


def cpu_of_process(argv: list[str], *, repeats: int = 11, stdin: bytes = b"") -> float:
    """The least CPU seconds of a whole process, from its start to its end."""
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, input=stdin, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def bare_python() -> float:
    """What starting and ending Python costs: the baseline of every command."""
    return cpu_of_process([sys.executable, "-c", "pass"], repeats=21)


def peak_megabytes(code: str, *arguments: str) -> float:
    """The peak memory of a child that runs some code."""
    # Not ru_maxrss, which a child inherits from its parent.
    tail = "\nprint(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    argv = [sys.executable, "-c", code + tail, *arguments]
    printed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return int(printed.split()[-1]) / 1024


def milliseconds(seconds: float) -> str:
    """A duration for the table."""
    value = seconds * 1000
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def times(ours: float, baseline: float) -> str:
    """A ratio for the table."""
    return f"{ours / baseline:.2f}x"


def print_table(title: str, rows: list[Row]) -> None:
    """Print one table in columns."""
    head = Row("", "ours", "baseline", "ratio", "budget", "anamnesis-memory 0.1.3")
    table = [list(vars(row).values()) for row in (head, *rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    print(f"\n{title}")
    for line in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    sys.stdout.flush()


def peer_python() -> Path | None:
    """The interpreter of an environment with the published package, if it can be installed."""
    python = CACHE / "peer" / "bin" / "python"
    if not python.exists():
        CACHE.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(CACHE / "peer")], check=True)
        install = [str(python), "-m", "pip", "install", "-q", "anamnesis-memory[mcp]==0.1.3"]
        if subprocess.run(install, capture_output=True, check=False).returncode != 0:
            import shutil

            shutil.rmtree(CACHE / "peer")
            print("the published package cannot be installed here: its column stays empty")
            return None
    return python


def ask_peer(script: str, *arguments: str) -> dict[str, float]:
    """Run a script with the published package; it prints its figures as JSON."""
    python = peer_python()
    if python is None:
        return {}
    argv = [str(python), str(Path(__file__).with_name(script)), *arguments]
    environment = {**os.environ, "PYTHONPATH": ""}
    finished = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    if finished.returncode != 0:
        print(f"the published package failed: {finished.stderr.strip().splitlines()[-1]}")
        return {}
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures
