"""What hooks and server add to `claude -p`: the real client, offline against a scripted model."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Table, _cpu_of_children

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clients import claude
from clients.desk import Desk
from clients.model import ScriptedModel

_RUNS = 7
_PROMPT = "Say in one line what this project does. [[say It sells things, and its tests pass.]]"


def run() -> None:
    """Print the table; `make e2e` has to have installed the client."""
    table = Table("claude -p with one answer (all that its process waits for)")
    with tempfile.TemporaryDirectory(
        prefix="anamnesis-bench-", ignore_cleanup_errors=True
    ) as directory:
        model = ScriptedModel()
        bare, with_memory = (Desk(Path(directory), model, name=name) for name in ("bare", "memory"))
        with_memory.anamnesis("init", "--yes", "--agents", "claude", "--local-only")
        for number in range(30):
            with_memory.anamnesis(
                "write", f"Fact {number} about the shop and its till.", "--title", f"Fact {number}",
                "--project", "example.org/team/shop", "--anyway",
            )  # fmt: skip
        seconds: dict[str, list[tuple[float, float]]] = {"bare": [], "memory": []}
        for _ in range(_RUNS):  # in turn, so that a busy machine slows both
            for desk in (bare, with_memory):
                seconds[desk.name].append(_measured(desk))
        model.close()
    for index, unit in enumerate(("s of the processor", "s by the clock")):
        alone, more = (
            statistics.median(each[index] for each in seconds[name]) for name in ("bare", "memory")
        )
        table.figure(f"without Anamnesis, median of {_RUNS}", alone, unit)
        table.figure("with its hooks and server", more, unit)
        table.figure("added", more - alone, unit)


def _measured(desk: Desk) -> tuple[float, float]:
    start = time.monotonic()
    cpu = _cpu_of_children(lambda: claude.session(desk, _PROMPT))
    return cpu, time.monotonic() - start


if __name__ == "__main__":
    run()
