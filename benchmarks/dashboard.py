"""The dashboard over 50,000 notes: processor time of its pages and of git, and its memory."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from anamnesis.ground.records import replace
from anamnesis.history.commit import record_locally
from anamnesis.store import MemoryStore
from anamnesis.web import health
from benchmarks import corpus
from benchmarks.measure import Row, milliseconds, print_table

COUNT = 50_000
WAITING = 50  # notes for review
CHANGES = 100  # recorded one by one
ROUNDS = 15
BUDGET = "120 ms"
# Each of these is the first page that a fresh server is asked for, before it has counted anything.
COLD = {"pulse": "/", "notes": "/notes"}
PAGES = {
    "notes, first page": "/notes",
    "pulse": "/",
    "notes, page 500": "/notes?offset=25000",
    "notes, by title": "/notes?sort=title",
    "notes, by title, page 800": "/notes?sort=title&offset=40000",
    "notes, one machine, page 300": "/notes?machine=machine-1&offset=15000",
    "notes, one machine, by title": "/notes?machine=machine-1&sort=title&offset=15000",
    "notes, one project": "/notes?project=github.com/team/project-3",
    "notes, without a type": "/notes?not-type=episodic",
    "notes, one tag": "/notes?tag={tag}",
    "notes, since a date": "/notes?since=2026-01-01",
    "search, rare words": "/notes?q=bradego+fligri+hupa",
    "search, question": "/notes?q={question}",
    "palette": "/api/palette?q={question}",
    "note": "/notes/{note}",
    "review": "/review",
    "injection": "/injection?project=github.com/team/project-3",
    "timeline": "/timeline",
    "sessions": "/sessions",
    "conflicts": "/conflicts",
    "fleet": "/fleet",
    "settings": "/settings",
    "history, deletions": "/history?what=deleted",
}


def run() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-bench-") as directory:
        corpus.write_files(Path(directory), COUNT)
        with MemoryStore(directory) as store:
            for note in store.list(limit=WAITING):
                store.write(type="semantic", title=note.title, body=note.body, tags=["pending"])
        rows = [
            Row(f"{name}, cold", milliseconds(_child(directory, path)["first"]), budget=BUDGET)
            for name, path in COLD.items()
        ]
        past = _child(directory, "history")  # which records the notes: pages are measured with git
        warm = _child(directory)
    for name, times in warm["pages"].items():
        first, median, after = map(milliseconds, times)
        rows.append(Row(name, f"{median} (first {first}, after a write {after})", budget=BUDGET))
    rows += [
        Row(f"{name}, with git", milliseconds(seconds), budget=BUDGET)
        for name, seconds in past.items()
    ]
    rows.append(Row("doctor, every check", milliseconds(warm["doctor"]), budget=BUDGET))
    rows.append(Row("comparing every file, beside the pages", milliseconds(warm["looked"])))
    rows.append(Row("peak memory", f"{warm['megabytes']:.0f} MB", budget="120 MB"))
    print_table(f"dashboard, {COUNT:,} notes: CPU of the server", rows)


def history(root: str) -> dict[str, float]:
    """What the pages of the history cost once some changes are recorded."""
    with MemoryStore(root) as store:
        record_locally(store, machine_id="bench")
        often, once = store.headers(limit=2, offset=COUNT // 2)
        for number in range(CHANGES):
            other = store.headers(limit=1, offset=number * 7)[0]
            found = store.read(often.id if number % 10 == 0 else other.id)
            assert found is not None
            text = f"{found.note.body}\nchange {number}"
            store.update(replace(found.note, body=text), expected_hash=found.hash)
            record_locally(store, machine_id="bench")
        git = ["git", "-C", str(store.memory_dir), "commit-graph", "write", "--reachable"]
        subprocess.run([*git, "--changed-paths"], check=True, capture_output=True)
        client = _client(store)
        client.app.state.dashboard.warm()
        pages = {
            "history": "/history",
            "deleted notes": "/history?deleted=1",
            f"note with {CHANGES // 10 + 1} versions": f"/notes/{often.id}/history",
            "note with one version": f"/notes/{once.id}/history",
        }
        return {name: _seconds_with_git(client, path) for name, path in pages.items()}


def _seconds_with_git(client: Any, address: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = _seconds(client, address)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _child(root: str, *cold: str) -> dict[str, Any]:
    """Measure in a process of its own, so that its memory is the dashboard's."""
    argv = [sys.executable, "-m", "benchmarks.dashboard", root, *cold]
    environment = {**os.environ, "ANAMNESIS_HOME": root}
    printed = subprocess.run(argv, check=True, env=environment, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(printed.stdout)
    return figures


def measured(root: str, *cold: str) -> dict[str, Any]:
    """The figures: of the pages that are named, or of all of them once everything is counted."""
    with MemoryStore(root) as store:
        client = _client(store)
        if cold:
            return {"first": _seconds(client, cold[0])}
        client.app.state.dashboard.warm()
        question = corpus.questions(1)[0].replace(" ", "+")
        latest = store.headers(limit=1)[0]
        tag = next(tag for note in store.list(limit=9) for tag in note.tags)
        names = {"question": question, "note": latest.id, "tag": tag}
        pages = {name: _paged(client, path.format(**names)) for name, path in PAGES.items()}
        after = {}
        for name, path in PAGES.items():
            store.write(type="semantic", title="one more", body="words")
            after[name] = _seconds(client, path.format(**names))
        looked = _look_at_every_file(client)
        start = time.process_time()
        health.all_checks(client.app.state.dashboard)
        doctor = time.process_time() - start
    timed = {name: (*times, after[name]) for name, times in pages.items()}
    memory = _peak_megabytes()
    return {"pages": timed, "doctor": doctor, "looked": looked, "megabytes": memory}


def _look_at_every_file(client: Any) -> float:
    """What an open page has the server do from time to time: so it was done before doctor runs."""
    start = time.process_time()
    client.app.state.dashboard.refresh_fully()
    return time.process_time() - start


def _client(store: MemoryStore) -> Any:
    from starlette.testclient import TestClient

    from anamnesis.web.app import build
    from anamnesis.web.security import Keys

    keys = Keys()
    app = build(store, keys=keys, hosts=frozenset({"127.0.0.1:1"}), cookie="c")
    client = TestClient(app, base_url="http://127.0.0.1:1", follow_redirects=False)
    client.get("/open", params={"token": keys.mint()})
    app.state.dashboard.prepare()
    return client


def _paged(client: Any, address: str) -> tuple[float, float]:
    """The first time and the median, git included."""
    times = [_seconds_with_git(client, address) for _ in range(ROUNDS)]
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
    match sys.argv[1:]:
        case []:
            run()
        case [root, "history"]:
            print(json.dumps(history(root)))
        case [root, *cold]:
            print(json.dumps(measured(root, *cold)))
