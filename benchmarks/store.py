"""The store at 1k, 10k and 50k notes: open, select, search, write, reindex, refresh, memory."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from functools import partial
from pathlib import Path

from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import (
    COMMAND,
    Sample,
    Table,
    ask_peer,
    bare_python,
    peak_megabytes,
    sample,
    sample_beside_python,
    sample_each,
    sample_making,
    sample_process,
)

SELECTION = """
import sys
from anamnesis.store import MemoryStore
store = MemoryStore(sys.argv[1])
for project in ("global", sys.argv[2]):
    store.headers(project=project, limit=8)
store.list(project=sys.argv[2], limit=8)
"""
OPEN = "import sys; from anamnesis.store import MemoryStore; MemoryStore(sys.argv[1])"
SEARCH_BUDGETS = {1_000: 1 / 3, 50_000: 1 / 20}  # of the published package, which is the spec's way
STATUS_BUDGET = {10_000: 14, 50_000: 14, 200_000: 20}


def bare_insert(size: int, *, repeats: int) -> Sample:
    """The text of all notes into an FTS5 table, read from memory: nothing can be faster."""
    rows = [(n.title, n.body, " ".join(n.tags)) for n in corpus.notes(size)]
    return sample_each([partial(_insert, rows)] * repeats)


def _insert(rows: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        db = sqlite3.connect(Path(directory) / "bare.db")
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.execute(
            "CREATE VIRTUAL TABLE t USING fts5(title, body, tags, tokenize='porter unicode61')"
        )
        db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        db.close()


def bare_scan(root: Path) -> None:
    """Every file of the trees found and asked for its state."""
    for name in ("memory", "local"):
        for directory, _, _ in os.walk(root / name):
            with os.scandir(directory) as entries:
                for entry in entries:
                    entry.stat(follow_symlinks=False)


def hard_questions() -> dict[str, list[str]]:
    """Words that no note has, words of two letters, and words with a typing error."""
    chance = random.Random(7)
    known = corpus.vocabulary()[60:6000]
    mistyped = []
    for word in chance.sample([word for word in known if len(word) > 5], k=20):
        at = chance.randrange(1, len(word) - 2)
        mistyped.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    unknown = ["".join(chance.choices("bdfghjklmnprstvw", k=9)) for _ in range(20)]
    short = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=2)) for _ in range(20)]
    return {"unknown": unknown, "two-letter": short, "mistyped": mistyped}


def measure_peer(root: Path, questions: list[str], *, reindex: bool) -> dict[str, float]:
    """The published package on a copy of the same files."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "store"
        shutil.copytree(root / "memory", copy / "memory")
        asked = Path(directory) / "questions.json"
        asked.write_text(json.dumps(questions[:20]))
        return ask_peer("peer_store.py", str(copy), str(asked), *(["reindex"] if reindex else []))


def run(sizes: tuple[int, ...] = corpus.SIZES) -> None:
    """Measure and print."""
    table = Table("Store (CPU time)")
    python = bare_python()
    first: dict[str, Sample] = {}
    for size in sizes:
        table.note(f"{size:,} notes", "")
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            corpus.write_files(root, size)
            _rows(table, root, size, python=python, first=first)


def _rows(table: Table, root: Path, size: int, *, python: Sample, first: dict[str, Sample]) -> None:
    peer: dict[str, float] = {}
    first_index, store = sample_making(lambda: MemoryStore(root))
    table.row("first index", first_index)
    with store:
        times = 3 if size <= 10_000 else 1
        bare, reindex = bare_insert(size, repeats=times), sample(store.reindex, repeats=times)
        most = 2 if size >= 10_000 else None
        table.row("full reindex", reindex, baseline=bare, most=most, of="bare FTS5 insert")
        understood = sample(store.understand, repeats=1)
        table.per_note("  what they mean, in the background", understood.per(size))
        _writes(table, store, first)
        if size <= 50_000:
            peer = measure_peer(root, corpus.questions(20), reindex=size <= 1_000)
        _searches(table, store, size, peer)
        refresh, scan = sample(store.refresh), sample(lambda: bare_scan(root))
        table.row("refresh, nothing changed", refresh, baseline=scan, most=2, of="scandir+stat")
        table.row("open", sample(lambda: MemoryStore(root).close(), repeats=20))
    selection = [sys.executable, "-c", SELECTION, str(root), corpus.PROJECTS[3]]
    table.row("select like inject, cold process", sample_process(selection), baseline=python)
    told = {"ANAMNESIS_HOME": str(root), "HOME": str(root)}
    # In the largest stores the first one starts a comparison with the files, for the next hour.
    sample_process([COMMAND, "status"], environment=told, repeats=1)
    status, alone = sample_beside_python([COMMAND, "status"], environment=told, repeats=7)
    most = STATUS_BUDGET.get(size)
    table.row("`status`, the command", status, baseline=alone, most=most, of="`python -c pass`")
    table.figure("peak memory: open", peak_megabytes(OPEN, str(root)), "MB")
    table.figure("peak memory: reindex", peak_megabytes(f"{OPEN}.reindex()", str(root)), "MB")
    _index_size(table, root, size)


def _writes(table: Table, store: MemoryStore, first: dict[str, Sample]) -> None:
    """The writes that follow a rebuild: the worst of them pays for what a rebuild left behind."""
    text = "some words " * 100
    works = [lambda: store.write(type="semantic", title="a new note", body=text)] * 60
    writes = sample_each(works)
    base = first.setdefault("write", writes)
    table.row("write p50", writes, baseline=base, most=1.2, of="of 1k notes", by="median")
    table.row("write, the slowest after a rebuild", writes, baseline=writes.median, most=10,
              of="p50", by="most")  # fmt: skip


def _searches(table: Table, store: MemoryStore, size: int, peer: dict[str, float]) -> None:
    store.search("warm up")
    searches = sample_each([partial(store.search, asked) for asked in corpus.questions(60)])
    table.row("search p50", searches, baseline=peer.get("search_p50"), by="median",
              most=SEARCH_BUDGETS.get(size) if peer else None, of="0.1.3",
              peer=peer.get("search_p50"))  # fmt: skip
    table.row("search p95", searches, baseline=searches.median, most=3, of="p50", by="p95",
              peer=peer.get("search_p95"))  # fmt: skip
    for kind, words in hard_questions().items():
        taken = sample_each([partial(store.search, asked) for asked in words])
        table.row(f"search, {kind} words", taken, baseline=searches.median, most=3, of="p50",
                  by="p95")  # fmt: skip


def _index_size(table: Table, root: Path, size: int) -> None:
    table.figure("index.db per note", (root / "index.db").stat().st_size / size / 1024, "KB")
