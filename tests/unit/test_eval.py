"""The measures of recall."""

from __future__ import annotations

import pytest

from anamnesis.eval import Case, build_eval_candidates, recall_at_k, report
from anamnesis.store import MemoryStore


def test_recall_is_the_share_of_relevant_notes_and_mrr_the_place_of_the_first() -> None:
    found = report([(["a", "b", "c"], ["b", "c"]), (["x"], ["y"])], ks=(1, 2, 3))

    assert found.cases == 2
    assert found.recall == {1: 0.0, 2: 0.25, 3: 0.5}
    assert found.mrr == pytest.approx(0.25)
    assert str(found) == "2 questions  R@1 0.000  R@2 0.250  R@3 0.500  MRR 0.250"


def test_no_questions_give_an_empty_report() -> None:
    assert report([]).cases == 0


def test_a_store_is_asked_within_the_project_of_a_case(store: MemoryStore) -> None:
    note = store.write(type="semantic", title="findme", body="", project="p")
    store.write(type="semantic", title="findme", body="", project="q")

    found = recall_at_k(store, [Case("findme", [note.id], project="p")], ks=(1,))

    assert found.recall == {1: 1.0}


def test_drafted_questions_can_be_asked_as_they_are(store: MemoryStore) -> None:
    store.write(type="semantic", title="database", body="postgres listens elsewhere", project="p")

    found = recall_at_k(store, build_eval_candidates(store), ks=(1,))

    assert (found.cases, found.recall) == (1, {1: 1.0})
