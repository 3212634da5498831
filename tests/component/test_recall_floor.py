"""Recall on a small invented set of developer notes does not fall below what it once was.

Real figures come from `make bench-recall`; this only notices when something breaks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.eval import Case, recall_at_k
from anamnesis.notes.fields import Memory
from anamnesis.operations.machine import embed
from anamnesis.search.query import _fts_query
from anamnesis.store import MemoryStore

SET = json.loads(
    (Path(__file__).parent.parent / "data" / "developer_notes.json").read_text("utf-8")
)
CASES = [Case(asked["q"], asked["relevant"]) for asked in SET["questions"]]


@pytest.fixture
def filled(store: MemoryStore) -> MemoryStore:
    for fields in SET["notes"]:
        day = "2026-01-01T00:00:00+00:00"
        store.put(Memory(type="procedural", created_at=day, updated_at=day, **fields))
    return store


def test_questions_in_other_words_find_their_note(filled: MemoryStore) -> None:
    report = recall_at_k(filled, CASES)

    assert report.cases == len(CASES)
    assert report.recall[1] >= 0.85
    assert report.recall[5] >= 0.95
    assert report.mrr >= 0.9


def test_words_alone_find_most(filled: MemoryStore) -> None:
    found = [
        case.relevant[0]
        in {hit.note.id for hit in filled.recall(case.query, k=5, by_meaning=False)}
        for case in CASES
    ]

    assert sum(found) / len(found) >= 0.9


def test_the_encoder_finds_more(filled: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    without = recall_at_k(filled, CASES)
    monkeypatch.setenv("ANAMNESIS_SEMANTIC", "1")
    embed.embed(filled)
    report = recall_at_k(filled, CASES)

    assert report.recall[1] > without.recall[1]
    assert report.recall[1] >= 0.95


def test_the_method_of_the_specification_finds_less(filled: MemoryStore) -> None:
    """Else the ranking would not be worth its code."""
    sql = (
        "SELECT id FROM memories_fts WHERE memories_fts MATCH ? ORDER BY bm25(memories_fts) LIMIT 1"
    )
    plain = sum(
        [row[0] for row in filled._catalog.rows(sql, (_fts_query(case.query),))]
        == list(case.relevant)
        for case in CASES
    )

    assert recall_at_k(filled, CASES).recall[1] > plain / len(CASES)
