"""Prints the table of docs/reliability.md: every command that writes, with every fault.

`python -m faults.table` tries every call, which takes hours; `--most N` tries N calls of each
command and fault, evenly spread, and `--files` the first call on each file that a command changes.
Commands and `--kind` name what is tried instead of all. A hole is printed when it is found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from faults.every_call import SCENARIOS, Trial
from support.injector import KINDS, Injector


def spread(points: list[int | str], most: int) -> list[int | str]:
    """At most so many of the points, from the first to the last."""
    if not most or len(points) <= most:
        return points
    return [points[at * (len(points) - 1) // max(1, most - 1)] for at in range(most)]


def tried(trial: Trial, args: argparse.Namespace, kind: str) -> str:
    """The cell of one fault: how many of so many tries failed."""
    points: list[int | str] = []
    if kind in trial.kinds:
        points += trial.places(kind) if args.files else trial.points(kind)
    points = spread(points, args.most)
    holes = 0
    for hole in trial.holes(kind, points):
        holes += 1
        print(hole, file=sys.stderr, flush=True)
    return f"{holes} of {len(points)}" if points else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=0, help="calls of each command and fault")
    parser.add_argument("--files", action="store_true", help="only the first call on each file")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this fault")
    parser.add_argument("command", nargs="*", help="only these commands, as the table names them")
    args = parser.parse_args()
    kinds = args.kind or KINDS
    print("| command | calls |", " | ".join(kinds), "|")
    print("|---|---|" + "---|" * len(kinds))
    sound = True
    with tempfile.TemporaryDirectory(prefix="anamnesis-faults-") as folder:
        for name in args.command or SCENARIOS:
            place = Path(folder) / name.replace(" ", "-")
            place.mkdir()
            injector = Injector(place)
            trial = Trial(SCENARIOS[name], place, injector)
            cells = [tried(trial, args, kind) for kind in kinds]
            sound = sound and all(cell.startswith(("0 ", "-")) for cell in cells)
            print(f"| {name} | {len(trial.points('kill'))} |", " | ".join(cells), "|", flush=True)
            injector.close()
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
