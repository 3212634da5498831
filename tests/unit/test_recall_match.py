from __future__ import annotations

import pytest

from anamnesis.inject.prompt import (
    MOST_UNITS,
    is_code_word,
    is_worth_a_look,
    match,
    rendered,
    telling_words,
)
from anamnesis.notes.note import Memory

WAL = Memory(
    id="W", type="semantic", title="SQLite in WAL mode", tags=["database", "locking"],
    body="Set busy_timeout to 5000. Readers never block the writer; checkpoint in the background.",
)  # fmt: skip


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "continue",
        "  yes ",
        "/compact keep the plan",
        "<task-notification>\n<task-id>a</task-id>",
        "<command-name>/x</command-name> y",
    ],
)
def test_prompts_that_ask_nothing_are_not_looked_at(prompt: str) -> None:
    assert not is_worth_a_look(prompt)


def test_a_question_is_looked_at() -> None:
    assert is_worth_a_look("why is sqlite locked?")


@pytest.mark.parametrize(
    "prompt",
    [
        "why does sqlite still lock in WAL mode?",
        "sqlite locking",
        "what did we decide about busy_timeout for the database",
        "Readers block the writer although the database is in WAL mode, see store.py",
    ],
)
def test_a_note_that_answers_is_strong(prompt: str) -> None:
    assert match(WAL, telling_words(prompt)).is_strong


@pytest.mark.parametrize(
    "prompt",
    [
        "please fix the login page and add a test for it",
        "which mode of transport is cheapest for readers in Berlin",
        "sqlite",
        "rename the writer class to Author everywhere and update all imports in the package",
        "set the background color of the header to blue",
        "the database migration of customer addresses fails on staging with a timeout error",
    ],
)
def test_a_note_that_shares_a_word_or_two_is_not(prompt: str) -> None:
    assert not match(WAL, telling_words(prompt)).is_strong


def test_the_reason_can_be_read() -> None:
    found = match(WAL, telling_words("sqlite busy_timeout"))

    assert found.why == "0.73 of 2 words (title: sqlite; body: busy_timeout)"


@pytest.mark.parametrize(
    "word", ["busy_timeout", "getUserById", "store.py", "HTTPError", "utf8mb4"]
)
def test_words_from_code(word: str) -> None:
    assert is_code_word(word)


@pytest.mark.parametrize("word", ["timeout", "SQLite"[:3], "Berlin", "don"])
def test_words_from_prose(word: str) -> None:
    assert not is_code_word(word)


def test_only_so_much_is_given() -> None:
    notes = [
        Memory(id=f"N{n}", type="semantic", title=f"note {n}", body="word " * 160) for n in range(3)
    ]
    matches = [match(note, ["note", "word"]) for note in notes]

    text, shown = rendered(matches)

    assert len(text) <= MOST_UNITS
    assert [(each.match.note.id, each.whole) for each in shown] == [
        ("N0", True),
        ("N1", True),
        ("N2", False),
    ]
    assert "- [semantic] note 2 (N2): memory_search for the whole" in text
    assert rendered([]) == ("", [])
