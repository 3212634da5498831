"""A model summarises sessions, or nobody notices that it could not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession, resolve_summarizer
from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from support import model_server as play
from support.hooks import Transcript

SESSION = ParsedSession(first_prompt="fix it", last_outcome="fixed", conversation="User: fix it")


def summarised(monkeypatch: pytest.MonkeyPatch, model: play.Model) -> object:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", f"{model.url}/v1")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_TIMEOUT", "0.5")
    summary = resolve_summarizer().summarize(SESSION)
    return None if summary is None else (summary.title, summary.body, summary.prov_model)


def test_a_model_summarises_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = play.says('```json\n{"keep": true, "title": "Fixed\\n it", "body": " How. "}\n```')

    with play.serving(answer) as model:
        assert summarised(monkeypatch, model) == ("Fixed it", "How.", "local/small")


def test_a_model_gets_the_extract_and_its_claims_are_checked(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {
        "keep": True,
        "title": "Fixed the login",
        "body": "The test passes. Committed as 1234abc. Edited src/login.py.",
    }
    session = (
        Transcript(tmp_path / "s-1.jsonl")
        .user("Fix the login page of the shop, please")
        .edit("/u/app/src/login.py")
        .assistant("The login works again.")
    )
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "local")
    monkeypatch.setenv("ANAMNESIS_REFLECTION_MODEL", "small")

    with play.serving(play.says(json.dumps(answer))) as model:
        monkeypatch.setenv("ANAMNESIS_REFLECTION_BASE_URL", f"{model.url}/v1")
        told = Payload(session_id="s-1", transcript_path=str(session.path))
        note = capture(Home(root), told, source="session-end").note

    assert note is not None
    assert note.body == "The test passes. Edited src/login.py."
    (request,) = model.requests
    assert "<extract>" in str(request)
    assert "**Files touched (1):**" in str(request)


def test_a_model_may_find_a_session_not_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    with play.serving(play.says('{"keep": false}')) as model:
        assert summarised(monkeypatch, model) is None


@pytest.mark.parametrize(
    "behaviour",
    [play.says("garbage"), play.says('{"title": 1}'), play.says('{"title": "t", "body": " "}'),
     play.refuses(500), play.resets, play.floods, play.drips],
)  # fmt: skip
def test_without_a_usable_answer_the_heuristic_summarises(
    behaviour: play.Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = HeuristicSummarizer().summarize(SESSION)
    assert plain is not None

    with play.serving(behaviour) as model:
        assert summarised(monkeypatch, model) == (plain.title, plain.body, "")


def test_a_provider_without_a_key_falls_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "openai")

    summary = resolve_summarizer().summarize(SESSION)

    assert summary == HeuristicSummarizer().summarize(SESSION)


def test_a_model_that_does_not_answer_is_told_until_it_does(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Transcript(tmp_path / "s-1.jsonl").user("Fix the login").assistant("Fixed it.")
    told = Payload(session_id="s-1", transcript_path=str(session.path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", "openai")

    assert capture(Home(root), told, source="session-end").note is not None
    (failing,) = runs.failing(Home(root))
    assert failing.area == "summarising"
    assert "no key for" in failing.reason

    monkeypatch.delenv("ANAMNESIS_REFLECTION_PROVIDER")
    capture(Home(root), told, source="session-end")
    assert runs.failing(Home(root)) == []


def test_a_session_of_our_own_model_is_not_captured(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_NESTED", "1")

    assert inject(Home(root), Payload(), project="app") == ""
