from __future__ import annotations

import time

import pytest

from anamnesis.notes.fields import is_valid_id, new_id


def test_ids_are_unique_and_sort_by_time() -> None:
    first = new_id()
    time.sleep(0.002)
    later = [new_id() for _ in range(1000)]

    assert len(set(later)) == 1000
    assert all(first < one for one in later)
    assert all(len(one) == 26 and is_valid_id(one) for one in later)


@pytest.mark.parametrize("text", ["", "../x", "a/b", "a.b", "a" * 65, "a\n", "ä", None, 5])
def test_what_could_leave_the_tree_is_no_id(text: object) -> None:
    assert not is_valid_id(text)
