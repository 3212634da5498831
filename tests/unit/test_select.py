"""Which words choose the notes that a search looks at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.search.engine import expression
from anamnesis.search.query import Term
from anamnesis.search.typos import distance

NOTES = 50_000


def terms(*words: str) -> list[Term]:
    return [Term(word, word) for word in words]


def test_rare_words_choose_and_common_ones_only_rank() -> None:
    chosen = expression(terms("file", "kestrel"), {"file": 9000, "kestrel": 300}, NOTES)

    assert chosen == '("kestrel") AND ("kestrel" OR "file")'


def test_few_finds_are_joined_by_pairs_of_common_words() -> None:
    common = {"kestrel": 3, "file": 9000, "error": 8000}

    assert expression(terms("file", "error", "kestrel"), common, NOTES) == (
        '("kestrel" OR ("error" AND "file")) AND ("kestrel" OR "error" OR "file")'
    )


def test_common_words_alone_must_come_together() -> None:
    common = {"file": 12_000, "error": 11_000, "test": 12_300}

    assert expression(terms("file", "error", "test"), common, NOTES) == (
        '("error" AND "file" AND "test") AND ("error" OR "file" OR "test")'
    )


def test_in_a_small_store_every_word_chooses() -> None:
    assert expression(terms("file", "error"), {"file": 90, "error": 40}, 100) == '"error" OR "file"'


def test_a_single_common_word_is_looked_for_in_the_heads_of_notes() -> None:
    assert expression(terms("file"), {"file": 40_000}, NOTES) == '{title tags} : "file"'


def test_slips_are_counted() -> None:
    assert distance("kuberntes", "kubernetes", at_most=2) == 1
    assert distance("sqilte", "sqlite", at_most=2) == 1
    assert distance("redis", "radius", at_most=1) == 2
    assert distance("same", "same", at_most=1) == 0
    assert distance("short", "muchlonger", at_most=2) == 3


def by_the_table(one: str, other: str) -> int:
    """The same by filling in the whole table, one cell after the other."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, rival in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != rival))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == rival:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(0, 4))
def test_slips_are_those_of_the_table(one: str, other: str, most: int) -> None:
    assert distance(one, other, at_most=most) == min(by_the_table(one, other), most + 1)
