"""What is taken from a session's story, and how it reads."""

from __future__ import annotations

import pytest

from anamnesis.capture.extract import findings, note, paths, shell, title
from anamnesis.capture.extract.rules import is_rule
from anamnesis.capture.extract.text import clipped, sentences, statements
from anamnesis.capture.session import ParsedSession
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, RUN, StoryDraft

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq1xYz8VhJ2kQ0\n" * 9


def run(story: StoryDraft, command: str, output: str = "", *, failed: bool = False) -> None:
    story.began(RUN, command, call="c")
    story.ended("c", output, failed=failed)


def test_an_error_and_what_fixed_it_are_one_line() -> None:
    story = StoryDraft()
    run(story, "pytest -q", "E  KeyError: 'id'\n1 failed", failed=True)
    story.said(EDIT, "/repo/src/cart.py")
    run(story, "pytest -q tests", "12 passed in 1s")

    (fix,) = findings.fixes(story.story())

    assert fix.line() == (
        "`pytest -q` failed: E KeyError: 'id' → edited `cart.py`; `pytest -q tests`"
    )


def test_an_error_that_a_pipe_hides_is_not_fixed() -> None:
    story = StoryDraft()
    run(story, "pnpm build", "Error: wrong package manager", failed=True)
    run(story, "pnpm build --force | tail -1", "Error: wrong package manager")

    assert findings.fixes(story.story()) == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git commit -m 'cart: count items'", ""),
        ("git add . && git commit -F msg", "[main 1a2b3c4] cart: count items\n 1 file changed"),
        ("git commit -m \"$(cat <<'EOF'\ncart: count items\n\nWhy.\nEOF\n)\"", ""),
    ],
)
def test_the_subject_of_a_commit(command: str, output: str) -> None:
    assert [subject for _, subject in shell.commits(command, output)] == ["cart: count items"]


def test_an_amended_commit_counts_once() -> None:
    story = StoryDraft()
    run(story, "git commit -m x", "[main 1111111] cart: cuont items")
    run(story, "git commit --amend -m y", "[main 2222222] cart: count items")

    assert [each.hash for each in findings.commits(story.story())] == ["2222222"]


def test_a_quoted_separator_splits_nothing() -> None:
    assert shell.parts("echo 'a && b'; make test") == ("echo 'a && b'", "make test")


@pytest.mark.parametrize(
    "sentence",
    [
        "never use Redis again",
        "always run make lint before you commit",
        "we use pnpm, not npm",
        "Bitte schreibe immer zuerst einen Test.",
        "不要提交任何測試檔案到主分支",
    ],
)
def test_a_rule_is_known_in_several_languages(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "fix the login page",
        "why does the test fail?",
        "The nested agents were never discovered.",
        "add a button to the page",
    ],
)
def test_a_request_is_no_rule(sentence: str) -> None:
    assert not is_rule(sentence)


def test_a_title_says_what_was_done_and_is_not_taken_twice() -> None:
    story = StoryDraft()
    story.said(PROMPT, "continue")
    story.said(EDIT, "/repo/cart.py")
    story.said(
        ANSWER,
        "Done. The cart counts items of one kind once.\n\nThe sum of all is shown above the list.",
    )

    first = title.title(story.story())
    second = title.title(story.story(), taken=[first])

    assert first.startswith("The cart counts items")
    assert second != first
    assert len(second) <= title.MOST


def test_thanks_do_not_replace_the_outcome() -> None:
    story = StoryDraft()
    story.said(PROMPT, "Make the cart count items")
    story.said(EDIT, "/repo/cart.py")
    report = "The cart counts items of one kind once; the total is shown above the list of items."
    story.said(ANSWER, report)
    story.said(PROMPT, "thanks")
    story.said(ANSWER, "You're welcome!")

    assert note.body(ParsedSession(), story.story()).endswith(f"**Outcome:** {report}")


def test_a_note_of_a_very_long_session_keeps_its_size() -> None:
    story = StoryDraft()
    for number in range(400):
        story.said(PROMPT, f"Please change part {number} of the shop so that it counts {number}")
        story.said(EDIT, f"/home/ada/shop/src/part{number}.py")
        story.said(ANSWER, f"Part {number} counts to {number} now -> see `part{number}.py`. " * 5)
    files = [f"/home/ada/shop/src/part{number}.py" for number in range(400)]

    body = note.body(ParsedSession(cwd="/home/ada/shop", files_touched=files), story.story())

    assert 4_000 < len(body) <= 6_000
    assert "/home/ada" not in body


def test_a_line_of_a_key_is_not_taken_alone() -> None:
    story = StoryDraft()
    story.said(ANSWER, f"I made a key:\n```\n{KEY}```\n")

    assert "MIIEow" not in story.story().moments[0].text


def test_the_memory_of_a_story_is_bounded() -> None:
    story = StoryDraft()
    for number in range(1_000):
        story.said(ANSWER, f"{number} " + "word " * 2_000)

    held = sum(len(each.text) for each in story.story().moments)
    assert held < 1_000_000
    assert story.story().moments[-1].text.startswith("999")


def test_text_is_cut_between_words() -> None:
    assert clipped("one two three four", 12) == "one two…"
    assert clipped("short", 12) == "short"


def test_short_items_are_joined_under_their_heading() -> None:
    (unit,) = statements("**Changed:**\n- the cart\n- the total")

    assert unit.text == "Changed: the cart; the total"


def test_sentences_of_scripts_without_spaces() -> None:
    assert sentences("\u5b8c\u6210\u3002\u6e2c\u8a66\u901a\u904e\u3002") == [
        "\u5b8c\u6210\u3002",
        "\u6e2c\u8a66\u901a\u904e\u3002",
    ]


def test_files_are_listed_by_folder_without_generated_ones() -> None:
    files = ["/repo/a/x.py", "/repo/a/y.py", "/repo/package-lock.json"]

    assert paths.listing(paths.written(files), root="/repo", most=200) == ["- a/: x.py, y.py"]
