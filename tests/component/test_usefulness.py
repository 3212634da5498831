"""What sessions do with the notes that they are given counts a little, and is explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.archive.turns import Turn
from anamnesis.config import Home
from anamnesis.hooks import receipts, usefulness
from anamnesis.hooks.payload import Payload
from anamnesis.hooks.usefulness import Uses
from anamnesis.notes.fields import Memory
from anamnesis.operations.sessions.capture import capture
from anamnesis.operations.sessions.inject import explain_start
from anamnesis.operations.sessions.usefulness import actions_of, is_used
from anamnesis.store import MemoryStore
from support.hooks import Transcript

NOTE = Memory(
    id="01NOTE", type="procedural", title="Release",
    body="Run `make release VERSION=2` after editing `src/version.py`.\n\n"
    "```\n$ git push --tags\n```",
)  # fmt: skip


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (Turn(who="agent", tool="Bash", command="cd x && make release  VERSION=2"), True),
        (Turn(who="agent", tool="Bash", command="git push --tags origin"), True),
        (Turn(who="agent", tool="Bash", command="make test"), False),
        (Turn(who="agent", tool="Edit", file="/home/ada/shop/src/version.py"), True),
        (Turn(who="agent", tool="Read", file="/home/ada/shop/src/version.py"), False),
        (Turn(who="agent", tool="Edit", file="/home/ada/shop/lib/version.py"), False),
        (Turn(who="agent", tool="memory_search", input='{"query": "01NOTE"}'), True),
        (Turn(who="agent", text="As note 01NOTE says, tags come last."), True),
        (Turn(who="person", text="01NOTE"), False),
    ],
)
def test_a_note_is_used_where_the_session_did_what_it_says(turn: Turn, expected: bool) -> None:
    assert is_used(NOTE, actions_of([turn])) == expected


@pytest.mark.parametrize(
    ("uses", "at_least", "at_most"),
    [(Uses(), 1, 1), (Uses(1, 0), 1.05, 1.1), (Uses(0, 1), 0.97, 1), (Uses(10**6, 0), 1.2, 1.25),
     (Uses(0, 10**6), 0.75, 0.8)],
)  # fmt: skip
def test_the_factor_is_mild_and_bounded(uses: Uses, at_least: float, at_most: float) -> None:
    assert at_least <= uses.factor <= at_most


def test_a_session_counts_once_however_often_it_is_captured(root: Path) -> None:
    home = Home(root)
    usefulness.count_uses(home, "s", used=set(), ignored={"A", "B"})
    usefulness.count_uses(home, "s", used={"A"}, ignored={"B"})
    usefulness.count_uses(home, "s", used={"A"}, ignored={"B"})
    usefulness.count_uses(home, "t", used={"A"}, ignored=set())

    assert usefulness.uses_by_note(home) == {"A": Uses(2, 0), "B": Uses(0, 1)}


def test_damaged_counts_are_none(root: Path) -> None:
    home = Home(root)
    usefulness.count_uses(home, "s", used={"A"}, ignored=set())
    Path(home.state("usefulness.json")).write_text('{"A": ["x", 1], "B": 3, "C": [1, 0]}')
    assert usefulness.uses_by_note(home) == {"C": Uses(1, 0)}
    Path(home.state("usefulness.json")).write_text("{")
    assert usefulness.uses_by_note(home) == {}


def test_a_captured_session_tells_which_of_its_notes_it_used(
    store: MemoryStore, root: Path
) -> None:
    body = "Before the checkout is edited, run `make lock-prices`; see `checkout.py`."
    used = store.write(type="semantic", title="Prices", body=body, project="shop").id
    other = store.write(
        type="semantic", title="Tea", body="Green, at four. " * 9, project="shop"
    ).id
    given = [receipts.GivenNote(id, "recent", 200, whole=True) for id in (used, other)]
    receipts.write(
        store.home, event="inject", session="s-1", project="shop", source="startup", given=given,
        units=400,
    )  # fmt: skip
    transcript = Transcript(root.parent / "s-1.jsonl", session="s-1", cwd="/home/u/shop")
    transcript.user("Let the checkout of the shop accept vouchers as a means of payment")
    transcript.edit("/home/u/shop/checkout.py", call="a").result(call="a")
    transcript.assistant("The checkout accepts vouchers now, and its tests pass again.")

    told = Payload(session_id="s-1", transcript_path=str(transcript.path))
    capture(Home(root), told, source="session-end")

    assert usefulness.uses_by_note(store.home) == {used: Uses(1, 0), other: Uses(0, 1)}


def test_a_useful_note_comes_sooner_only_where_that_is_switched_on(
    store: MemoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [f"N{number}" for number in range(9)]
    for number, id in enumerate(ids):
        store.put(Memory(id=id, type="semantic", title=f"Note {id}", body="text", project="shop",
                         updated_at=f"2026-01-{20 - number}T00:00:00+00:00"))  # fmt: skip
    for session in range(9):
        usefulness.count_uses(store.home, f"s{session}", used={"N5"}, ignored={"N0"})

    def order() -> list[str]:
        plan = explain_start(Home(root), Payload(), project="shop")
        return [id for line in plan.splitlines() for id in ids if f"({id})" in line]

    assert order() == ids
    monkeypatch.setenv("ANAMNESIS_USEFULNESS", "1")
    assert order() == ["N0", "N1", "N2", "N3", "N5", "N4", "N6", "N7", "N8"]
    assert "used in 9 of 9 sessions, x1.20" in explain_start(Home(root), Payload(), project="shop")
