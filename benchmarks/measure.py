"""Timing by CPU, several times, beside a baseline; and tables that are printed row by row."""

from __future__ import annotations

import compileall
import ctypes
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
REPOSITORY = Path(__file__).parent.parent
CACHE = REPOSITORY / ".cache"
INSTALLED = str(Path(sys.executable).with_name("anamnesis"))
# An installed package has its byte-code beside it; a checkout may not, and every process that is
# measured would compile it again.
compileall.compile_dir(REPOSITORY / "src", quiet=1)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What uv and pip 26 install as a command. The one of pip 23, which Python 3.11 brings, loads `re`
# first; `INSTALLED` may be such a one.
_START = """\
#!{python}
import sys
from anamnesis.cli import main
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit(main())
"""


def _start_script() -> str:
    path = CACHE / "bin" / "anamnesis"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_START.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)


COMMAND = _start_script()

NOISE = 1.1  # two runs of one build on one machine differ by as much
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_WIDTHS = (54, 9, 9, 9, 9, 8, 26)


@dataclass(frozen=True)
class Sample:
    """The CPU seconds that the same work took, each time that it was done."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The least: the machine only ever adds to it."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        return sorted(self.seconds)[int(len(self.seconds) * 0.95)]

    @property
    def most(self) -> float:
        return max(self.seconds)

    def per(self, count: int) -> Sample:
        """The same for one of so many."""
        return Sample(tuple(seconds / count for seconds in self.seconds))

    def plus(self, other: Sample) -> Sample:
        """This work and another, one after the other."""
        return Sample(tuple(map(sum, zip(self.seconds, other.seconds, strict=False))))


@dataclass(frozen=True)
class Row:
    """One line of a table without budgets."""

    what: str
    ours: str
    baseline: str = ""
    ratio: str = ""
    budget: str = ""
    peer: str = ""


class Table:
    """A table that prints each row when it is known, and remembers the budgets that were missed."""

    missed: list[str] = []  # noqa: RUF012  of all tables: the run ends with them

    def __init__(self, title: str) -> None:
        print(f"\n{title}")
        head = ("", "best", "median", "max", "baseline", "ratio", "budget")
        self._print(*head, "anamnesis-memory 0.1.3")

    def row(
        self,
        what: str,
        ours: Sample,
        *,
        baseline: Sample | float | None = None,
        most: float | None = None,
        of: str = "",
        by: str = "best",
        peer: float | None = None,
    ) -> None:
        """Print what some work took; `by` is the figure that is held against the budget.

        A baseline that is a sample is compared by its best, unless the budget is of a median.
        """
        value: float = getattr(ours, by)
        if isinstance(baseline, Sample):
            baseline = baseline.median if by == "median" else baseline.best
        ratio = value / baseline if baseline else None
        budget = "" if most is None else f"<= {most:.3g}x {of}"
        verdict = self._verdict(what, ratio, most, budget)
        self._print(
            what, *map(milliseconds, (ours.best, ours.median, ours.most)),
            "" if baseline is None else milliseconds(baseline),
            "" if ratio is None else f"{ratio:.2f}x", budget + verdict,
            "" if not peer else milliseconds(peer),
        )  # fmt: skip

    def per_note(self, what: str, ours: Sample, *, most: float | None = None) -> None:
        """Print what each of many notes took; its budget is in milliseconds."""
        budget = "" if most is None else f"<= {most:g} ms a note"
        verdict = self._verdict(what, ours.best * 1000, most, budget)
        cells = [f"{value * 1000:.3f} ms" for value in (ours.best, ours.median, ours.most)]
        self._print(what, *cells, "", "", budget + verdict)

    def figure(
        self, what: str, value: float, unit: str, *, most: float | None = None, peer: str = ""
    ) -> None:
        """Print a number that is no time, or a time with a budget of its own."""
        budget = "" if most is None else f"<= {most:g} {unit}"
        verdict = self._verdict(what, value, most, budget)
        self._print(what, f"{value:.3g} {unit}", "", "", "", "", budget + verdict, peer)

    def note(self, what: str, said: str) -> None:
        """Print something that is no figure."""
        self._print(what, said)

    def _verdict(self, what: str, value: float | None, most: float | None, budget: str) -> str:
        if most is None or value is None or value <= most:
            return ""
        if value <= most * NOISE:
            return " (noise)"
        self.missed.append(f"{what}: {value:.3g}, budget {budget}")
        return " MISSED"

    @staticmethod
    def _print(*cells: str) -> None:
        padded = [cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False)]
        print("  " + " ".join([*padded, *cells[len(_WIDTHS) :]]).rstrip(), flush=True)


def sample(work: Callable[[], object], *, repeats: int = 7) -> Sample:
    """Some work in this process, several times."""
    return sample_each([work] * repeats)


def sample_each(work: Iterable[Callable[[], object]]) -> Sample:
    """Several pieces of work in this process, each once."""
    return Sample(tuple(_cpu(one) for one in work))


def sample_making(make: Callable[[], T]) -> tuple[Sample, T]:
    """Some work that is done once, and what it made."""
    made: list[T] = []
    return sample(lambda: made.append(make()), repeats=1), made[0]


def sample_with_children(work: Callable[[], object], *, repeats: int = 11) -> Sample:
    """Some work and the programs that it ran and waited for."""
    return Sample(tuple(_cpu(work, children=True) for _ in range(repeats)))


def sample_process(
    argv: list[str],
    *,
    repeats: int = 15,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
    cwd: Path | None = None,
) -> Sample:
    """A whole process, from its start to its end."""
    told = {**os.environ, **(environment or {})}

    def run() -> None:
        subprocess.run(argv, input=stdin, capture_output=True, check=True, env=told, cwd=cwd)

    seconds = []
    for _ in range(repeats):
        before()
        seconds.append(_cpu_of_children(run))
    return Sample(tuple(seconds))


def sample_beside_python(
    argv: list[str],
    *,
    repeats: int = 15,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
) -> tuple[Sample, Sample]:
    """A whole process, and in turns with it Python alone: what disturbs one disturbs both."""
    ours: list[float] = []
    alone: list[float] = []
    for _ in range(repeats):
        run = sample_process(argv, repeats=1, stdin=stdin, environment=environment, before=before)
        ours += run.seconds
        alone += sample_process([sys.executable, "-c", "pass"], repeats=2).seconds
    return Sample(tuple(ours)), Sample(tuple(alone))


def sample_commands_beside_python(
    work: Callable[[], object], *, repeats: int
) -> tuple[Sample, Sample]:
    """The programs that some work runs and waits for, and in turns with them Python alone."""
    ours: list[float] = []
    alone: list[float] = []
    for _ in range(repeats):
        ours.append(_cpu_of_children(work))
        alone += sample_process([sys.executable, "-c", "pass"], repeats=3).seconds
    return Sample(tuple(ours)), Sample(tuple(alone))


def adopt_orphans() -> None:
    """Become the parent of what outlives its own, so that its CPU can be counted (Linux)."""
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def wait_for_orphans() -> None:
    """Wait for every process that was started in the background."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def end_orphans() -> None:
    """End what was started in the background and is not measured."""
    own = Path(f"/proc/self/task/{os.getpid()}/children")
    for child in own.read_text().split():
        os.kill(int(child), signal.SIGKILL)
    wait_for_orphans()


def bare_python() -> Sample:
    """What starting and ending Python costs: the baseline of every command."""
    return sample_process([sys.executable, "-c", "pass"], repeats=31)


def _cpu(work: Callable[[], object], *, children: bool = False) -> float:
    begin = time.process_time()
    of_children = _cpu_of_children(work)
    return time.process_time() - begin + (of_children if children else 0.0)


def _cpu_of_children(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of(work: Callable[[], object], *, repeats: int = 5) -> float:
    """The least CPU seconds that some work took."""
    return sample(work, repeats=repeats).best


def cpu_of_process(argv: list[str], *, repeats: int = 11, stdin: bytes = b"") -> float:
    """The least CPU seconds of a whole process."""
    return sample_process(argv, repeats=repeats, stdin=stdin).best


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
