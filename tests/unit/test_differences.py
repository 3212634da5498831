"""A unified diff becomes lines with the words that changed."""

from __future__ import annotations

from difflib import unified_diff

from anamnesis.web import differences


def _drawn(before: str, after: str) -> list[tuple[str, int | None, int | None, str]]:
    lines = unified_diff(before.splitlines(), after.splitlines(), "a", "b", lineterm="", n=1)
    return [
        (line.kind, line.old, line.new, "".join(text for _, text in line.pieces))
        for line in differences.of_unified("\n".join(lines))
    ]


def test_lines_are_numbered_as_in_both_files() -> None:
    before = "one\ntwo\nthree\nfour\nfive\nsix\nseven"
    after = "one\n2\nthree\nfour\nfive\nsix\nseven\neight"

    assert _drawn(before, after) == [
        ("same", 1, 1, "one"),
        ("removed", 2, None, "two"),
        ("added", None, 2, "2"),
        ("same", 3, 3, "three"),
        ("gap", None, None, ""),
        ("same", 7, 7, "seven"),
        ("added", None, 8, "eight"),
    ]


def test_only_the_words_that_differ_are_marked() -> None:
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n-a red bus\n+a blue bus\n"

    removed, added = differences.of_unified(diff)

    assert removed.pieces == ((False, "a "), (True, "red"), (False, " bus"))
    assert added.pieces == ((False, "a "), (True, "blue"), (False, " bus"))


def test_a_line_that_looks_like_a_head_is_a_line() -> None:
    diff = "--- a\n+++ b\n@@ -1,2 +1 @@\n--- gone\n same\n"

    assert [line.kind for line in differences.of_unified(diff)] == ["removed", "same"]


def test_no_difference_is_no_line() -> None:
    assert differences.of_unified("") == []


def test_in_a_line_that_has_no_counterpart_no_word_is_marked() -> None:
    [line] = differences.of_unified("--- a\n+++ b\n@@ -0,0 +1 @@\n+all of it is new\n")

    assert line.pieces == ((False, "all of it is new"),)
