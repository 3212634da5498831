from __future__ import annotations

import pytest

from anamnesis.ground.counting import counted


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 notes wait"), (1, "1 note waits"), (2, "2 notes wait")]
)
def test_numbers_agree_with_their_nouns(number: int, expected: str) -> None:
    assert counted(number, "note waits", "notes wait") == expected
    assert counted(number, "note").endswith("note" if number == 1 else "notes")
