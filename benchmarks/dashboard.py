"""The dashboard over 50,000 notes: processor time of its pages, and the memory of the process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import Row, milliseconds, print_table

COUNT = 50_000
ROUNDS = 15
BUDGET = "150 ms"
# Each of these is the first page that a fresh server is asked for, before it has counted anything.
COLD = {"pulse": "/", "notes": "/notes", "map": "/map"}
PAGES = {
    "notes, first page": "/notes",
    "pulse": "/",
    "notes, page 500": "/notes?offset=25000",
    "notes, by title": "/notes?sort=title",
    "notes, one project": "/notes?project=github.com/team/project-3",
    "search, rare words": "/notes?q=bradego+fligri+hupa",
    "search, question": "/notes?q={question}",
    "palette": "/api/palette?q={question}",
    "note": "/notes/{note}",
    "review": "/review",
    "injection": "/injection?project=github.com/team/project-3",
    "timeline": "/timeline",
    "map": "/map",
}


def run() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as directory:
        corpus.write_files(Path(directory), COUNT)
        MemoryStore(directory).close()
        rows = [
            Row(f"{name}, cold", milliseconds(_child(directory, path)["first"]), budget=BUDGET)
            for name, path in COLD.items()
        ]
        warm = _child(directory)
    for name, (first, median) in warm["pages"].items():
        shown = f"{milliseconds(median)} (first {milliseconds(first)})"
        rows.append(Row(name, shown, budget=BUDGET))
    rows.append(Row("notes, after a write", milliseconds(warm["after a write"]), budget=BUDGET))
    rows.append(Row("peak memory", f"{warm['megabytes']:.0f} MB", budget="150 MB"))
    print_table(f"dashboard, {COUNT:,} notes: CPU of the server", rows)


def _child(root: str, *cold: str) -> dict[str, Any]:
    """Measure in a process of its own, so that its memory is the dashboard's."""
    argv = [sys.executable, "-m", "benchmarks.dashboard", root, *cold]
    environment = {**os.environ, "ANAMNESIS_HOME": root}
    printed = subprocess.run(argv, check=True, env=environment, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(printed.stdout)
    return figures


def measured(root: str, *cold: str) -> dict[str, Any]:
    """The figures: of the pages that are named, or of all of them once everything is counted."""
    from starlette.testclient import TestClient

    from anamnesis.web.app import build
    from anamnesis.web.security import Keys

    keys = Keys()
    with MemoryStore(root) as store:
        app = build(store, keys=keys, hosts=frozenset({"127.0.0.1:1"}), cookie="c")
        client = TestClient(app, base_url="http://127.0.0.1:1", follow_redirects=False)
        client.get("/open", params={"token": keys.mint()})
        app.state.dashboard.prepare()
        if cold:
            return {"first": _seconds(client, cold[0])}
        app.state.dashboard.warm()
        question = corpus.questions(1)[0].replace(" ", "+")
        names = {"question": question, "note": store.headers(limit=1)[0].id}
        pages = {name: _paged(client, path.format(**names)) for name, path in PAGES.items()}
        store.write(type="semantic", title="one more", body="words")
        after = _seconds(client, "/notes")
    return {"pages": pages, "after a write": after, "megabytes": _peak_megabytes()}


def _paged(client: Any, address: str) -> tuple[float, float]:
    times = [_seconds(client, address) for _ in range(ROUNDS)]
    return times[0], statistics.median(times[1:])


def _seconds(client: Any, address: str) -> float:
    start = time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return time.process_time() - start


def _peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measured(*sys.argv[1:])))
    else:
        run()
