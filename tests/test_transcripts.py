"""What the documentation shows at a terminal is what the program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.pty import short_home
from support.transcripts import TRANSCRIPTS, Step, matches, rewritten, run, steps


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_session_goes_as_written(path: Path) -> None:
    with short_home() as home:
        outcomes = run(path, home=home)

    assert len(outcomes) == len(list(steps(path.read_text(encoding="utf-8"))))
    wrong = [str(outcome) for outcome in outcomes if not outcome.matches]
    assert not wrong, "\n\n".join(wrong)


def test_commands_and_what_they_print_are_told_apart() -> None:
    text = "Prose.\n\n    $ one\n    > two\n    out\n\nMore prose.\n\n    $ three\n"

    assert list(steps(text)) == [Step(3, "one\ntwo", ("out",)), Step(9, "three", ())]


@pytest.mark.parametrize(
    ("expected", "printed", "fits"),
    [
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        ([], ["a"], False),
        (["..."], ["a", "b"], True),
        (["a", "...", "d"], ["a", "b", "c", "d"], True),
        (["<id>  x"], ["01M7K4PDW8YKA2DN70020K04GA  x"], True),
        (["<id>  x"], ["nonsense  x"], False),
        (["on <date>"], ["on 2026-11-16"], True),
        (["[exit 1]"], [], False),
    ],
)
def test_what_is_printed_must_match(expected: list[str], printed: list[str], fits: bool) -> None:
    assert matches(expected, printed) is fits


def test_a_wrong_line_is_found_and_can_be_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("Say it.\n\n    $ echo hello\n    goodbye\n\n    $ false\n    [exit 1]\n")

    outcomes = run(path, home=tmp_path)

    assert [outcome.matches for outcome in outcomes] == [False, True]
    assert rewritten(path.read_text(), outcomes) == (
        "Say it.\n\n    $ echo hello\n    hello\n\n    $ false\n    [exit 1]\n"
    )
