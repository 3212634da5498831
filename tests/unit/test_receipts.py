from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.hooks import receipts


def _receipt(home: Path, event: str, source: str, *ids: str, session: str = "s") -> None:
    given = [receipts.GivenNote(id, "why", 1, whole=not id.startswith("title")) for id in ids]
    receipts.write(
        Home(home), event=event, session=session, project="p", source=source, given=given, units=9
    )


def test_what_a_session_was_given_is_known_until_it_forgets(tmp_path: Path) -> None:
    home = Home(tmp_path)
    _receipt(tmp_path, "inject", "startup", "a", "title-b")
    _receipt(tmp_path, "recall", "prompt", "c")
    _receipt(tmp_path, "inject", "startup", "d", session="other")
    assert receipts.already_given(home, "s") == {"a", "c"}

    _receipt(tmp_path, "inject", "compact", "a")
    _receipt(tmp_path, "recall", "prompt", "e")

    assert receipts.already_given(home, "s") == {"a", "e"}
    assert receipts.already_given(home, "") == set()


@pytest.mark.parametrize("notes", ['[{"whole": true}]', '["x"]', "7", "null"])
def test_a_damaged_receipt_is_passed_over(tmp_path: Path, notes: str) -> None:
    _receipt(tmp_path, "inject", "startup", "a")
    with open(Home(tmp_path).receipts, "a", encoding="utf-8") as stream:
        stream.write(f'{{"session": "s", "event": "inject", "units": 1, "notes": {notes}}}\n')

    assert receipts.already_given(Home(tmp_path), "s") == {"a"}
    assert len(list(receipts.latest(Home(tmp_path)))) == 1


def test_a_fork_is_known_by_its_receipt(tmp_path: Path) -> None:
    _receipt(tmp_path, "inject", "fork")

    assert receipts.forked_at(Home(tmp_path), "s").startswith("20")
    assert receipts.forked_at(Home(tmp_path), "other") == ""
