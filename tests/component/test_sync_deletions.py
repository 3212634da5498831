"""A note that one machine deleted and another changed: kept on all, until you choose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.operations.curate import forget
from anamnesis.operations.notes import undo
from anamnesis.operations.travel import conflicts
from anamnesis.store import MemoryStore
from anamnesis.sync.conflicts import Conflict, Conflicts
from support.fleet import FIVE, Machine, quiet

CHANGED = FIVE.replace("one", "ONE")


def question(machine: Machine) -> Conflict | None:
    return Conflicts(Home(machine.home)).waiting().get("semantic/n.md")


def answer(machine: Machine, wanted: str) -> None:
    """Choose what does that."""
    with MemoryStore(machine.home) as store:
        choices = conflicts.find(store, "n").choices
        choice = next(choice for choice, what in choices.items() if what == wanted)
        conflicts.resolve(store, "n", choice)


@pytest.fixture(params=["here", "there"])
def asked(request: pytest.FixtureRequest, pair: tuple[Machine, Machine]) -> Machine:
    """The machine that joined both lines: it deleted the note itself, or changed it."""
    laptop, desk = pair
    deleting, changing = (desk, laptop) if request.param == "here" else (laptop, desk)
    deleting.delete("n")
    changing.edit("n", body=CHANGED)
    laptop.sync()

    result = desk.sync()

    assert result.conflicts == ("n",)
    assert "deleted on one machine, changed on another and kept: semantic/n.md" in result.detail
    quiet(laptop, desk)
    assert laptop.body("n") == desk.body("n") == CHANGED
    held = question(desk)
    assert held
    assert (held.deleted, held.machine) == (request.param, "laptop")
    assert question(laptop) is None
    return desk


@pytest.mark.parametrize("keeps", [True, False])
def test_a_choice_keeps_or_deletes_the_note_on_all_machines(
    asked: Machine, pair: tuple[Machine, Machine], keeps: bool
) -> None:
    answer(asked, "keep the note" if keeps else "delete it on all machines")

    quiet(*pair)

    assert question(asked) is None
    assert [machine.body("n") for machine in pair] == [CHANGED if keeps else None] * 2


def test_an_undone_choice_asks_again(asked: Machine, pair: tuple[Machine, Machine]) -> None:
    answer(asked, "delete it on all machines")
    quiet(*pair)

    with MemoryStore(asked.home) as store:
        undo.undo(store)
    quiet(*pair)

    assert question(asked)
    assert [machine.body("n") for machine in pair] == [CHANGED] * 2


def test_the_note_is_edited_and_synced_while_the_question_waits(
    asked: Machine, pair: tuple[Machine, Machine]
) -> None:
    laptop, desk = pair
    desk.edit("n", body=CHANGED.replace("three", "THREE"))
    laptop.edit("n", body=CHANGED.replace("five", "FIVE"))

    quiet(desk, laptop)

    assert laptop.body("n") == desk.body("n") == "ONE\ntwo\nTHREE\nfour\nFIVE"
    assert question(asked)


@pytest.mark.parametrize("at", [0, 1])
def test_deleting_it_again_anywhere_answers_the_question(
    asked: Machine, pair: tuple[Machine, Machine], at: int
) -> None:
    pair[at].delete("n")

    quiet(*pair)

    assert question(asked) is None
    assert [machine.body("n") for machine in pair] == [None, None]


def test_forgetting_it_leaves_no_question_and_no_word(
    asked: Machine, pair: tuple[Machine, Machine]
) -> None:
    with MemoryStore(asked.home) as store:
        forget.forget(store, ["n"])

    quiet(*pair)

    assert question(asked) is None
    assert [machine.body("n") for machine in pair] == [None, None]
    assert not [p for p in (asked.home / "conflicts").rglob("*.md") if "ONE" in p.read_text()]


def test_a_clash_of_words_takes_the_place_of_the_question(
    asked: Machine, pair: tuple[Machine, Machine]
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=CHANGED.replace("three", "III"))
    laptop.sync()
    desk.edit("n", body=CHANGED.replace("three", "3"))

    desk.sync()

    held = question(desk)
    assert held
    assert (held.deleted, held.fields) == ("", ("body",))
    assert desk.body("n") == CHANGED.replace("three", "3")


def test_a_note_that_was_only_renamed_elsewhere_stays_deleted(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    laptop.path("n").rename(laptop.path("by hand"))
    laptop.sync()
    desk.delete("n")

    quiet(desk, laptop)

    assert not any("hand" in path or "/n." in path for each in pair for path in each.files())


def test_a_sync_that_was_killed_after_its_push_asks_all_the_same(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=CHANGED)
    laptop.sync()
    desk.delete("n")
    desk.backend.commit()
    shutil.copytree(desk.home, tmp_path / "before", symlinks=True)
    assert desk.sync().pushed
    shutil.rmtree(desk.home)
    (tmp_path / "before").rename(desk.home)  # only the remote has what that sync did

    desk.sync()

    assert question(desk)
    assert desk.body("n") == CHANGED


def test_a_note_that_was_moved_to_local_only_is_not_asked_about(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    laptop.edit("n", body=CHANGED)
    laptop.sync()
    with MemoryStore(desk.home) as store:
        store.refresh()
        store.move("n", "machine-local")

    assert not desk.sync().conflicted

    assert desk.path("n", tree="local").exists()
    assert laptop.body("n") == CHANGED
