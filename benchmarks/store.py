"""The store at 1k, 10k and 50k notes: open, select, search, write, reindex, refresh, memory."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

from anamnesis.store import MemoryStore
from benchmarks import corpus
from benchmarks.measure import (
    Row,
    ask_peer,
    bare_python,
    cpu_of,
    cpu_of_each,
    cpu_of_process,
    milliseconds,
    peak_megabytes,
    print_table,
    times,
)

SIZES = (1_000, 10_000, 50_000)
SELECTION = """
import sys
from anamnesis.store import MemoryStore
store = MemoryStore(sys.argv[1])
for project in ("global", sys.argv[2]):
    store.headers(project=project, limit=8)
store.list(project=sys.argv[2], limit=8)
"""
Figures = dict[str, float]


def bare_insert(root: Path) -> float:
    """The text of all notes into an FTS5 table, read from memory: nothing can be faster."""
    rows = [(n.title, n.body, " ".join(n.tags)) for n in corpus.notes(_count(root))]
    with tempfile.TemporaryDirectory() as directory:
        db = sqlite3.connect(Path(directory) / "bare.db")
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.execute(
            "CREATE VIRTUAL TABLE t USING fts5(title, body, tags, tokenize='porter unicode61')"
        )
        seconds = cpu_of(lambda: db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows), repeats=1)
        db.close()
    return seconds


def bare_scan(root: Path) -> None:
    """Every file of the trees found and asked for its state."""
    for name in ("memory", "local"):
        for directory, _, _ in os.walk(root / name):
            with os.scandir(directory) as entries:
                for entry in entries:
                    entry.stat(follow_symlinks=False)


def _count(root: Path) -> int:
    return sum(1 for _ in (root / "memory").rglob("*.md"))


def measure(root: Path, questions: list[str]) -> Figures:
    """All figures of one store."""
    figures: Figures = {}
    with MemoryStore(root) as store:
        figures["reindex"] = cpu_of(store.reindex, repeats=1)
        figures["bare_insert"] = bare_insert(root)
        figures["refresh"] = cpu_of(store.refresh)
        figures["bare_scan"] = cpu_of(lambda: bare_scan(root))
        figures["open"] = cpu_of(lambda: MemoryStore(root).close(), repeats=20)
        store.search("warm up")
        searches = [lambda q=q: store.search(q) for q in questions]
        figures["search_p50"], figures["search_p95"] = cpu_of_each(searches)
        writes = [
            lambda: store.write(type="semantic", title="a new note", body="some words " * 100)
        ] * 60
        figures["write_p50"], figures["write_p95"] = cpu_of_each(writes)
    selection = [sys.executable, "-c", SELECTION, str(root), corpus.PROJECTS[3]]
    figures["selection"] = cpu_of_process(selection)
    code = "import sys; from anamnesis.store import MemoryStore; MemoryStore(sys.argv[1])"
    figures["memory_open"] = peak_megabytes(code, str(root))
    figures["memory_reindex"] = peak_megabytes(f"{code}.reindex()", str(root))
    return figures


def measure_peer(root: Path, questions: list[str], *, reindex: bool) -> Figures:
    """The published package on a copy of the same files."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "store"
        shutil.copytree(root / "memory", copy / "memory")
        asked = Path(directory) / "questions.json"
        asked.write_text(json.dumps(questions[:20]))
        return ask_peer("peer_store.py", str(copy), str(asked), *(["reindex"] if reindex else []))


def rows_for(size: int, ours: Figures, peer: Figures, python: float, first: Figures) -> list[Row]:
    """The lines of one size."""

    def theirs(key: str) -> str:
        return milliseconds(peer[key]) if key in peer else ""

    def line(what: str, key: str, base: str, budget: str = "") -> Row:
        ratio = times(ours[key], ours[base])
        return Row(
            what, milliseconds(ours[key]), milliseconds(ours[base]), ratio, budget, theirs(key)
        )

    growth = times(ours["write_p50"], first["write_p50"])
    faster = f"1/{peer['search_p50'] / ours['search_p50']:.0f} of peer" if peer else ""
    return [
        Row(f"{size:,} notes", ""),
        Row("open", milliseconds(ours["open"])),
        Row(
            "select like inject, cold process", milliseconds(ours["selection"]),
            milliseconds(python), times(ours["selection"], python), "4x `python -c pass`",
        ),
        Row("search p50", milliseconds(ours["search_p50"]), "", faster, "1/20 at 50k",
            theirs("search_p50")),
        Row("search p95", milliseconds(ours["search_p95"]), "",
            times(ours["search_p95"], ours["search_p50"]) + " p50", "3x p50", theirs("search_p95")),
        Row("write p50", milliseconds(ours["write_p50"]), milliseconds(first["write_p50"]), growth,
            "1.3x of 1k notes", theirs("write_p50")),
        Row("write p95", milliseconds(ours["write_p95"])),
        line("full reindex", "reindex", "bare_insert", "2x bare FTS5 insert"),
        line("refresh, nothing changed", "refresh", "bare_scan", "2x bare scandir+stat"),
        Row("peak memory, open / reindex",
            f"{ours['memory_open']:.0f} / {ours['memory_reindex']:.0f} MB"),
    ]  # fmt: skip


def run(sizes: tuple[int, ...] = SIZES) -> None:
    """Measure and print."""
    python = bare_python()
    questions = corpus.questions(60)
    rows: list[Row] = []
    first: Figures = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            corpus.write_files(root, size)
            ours = measure(root, questions)
            peer = measure_peer(root, questions, reindex=size <= 1_000)
            first = first or ours
            rows += rows_for(size, ours, peer, python, first)
    print_table("Store (CPU time)", rows)
    imports = cpu_of_process([sys.executable, "-c", "import anamnesis.store"])
    print_table(
        "Imports of the hook path",
        [Row("import anamnesis.store", milliseconds(imports), milliseconds(python),
             times(imports, python))],
    )  # fmt: skip
