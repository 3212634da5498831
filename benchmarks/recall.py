"""How often recall finds what was meant, on public questions, and what a search costs.

    python -m benchmarks.recall              both of the following
    python -m benchmarks.recall --quality    what is found, on every set
    python -m benchmarks.recall --cost       the CPU of a search at 1k, 10k and 50k notes

The first run reads every note with the encoder, which takes half an hour; .cache keeps the vectors.

The sets are read from ../shared/data/recall beside the repository or from ANAMNESIS_RECALL_DATA.
Each is {"name", "corpora": {id: [{id, title, body, tags, date}]}, "queries": [{cid, q, gold}]};
they are public, and never part of this repository. Constants were chosen on one half of each set's
questions; both halves are printed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from anamnesis.config import Home
from anamnesis.eval import RecallReport, report
from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.search import encoder
from anamnesis.search.query import _fts_query
from anamnesis.search.vectors import EmbeddedNote, Shelf
from anamnesis.store import MemoryStore
from benchmarks import corpus

CACHE = Path(__file__).parent.parent / ".cache" / "recall"
DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "recall"
KS = (1, 5, 8, 10)
SIZES = (1_000, 10_000, 50_000)
SPECIFICATION = """
SELECT m.id FROM memories_fts f JOIN memories m ON m.id = f.id WHERE memories_fts MATCH ?
AND m.id NOT IN (SELECT supersedes FROM memories WHERE supersedes IS NOT NULL AND supersedes <> '')
ORDER BY bm25(memories_fts), m.updated_at DESC LIMIT ?
"""
Ask = Callable[[MemoryStore, str, int], list[str]]


@dataclass
class Answers:
    """What one method answered to the questions of one set."""

    halves: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))
    seconds: float = 0.0

    def reports(self) -> tuple[RecallReport, RecallReport, RecallReport]:
        return (
            report([*self.halves[0], *self.halves[1]], KS),
            report(self.halves[0], KS),
            report(self.halves[1], KS),
        )


def by_specification(store: MemoryStore, question: str, k: int) -> list[str]:
    match = _fts_query(question)
    return [row[0] for row in store._catalog.rows(SPECIFICATION, (match, k))] if match else []


def by_counting_words(store: MemoryStore, question: str, k: int) -> list[str]:
    """What grep would do: the notes with the most words of the question."""
    words = set(re.findall(r"\w+", question.lower()))
    counted = [(-len(words & known), id) for id, known in words_of_all_notes(store)]
    return [id for count, id in sorted(counted)[:k] if count]


@lru_cache(maxsize=1)
def words_of_all_notes(store: MemoryStore) -> list[tuple[str, set[str]]]:
    rows = store._catalog.rows("SELECT id, title, body, tags FROM memories_fts")
    return [(id, set(re.findall(r"\w+", " ".join(text).lower()))) for id, *text in rows]


def by_words(store: MemoryStore, question: str, k: int) -> list[str]:
    return [hit.note.id for hit in store.recall(question, k=k, by_meaning=False)]


def by_default(store: MemoryStore, question: str, k: int) -> list[str]:
    return [note.id for note in store.search(question, k=k)]


def with_semantic(store: MemoryStore, question: str, k: int) -> list[str]:
    os.environ["ANAMNESIS_SEMANTIC"] = "1"
    try:
        return by_default(store, question, k)
    finally:
        del os.environ["ANAMNESIS_SEMANTIC"]


METHODS: dict[str, Ask] = {
    "specification": by_specification,
    "word count": by_counting_words,
    "ours, words only": by_words,
    "ours": by_default,
    "ours, semantic": with_semantic,
}


def sets() -> Iterator[dict[str, Any]]:
    folder = Path(os.environ.get("ANAMNESIS_RECALL_DATA") or DATA)
    paths = sorted(folder.glob("*.json.gz"))
    if not paths:
        sys.exit(
            f"No *.json.gz in {folder}.\n"
            "Put the recall sets there, or name their folder in ANAMNESIS_RECALL_DATA."
        )
    for path in paths:
        yield json.loads(gzip.decompress(path.read_bytes()))


def filled(root: Path, documents: list[dict[str, Any]]) -> tuple[MemoryStore, dict[str, str]]:
    """A store with one note for each document, and which note stands for which."""
    names = {}
    folder = root / "memory" / "semantic"
    folder.mkdir(parents=True)
    for number, document in enumerate(documents):
        date = document.get("date") or "2026-01-01T00:00:00"
        note = Memory(
            id=f"n{number:08}",
            type="semantic",
            title=document["title"],
            body=document["body"],
            tags=document["tags"],
            created_at=date,
            updated_at=date,
        )
        names[note.id] = document["id"]
        (folder / f"{note.id}.md").write_text(serialize(note), newline="")
    return MemoryStore(root), names


def encode(store: MemoryStore) -> None:
    """Give the notes of a store their vectors; no text is ever encoded twice, in no run."""
    CACHE.mkdir(parents=True, exist_ok=True)
    model = encoder.load()
    from anamnesis.search.matrix import stored  # loads numpy, which the encoder sets up

    with Shelf(Home(CACHE), model.model) as known, Shelf(store.home, model.model) as shelf:
        for note in store.list():
            text = f"{note.title}\n{note.body}".strip()
            content = known.vectors_of(text)
            if content is None:
                content = stored(model.passages(text))
                known.keep([], {text: content})
            shelf.keep([EmbeddedNote(note.id, "", text)], {text: content})


def half(question: dict[str, Any]) -> int:
    """Which half of its set a question is in: 0 for tuning, 1 for checking."""
    return hashlib.sha256((question["q"] + question["cid"]).encode()).digest()[0] & 1


def answers(recall_set: dict[str, Any]) -> dict[str, Answers]:
    found = {name: Answers() for name in METHODS}
    questions: dict[str, list[dict[str, Any]]] = {}
    for question in recall_set["queries"]:
        questions.setdefault(question["cid"], []).append(question)
    for cid, asked in questions.items():
        with tempfile.TemporaryDirectory() as directory:
            store, names = filled(Path(directory), recall_set["corpora"][cid])
            with store:
                encode(store)
                for question in asked:
                    for name, ask in METHODS.items():
                        begin = time.process_time()
                        ids = ask(store, question["q"], max(KS))
                        found[name].seconds += time.process_time() - begin
                        hits = [names[id] for id in ids]
                        found[name].halves[half(question)].append((hits, question["gold"]))
    return found


def quality() -> None:
    means: dict[str, list[tuple[RecallReport, RecallReport, RecallReport]]] = {}
    heads = [*(f"R@{k}" for k in KS), "MRR"]
    print(
        f"{'':34}{''.join(f'{head:>7}' for head in heads)}"
        "  tuning R@5/MRR   check R@5/MRR        CPU"
    )
    for recall_set in sets():
        print(f"{recall_set['name']}, {len(recall_set['queries'])} questions")
        for name, found in answers(recall_set).items():
            reports = found.reports()
            means.setdefault(name, []).append(reports)
            cpu = found.seconds / reports[0].cases * 1000
            print(f"  {name:32}{line(*reports)} {cpu:7.1f} ms", flush=True)
    print("mean of the sets")
    for name, rows in means.items():
        print(f"  {name:32}{line(*(mean(column) for column in zip(*rows, strict=True)))}")


def line(whole: RecallReport, tuning: RecallReport, check: RecallReport) -> str:
    figures = "".join(f"{value:7.3f}" for value in (*whole.recall.values(), whole.mrr))
    halves = "".join(f"     {half.recall[5]:.3f}/{half.mrr:.3f}" for half in (tuning, check))
    return figures + halves


def mean(reports: tuple[RecallReport, ...]) -> RecallReport:
    recall = {k: statistics.mean(one.recall[k] for one in reports) for k in KS}
    return RecallReport(len(reports), recall, statistics.mean(one.mrr for one in reports))


def cost() -> None:
    """CPU of natural-language questions, beside the specification's method in the same run."""
    print("\nCPU of a question of 8 to 15 words, p50 / p95")
    questions = corpus.questions(120)
    for size in SIZES:
        with tempfile.TemporaryDirectory() as directory:
            corpus.write_files(Path(directory), size)
            with MemoryStore(directory) as store:
                for name in ("specification", "ours, words only", "ours"):
                    ask = METHODS[name]
                    some = questions[:20] if name == "specification" else questions
                    ask(store, some[0], 8)
                    seconds = sorted(timed(ask, store, question) for question in some)
                    p50, p95 = statistics.median(seconds), seconds[int(len(seconds) * 0.95)]
                    print(
                        f"  {size:6} notes  {name:18}{p50 * 1000:8.2f} / {p95 * 1000:.2f} ms",
                        flush=True,
                    )


def timed(ask: Ask, store: MemoryStore, question: str) -> float:
    begin = time.process_time()
    ask(store, question, 8)
    return time.process_time() - begin


if __name__ == "__main__":
    if "--cost" not in sys.argv:
        quality()
    if "--quality" not in sys.argv:
        cost()
