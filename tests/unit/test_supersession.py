from __future__ import annotations

from itertools import pairwise

import pytest

from anamnesis.index.rows import hidden

TIMES = {"a": "1", "b": "2", "c": "3", "d": "4"}


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], set()),
        ([("b", "a")], {"a"}),
        ([("c", "b"), ("b", "a")], {"a", "b"}),
        ([("a", "b"), ("b", "a")], {"a"}),
        ([("a", "a")], set()),
        ([("a", "b"), ("b", "c"), ("c", "a")], {"a", "b"}),
        ([("a", "b"), ("b", "a"), ("d", "a")], {"a", "b"}),
        ([("a", "b"), ("b", "a"), ("b", "c")], {"a", "c"}),
        ([("b", "gone")], {"gone"}),
        ([("unknown", "a")], set()),
        ([("b", "a"), ("c", "a")], {"a"}),
    ],
)
def test_what_is_hidden(edges: list[tuple[str, str]], expected: set[str]) -> None:
    assert hidden(edges, TIMES) == expected


def test_of_two_equally_old_notes_in_a_circle_one_stays() -> None:
    assert hidden([("a", "b"), ("b", "a")], {"a": "1", "b": "1"}) == {"a"}


def test_a_chain_is_walked_once_however_long_it_is() -> None:
    chain = [f"{number:05}" for number in range(50_000)]

    replaced = hidden(pairwise(reversed(chain)), dict.fromkeys(chain, "1"))

    assert replaced == set(chain[:-1])
