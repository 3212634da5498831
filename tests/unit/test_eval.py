"""The measures of recall."""

from __future__ import annotations

import pytest

from anamnesis.eval import Case, build_eval_candidates, recall_at_k, report
from anamnesis.ground.records import replace
from anamnesis.llm.models import connect
from anamnesis.llm.providers import Settings
from anamnesis.store import MemoryStore
from support import model_server as play
from support.reflect import FACT, durable


def model_at(url: str) -> Settings:
    return Settings("local", "m", f"{url}/v1", timeout=5.0)


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


def test_questions_are_drafted_without_a_model(store: MemoryStore) -> None:
    note = durable(store, "Database", body=FACT)

    (case,) = build_eval_candidates(store)

    assert case.relevant == [note.id]
    assert recall_at_k(store, [case]).mrr == 1


def test_questions_are_paraphrased_by_a_model(store: MemoryStore) -> None:
    durable(store, "Database", body=FACT)

    with play.serving(play.says('{"query": "what does CI need to\\n run?"}')) as model:
        (case,) = build_eval_candidates(store, model=connect(model_at(model.url)))

    assert (case.query, case.source) == ("what does CI need to run?", "local/m")


def test_a_model_is_asked_about_no_foreign_note(store: MemoryStore) -> None:
    foreign = durable(store, "Foreign", body="There are three partitions.", tags=["pending"])
    store.put(replace(foreign, origin="import:chatgpt"))
    own = durable(store, "Database", body=FACT)

    with play.serving(play.says('{"query": "what does CI need to run?"}')) as model:
        cases = build_eval_candidates(store, model=connect(model_at(model.url)))

    assert [case.relevant for case in cases] == [[own.id]]
    assert len(model.requests) == 1


@pytest.mark.parametrize("answer", ["garbage", "{}", '{"query": 5}'])
def test_a_model_without_a_question_drafts_none(store: MemoryStore, answer: str) -> None:
    durable(store, "Database", body=FACT)

    with play.serving(play.says(answer)) as model:
        assert build_eval_candidates(store, model=connect(model_at(model.url))) == []
