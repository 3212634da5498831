"""What happens by itself around a capture and a sync."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.capture import HeuristicSummarizer, ParsedSession, resolve_summarizer
from anamnesis.ground.home import Home
from anamnesis.hooks import background, runs
from anamnesis.hooks.payload import Payload
from anamnesis.operations.curate import forget, upkeep
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import inject
from anamnesis.store import MemoryStore
from support import model_server as play
from support.hooks import Transcript
from support.reflect import durable


def test_reflection_starts_by_itself_only_if_asked_to(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(background, "start", started.append)

    assert not upkeep.reflect_in_background(Home(root))
    monkeypatch.setenv("ANAMNESIS_REFLECT_AUTO", "1")
    assert upkeep.reflect_in_background(Home(root))
    assert upkeep.reflect_in_background(Home(root))

    assert started == [["reflect", "--apply"]]


def test_a_sync_takes_in_native_memory_only_when_it_changed(
    store: MemoryStore, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert upkeep.before_sync(Home(root)) == []
    folder = home / ".claude" / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Some text.\n")

    (take_in,) = upkeep.before_sync(Home(root))
    take_in(store)

    assert [note.body for note in store.list()] == ["Some text."]
    assert upkeep.before_sync(Home(root)) == []
    (folder / "a.md").write_text("Some other text.\n")
    monkeypatch.setenv("ANAMNESIS_IMPORT_NATIVE", "0")
    assert upkeep.before_sync(Home(root)) == []


def test_a_failing_import_does_not_stop_a_sync(store: MemoryStore, home: Path, root: Path) -> None:
    folder = home / ".claude" / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Some text.\n")
    (root / "undo").write_text("in the way of the record of an import")

    (take_in,) = upkeep.before_sync(Home(root))
    take_in(store)

    assert "in the way" in (root / "log" / "hooks.jsonl").read_text()


def test_a_sync_buries_what_came_back(store: MemoryStore) -> None:
    note = durable(store)
    forget.forget(store, [note.id])
    store.put(note)

    assert upkeep.after_sync(store) == [note.id]


def test_a_session_start_says_how_many_notes_wait(store: MemoryStore, root: Path) -> None:
    durable(store, tags=["pending"])
    durable(store, "Seen")

    text = inject(Home(root), Payload(), project="app", format="text")

    assert "1 note waits for review. Run: anamnesis review" in text


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
    assert "there is no key" in failing.reason

    monkeypatch.delenv("ANAMNESIS_REFLECTION_PROVIDER")
    capture(Home(root), told, source="session-end")
    assert runs.failing(Home(root)) == []


def test_a_session_of_our_own_model_is_not_captured(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_NESTED", "1")

    assert inject(Home(root), Payload(), project="app") == ""
