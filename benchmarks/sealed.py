"""What a sealed remote costs beside a plain one: CPU of a sync, and growth of the remote.

python -m benchmarks.sealed [NOTES]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anamnesis.sync.repository import UPSTREAM
from anamnesis.sync.sealed import transport
from support.fleet import Fleet, Machine, SealedFleet, sealed

_ROUNDS = 10
_LONG = 260  # syncs of one note


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU that some work takes, git included."""
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def fill(machine: Machine, notes: int) -> None:
    """Notes of about a kilobyte, whose words do not compress away."""
    for number in range(notes):
        machine.write(f"note-{number:06}", os.urandom(400).hex())


def one_note(machine: Machine, name: str) -> float:
    """CPU of a sync with one new note."""
    machine.write(name, os.urandom(400).hex())
    return cpu(machine.sync)


def size(repository: Path) -> int:
    """Bytes of a bare repository."""
    return sum(path.stat().st_size for path in repository.rglob("*") if path.is_file())


def main(notes: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "plain").mkdir()
        (base / "sealed").mkdir()
        plain = Fleet(base / "plain").machine("one")
        fill(plain, notes)
        first_plain = cpu(plain.sync)
        fleet = SealedFleet.__new__(SealedFleet)
        Fleet.__init__(fleet, base / "sealed")
        mine = fleet.plain_machine("one")
        fill(mine, notes)
        mine.sync()
        first_sealed = cpu(lambda: fleet.seal(mine))
        print(f"{notes} notes")
        print(f"first push: plain {first_plain:.2f} s, seal {first_sealed:.2f} s CPU, ", end="")
        print(f"{first_sealed / first_plain:.2f}x (budget 3x)")
        pairs = [
            (one_note(plain, f"more-{n}"), one_note(mine, f"more-{n}")) for n in range(_ROUNDS)
        ]
        medians = [sorted(each)[_ROUNDS // 2] for each in zip(*pairs, strict=True)]
        print(f"one new note: plain {medians[0]:.3f} s, sealed {medians[1]:.3f} s CPU, ", end="")
        print(f"{medians[1] / medians[0]:.2f}x (budget 1.5x)")
        nothing = [sorted(cpu(m.sync) for _ in range(5))[2] for m in (plain, mine)]
        print(f"nothing to do: {nothing[1] / nothing[0]:.2f}x")
        before = size(fleet.remote)
        for number in range(_LONG):
            one_note(mine, f"long-{number}")
        each = (size(fleet.remote) - before) / _LONG
        whole = len(_newest_generation(mine)) / transport._MANY_PACKS
        print(f"growth of the remote per one-note sync: {each / 1024:.1f} KB, ", end="")
        print(f"and {whole / 1024:.1f} KB for its share of a new generation (budget 20 KB)")


def _newest_generation(machine: Machine) -> bytes:
    """The whole pack that a new generation begins with."""
    moved = sealed(machine)
    moved.fetch()
    assert moved.last_seen
    assert moved.replace(moved.last_seen).done
    depot = moved.depot
    tip = depot.resolve(UPSTREAM)
    assert tip
    return depot.read([depot.tree(tip)["packs/0/1"]])[0]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
