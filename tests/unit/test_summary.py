from __future__ import annotations

import pytest

from anamnesis.capture import (
    _MAX_LEN,
    _TRIVIAL_OUTCOME_FLOOR,
    HeuristicSummarizer,
    ParsedSession,
    is_trivial_session,
    resolve_summarizer,
)

LONG = "x" * _TRIVIAL_OUTCOME_FLOOR
SHORT = LONG[:-1]


@pytest.mark.parametrize(
    ("prompt", "outcome", "files", "trivial"),
    [
        ("", "", [], True),
        ("  ", "\n", [], True),
        ("", SHORT, [], True),
        ("", LONG, [], False),
        ("/clear", SHORT, [], True),
        ("/effort", LONG, [], False),
        ("/fix-issue 123", SHORT, [], False),
        ("hello there", "", [], False),
        ("hello there", SHORT, [], False),
        ("", "", ["/a"], False),
        ("/clear", "", ["/a"], False),
    ],
)
def test_what_is_worth_a_note(prompt: str, outcome: str, files: list[str], trivial: bool) -> None:
    session = ParsedSession(first_prompt=prompt, last_outcome=outcome, files_touched=files)

    assert is_trivial_session(session) is trivial


def _summary(session: ParsedSession) -> tuple[str, str]:
    made = HeuristicSummarizer().summarize(session)
    assert made is not None
    return made.title, made.body


def test_a_summary_says_the_ask_the_branch_the_files_and_the_outcome() -> None:
    session = ParsedSession(
        first_prompt="Fix the login\nIt fails on Monday.",
        last_outcome="Fixed.",
        files_touched=["/a.py", "/b.py"],
        git_branch="main",
    )

    title, body = _summary(session)

    assert title == "Fix the login"
    assert body == (
        "**Ask:** Fix the login\nIt fails on Monday.\n\n**Branch:** main\n"
        "**Files touched (2):**\n- /a.py\n- /b.py\n\n**Outcome:** Fixed."
    )


def test_an_empty_session_says_so() -> None:
    title, body = _summary(ParsedSession())

    assert title == "Session summary"
    assert body == (
        "**Ask:** (no user prompt captured)\n\n**Outcome:** (no assistant output captured)"
    )


def test_long_texts_are_clipped() -> None:
    title, body = _summary(ParsedSession(first_prompt="a" * 700, last_outcome="b" * 700))

    assert title == "a" * 80
    assert f"**Ask:** {'a' * _MAX_LEN} ...\n" in body
    assert body.endswith(f"{'b' * _MAX_LEN} ...")


def test_the_clients_own_summary_has_more_room() -> None:
    summary = "s" * 1_900

    _, beside = _summary(ParsedSession(last_outcome="ok", compact_summary=summary))
    _, instead = _summary(ParsedSession(last_outcome=summary, compact_summary=summary))

    assert f"**Summary:** {summary}\n\n**Outcome:** ok" in beside
    assert f"**Outcome:** {summary}" in instead


def test_many_files_are_counted() -> None:
    files = [f"/{number}" for number in range(60)]

    _, body = _summary(ParsedSession(files_touched=files))

    assert "**Files touched (60):**" in body
    assert "- and 10 more" in body


@pytest.mark.parametrize("provider", ["", "heuristic", "something else", "openai"])
def test_the_summariser_is_the_heuristic_one_unless_another_is_there(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_REFLECTION_PROVIDER", provider)

    chosen = resolve_summarizer()

    assert hasattr(chosen, "summarize")
    if provider != "openai":
        assert isinstance(chosen, HeuristicSummarizer)
