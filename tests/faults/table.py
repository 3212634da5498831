"""Prints the table of docs/reliability.md: every command that writes, with every fault.

`python -m faults.table` tries every call, which takes hours; `--soak` tries what `make soak` does,
`--files` the first call on each file that a command changes, and `--most N` only N of these for
each command and fault, evenly spread. Commands and `--kind` name what is tried instead of all.
A hole is printed when it is found. `--resume FILE` writes each try to a file and leaves out those
that are in it already; begin a new one when the program has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from faults.every_call import SCENARIOS, Trial
from support.injector import KINDS, Injector

EACH = ("kill", "full-for-good")  # `make soak` tries these at every call
EVERY = 5  # and the others at one in so many
MEMORY = "/dev/shm"  # where nothing waits for a disk


class Journal:
    """What came of each try so far, one line each if there is a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._made: dict[tuple[str, str], dict[int | str, str]] = defaultdict(dict)
        if path and path.exists():
            for line in path.read_text("utf-8").splitlines():
                command, kind, at, hole = json.loads(line)
                self._made[command, kind][at] = hole

    def add(self, command: str, kind: str, at: int | str, hole: str) -> None:
        self._made[command, kind][at] = hole
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([command, kind, at, hole]) + "\n")

    def made(self, command: str, kind: str) -> dict[int | str, str]:
        """The holes at the calls of a command that were tried, empty where it stood the fault."""
        return self._made[command, kind]


def spread(points: Sequence[int | str], most: int) -> list[int | str]:
    """At most so many of the points, from the first to the last."""
    if not most or len(points) <= most:
        return [*points]
    return [points[at * (len(points) - 1) // max(1, most - 1)] for at in range(most)]


def chosen(trial: Trial, args: argparse.Namespace, command: str, kind: str) -> list[int | str]:
    """Where a command is tried with a fault."""
    if kind not in trial.kinds:
        return []
    points: Sequence[int | str] = trial.places(kind) if args.files else trial.points(kind)
    if args.soak:
        points = points[:: SCENARIOS[command].step * (1 if kind in EACH else EVERY)]
    return spread(points, args.most)


def tried(trial: Trial, args: argparse.Namespace, command: str, kind: str) -> str:
    """The cell of one fault: how many of so many tries failed."""
    journal = Journal(args.resume)
    made, points = journal.made(command, kind), chosen(trial, args, command, kind)
    for at in (at for at in points if at not in made):
        hole = next(iter(trial.holes(kind, [at])), None)
        if hole:
            print(hole, file=sys.stderr, flush=True)
        journal.add(command, kind, at, str(hole or ""))
    return f"{sum(bool(made[at]) for at in points)} of {len(points)}" if points else "-"


def row(args: argparse.Namespace, command: str) -> tuple[str, int, list[str]]:
    """The row of one command: its name, how many calls it makes, its cells."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-faults-") as folder:
        trial = Trial(SCENARIOS[command], Path(folder), Injector(Path(folder)))
        cells = [tried(trial, args, command, kind) for kind in args.kind or KINDS]
        return command, len(trial.points("kill")), cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", action="store_true", help="the calls that `make soak` tries")
    parser.add_argument("--files", action="store_true", help="only the first call on each file")
    parser.add_argument("--most", type=int, default=0, help="calls of each command and fault")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this fault")
    parser.add_argument("--resume", type=Path, help="where tries are kept, to go on with them")
    parser.add_argument("--jobs", type=int, default=1, help="how many commands at once")
    parser.add_argument("command", nargs="*", help="only these commands, as the table names them")
    args = parser.parse_args()
    if os.path.isdir(MEMORY):
        os.environ.setdefault("TMPDIR", MEMORY)
    kinds = args.kind or KINDS
    print("| command | calls |", " | ".join(kinds), "|")
    print("|---|---|" + "---|" * len(kinds), flush=True)
    sound = True
    with get_context("spawn").Pool(args.jobs) as pool:
        for command, calls, cells in pool.imap(partial(row, args), args.command or SCENARIOS):
            sound = sound and all(cell.startswith(("0 ", "-")) for cell in cells)
            print(f"| {command} | {calls} |", " | ".join(cells), "|", flush=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
