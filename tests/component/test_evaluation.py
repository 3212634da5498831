"""Recall is measured on questions whose answers are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis import eval as questions
from anamnesis.eval import Case, build_eval_candidates
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.llm.models import connect
from anamnesis.llm.providers import Settings
from anamnesis.operations.care import evaluate
from anamnesis.store import MemoryStore
from support import model_server as play
from support.reflect import FACT, durable, files, sessions


def model_at(url: str) -> Settings:
    return Settings("local", "m", f"{url}/v1", timeout=5.0)


def test_recall_counts_where_the_answer_stands(store: MemoryStore) -> None:
    note = durable(store, "Postgres", body=FACT)
    durable(store, "Other", body="Nothing of the kind.")
    cases = [Case("postgres for integration tests", [note.id], "app"), Case("zebra", [note.id])]

    measured = evaluate.measure(store, cases)

    assert measured.ranks == [1, 0]
    assert (measured.recall[1], measured.recall[8], measured.mrr) == (0.5, 0.5, 0.5)
    assert measured.working_set_tokens > 0


def test_a_note_that_replaced_the_answer_is_the_answer(store: MemoryStore) -> None:
    old = durable(store, "Postgres", body=FACT)
    durable(store, "Postgres", body=FACT, supersedes=old.id)

    assert evaluate.measure(store, [Case("postgres", [old.id])]).ranks == [1]


def test_questions_are_drafted_without_a_model(store: MemoryStore) -> None:
    note = durable(store, "Database", body=FACT)

    (case,) = build_eval_candidates(store)

    assert case.relevant == [note.id]
    assert not case.approved
    assert evaluate.measure(store, [case]).ranks == [1]


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


def test_cases_survive_a_round_trip(tmp_path: Path) -> None:
    path = str(tmp_path / "eval.jsonl")
    cases = [Case("käse?", ["A"], "p", approved=True), Case("b", ["B", "C"])]

    questions.save(path, cases)

    assert questions.load(path) == cases
    assert questions.joined(cases, [Case(" KÄSE? ", ["A"])]) == cases


@pytest.mark.parametrize(
    "line", ["x", "[]", "{}", '{"query": "q"}', '{"query": "", "relevant": ["A"]}']
)
def test_a_line_that_is_no_case_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "eval.jsonl"
    path.write_text(line)

    with pytest.raises(InvalidInput, match="line 1"):
        questions.load(str(path))


def test_an_experiment_leaves_the_store_alone(store: MemoryStore, root: Path) -> None:
    sessions(store, 5, body=FACT)
    note = store.headers()[0]
    before = files(root)

    found = evaluate.experiment(store, [Case("postgres tests", [note.id], "app")], model=None)

    assert files(root) == before
    assert found.added == 1
    assert found.regressions == ()


def test_an_experiment_shows_a_regression(store: MemoryStore) -> None:
    waiting = sessions(store, 5)
    old = durable(store, "Postgres", body=FACT)
    case = Case("postgres integration tests", [old.id], "app")
    swap = {"op": "supersede", "ids": [old.id], "type": "semantic", "title": "Cooking",
            "body": "Onions are cut before garlic.", "sources": [waiting[0].id]}  # fmt: skip

    with play.serving(play.proposes(swap)) as model:
        found = evaluate.experiment(store, [case], model=connect(model_at(model.url)))

    assert found.before.ranks == [1]
    assert found.regressions == (case.query,)


def test_measurements_are_remembered(store: MemoryStore, root: Path) -> None:
    measured = evaluate.measure(store, [Case("a", ["A"])])

    evaluate.remember(store.home, measured)
    with (root / "eval-history.jsonl").open("a") as stream:
        stream.write("broken\n")
    evaluate.remember(store.home, measured)

    assert [each["recall"] for each in evaluate.history(store.home)] == [
        json.loads('{"1": 0.0, "3": 0.0, "5": 0.0, "8": 0.0}')
    ] * 2
