"""The dashboard over 50,000 notes: processor time of its pages, and the memory of the process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import corpus

COUNT = 50_000
ROUNDS = 15
PAGES = {
    "notes, first page": "/notes",
    "pulse": "/",
    "notes, page 500": "/notes?offset=25000",
    "notes, by title": "/notes?sort=title",
    "notes, one project": "/notes?project=github.com/team/project-3",
    "search, rare words": "/notes?q=bradego+fligri+hupa",
    "search, question": "/notes?q={question}",
    "note": "/notes/{note}",
    "timeline": "/timeline",
    "map": "/map",
}


def measure(root: Path) -> None:
    """Runs in a process of its own, so that its memory is the dashboard's."""
    from starlette.testclient import TestClient

    from anamnesis.store import MemoryStore
    from anamnesis.web.app import build
    from anamnesis.web.security import Keys

    keys = Keys()
    with MemoryStore(root) as store:
        app = build(store, keys=keys, hosts=frozenset({"127.0.0.1:1"}), cookie="c")
        client = TestClient(app, base_url="http://127.0.0.1:1", follow_redirects=False)
        client.get("/open", params={"token": keys.mint()})
        start = time.process_time()
        app.state.dashboard.warm()
        print(f"{'at the start':<22} once  {(time.process_time() - start) * 1000:7.1f} ms")
        question = corpus.questions(1)[0].replace(" ", "+")
        note = store.headers(limit=1)[0].id
        for name, path in PAGES.items():
            address = path.format(question=question, note=note)
            times = [_milliseconds(client, address) for _ in range(ROUNDS)]
            print(
                f"{name:<22} first {times[0]:7.1f} ms   then {statistics.median(times[1:]):6.1f} ms"
            )
        store.write(type="semantic", title="one more", body="words")
        after = _milliseconds(client, "/notes")
        print(f"{'notes, after a write':<22} once  {after:7.1f} ms")
    print(f"{'memory':<22} {_resident_mb():.0f} MB")


def _milliseconds(client: object, address: str) -> float:
    start = time.process_time()
    answer = client.get(address)  # type: ignore[attr-defined]
    assert answer.status_code == 200, answer.text
    return (time.process_time() - start) * 1000


def _resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as directory:
        root = Path(directory)
        corpus.write_files(root, COUNT)
        environment = {**os.environ, "ANAMNESIS_HOME": directory}
        open_once = f"from anamnesis.store import MemoryStore; MemoryStore({directory!r}).close()"
        subprocess.run([sys.executable, "-c", open_once], check=True, env=environment)
        subprocess.run(
            [sys.executable, "-m", "benchmarks.dashboard", directory], check=True, env=environment
        )


if __name__ == "__main__":
    main()
