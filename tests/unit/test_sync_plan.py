"""The decisions of a sync, without git and without files."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.sync.plan import (
    DELETION,
    Change,
    Step,
    by_folded_name,
    collides,
    is_sweeping,
    is_syncable,
    join,
    net,
    replay,
)

BODIES = {
    "base": "one\ntwo\nthree\nfour",
    "first": "ONE\ntwo\nthree\nfour",
    "last": "one\ntwo\nthree\nFOUR",
    "both": "ONE\ntwo\nthree\nFOUR",
    "last and third": "one\ntwo\nTHREE\nFOUR",
    "first, last and third": "ONE\ntwo\nTHREE\nFOUR",
    "other": "something else",
    "another": "and yet another",
}
CONTENTS = {
    name: serialize(Memory(id="n", type="semantic", title="t", body=body)).encode()
    for name, body in BODIES.items()
}
PATH = "semantic/n.md"
MOVED = "procedural/n.md"
OTHER = "episodic/n.md"


def step(before: str | None, after: str | None, path: str = PATH) -> Step:
    return Step("me", f"{before} to {after}", (Change(path, before, after),))


def named(writes: Mapping[str, object]) -> dict[str, object]:
    """What is written, contents by name."""
    names = {data: name for name, data in CONTENTS.items()}
    return {p: names.get(w, w) if isinstance(w, bytes) else w for p, w in writes.items()}


def joined(mine: list[Change], *theirs: Change) -> tuple[dict[str, object], list[str]]:
    """What is written on top of theirs, contents by name, and the paths that clash."""
    made = join(mine, theirs, CONTENTS.__getitem__)
    return named(made.writes), [clash.path for clash in made.clashes]


@pytest.mark.parametrize(
    ("mine", "theirs", "written"),
    [
        # mine before and after, theirs after: what is written on top of theirs, None for nothing
        (("base", "first"), "last", "both"),
        (("base", "first"), "first", None),
        (("base", None), None, None),
        ((None, "first"), "first", None),
        ((None, "first"), "other", "clash"),
        (("base", "other"), "another", "clash"),
        (("base", "other"), "first", "clash"),
    ],
)
def test_a_file_that_both_sides_changed(
    mine: tuple[str | None, str | None], theirs: str | None, written: str | None
) -> None:
    writes, clashes = joined([Change(PATH, *mine)], Change(PATH, mine[0], theirs))

    if written == "clash":
        assert (writes, clashes) == ({}, [PATH])
    else:
        assert writes == ({PATH: written} if written else {})
        assert clashes == []


@pytest.mark.parametrize("mine", ["first", None])
def test_what_one_side_deleted_and_the_other_changed_is_named(mine: str | None) -> None:
    theirs = None if mine else "last"

    made = join([Change(PATH, "base", mine)], [Change(PATH, "base", theirs)], CONTENTS.__getitem__)

    assert made.writes == ({PATH: "first"} if mine else {})
    assert [(c.path, c.mine, c.theirs) for c in made.clashes] == [(PATH, mine, theirs)]


@pytest.mark.parametrize("mine", ["first", None])
def test_what_one_side_forgot_stays_forgotten(mine: str | None) -> None:
    theirs = None if mine else "last"
    stone = Change(".tombstones/n.json", None, "base")
    sides = [[Change(PATH, "base", mine)], [Change(PATH, "base", theirs)]]
    sides[1 if mine else 0].append(stone)

    made = join(sides[0], sides[1], CONTENTS.__getitem__)

    assert made.writes.get(PATH, theirs) is None
    assert made.clashes == ()


def test_files_that_only_we_changed_are_written_as_they_are() -> None:
    assert joined([Change(PATH, "base", "first")], Change("semantic/x.md", None, "base")) == (
        {PATH: "first"}, [],
    )  # fmt: skip


def test_a_clash_leaves_the_other_files() -> None:
    mine = [Change(PATH, "base", "other"), Change("semantic/x.md", None, "base")]

    assert joined(mine, Change(PATH, "base", "another")) == ({"semantic/x.md": "base"}, [PATH])


def test_our_move_takes_their_edit_along() -> None:
    moved = [Change(PATH, "base", None), Change(MOVED, None, "first")]

    assert joined(moved, Change(PATH, "base", "last")) == ({PATH: None, MOVED: "both"}, [])


def test_our_edit_follows_their_move() -> None:
    theirs = Change(PATH, "base", None), Change(MOVED, None, "last")

    assert joined([Change(PATH, "base", "first")], *theirs) == ({MOVED: "both"}, [])


@pytest.mark.parametrize("there", [MOVED, OTHER])
def test_a_note_that_both_moved_has_one_place(there: str) -> None:
    mine = [Change(PATH, "base", None), Change(MOVED, None, "first")]
    theirs = Change(PATH, "base", None), Change(there, None, "last")

    assert joined(mine, *theirs) == ({there: "both"}, [])


@pytest.mark.parametrize("moved", ["base", "first"])
def test_a_note_that_one_side_moved_and_the_other_deleted_stays_if_it_was_changed(
    moved: str,
) -> None:
    mine = [Change(PATH, "base", None), Change(MOVED, None, moved)]

    made = join(mine, [Change(PATH, "base", None)], CONTENTS.__getitem__)

    changed = moved != "base"
    assert made.writes == ({MOVED: "first"} if changed else {})
    assert [clash.path for clash in made.clashes] == ([MOVED] if changed else [])


def test_a_place_that_another_note_has_is_not_moved_to() -> None:
    mine = [Change(PATH, "base", None), Change(MOVED, None, "first")]
    theirs = Change(PATH, "base", "last"), Change(MOVED, None, "other")

    made = join(mine, theirs, CONTENTS.__getitem__)

    assert [(clash.path, clash.fields == (DELETION,)) for clash in made.clashes] == [
        (PATH, True), (MOVED, False),
    ]  # fmt: skip


def test_a_file_of_a_machine_is_its_own() -> None:
    path = ".machines/laptop.json"

    assert joined([Change(path, "base", "first")], Change(path, "base", "other")) == (
        {path: "first"}, [],
    )  # fmt: skip


def test_of_two_machines_that_meet_under_one_name_the_first_keeps_it() -> None:
    path = ".machines/laptop.json"

    assert joined([Change(path, None, "second")], Change(path, None, "first")) == ({}, [])


def test_on_a_history_without_our_ids_every_step_stays_and_what_both_changed_comes_last() -> None:
    other = "semantic/x.md"
    steps = [
        step("base", "first"), step(None, "one", other), step("first", "both"),
        step("one", "two", other), step("both", "both", "semantic/same.md"),
    ]  # fmt: skip

    commits, made = replay(steps, [Change(PATH, "base", "last and third")], CONTENTS.__getitem__)

    assert [named(commit.writes) for commit in commits] == [
        {other: "one"}, {PATH: "first, last and third"}, {other: "two"},
    ]  # fmt: skip
    assert made.clashes == ()


def test_the_net_of_several_commits() -> None:
    steps = [step("base", "first"), step("first", None), step(None, "last")]

    assert net(steps) == {PATH: Change(PATH, "base", "last")}


@pytest.mark.parametrize(
    ("gone", "left", "sweeping"),
    [
        (1, 0, False), (2, 0, True), (2, 1, False),  # all
        (4, 4, False), (5, 5, True), (5, 6, False), (12, 11, True), (12, 13, False),  # half
        (19, 100, False), (20, 100, True), (20, 180, True), (20, 181, False),  # a tenth
    ],
)  # fmt: skip
def test_a_side_that_lost_much_at_once_looks_like_an_accident(
    gone: int, left: int, sweeping: bool
) -> None:
    changes = [Change(f"semantic/{number}.md", "base", None) for number in range(gone)]

    assert is_sweeping(changes, notes_left=left) is sweeping


@pytest.mark.parametrize(
    "path",
    ["semantic/01J9.md", "x.md", "a/b/c.md", "semantic/über note.md", ".machines/laptop.json"],
)
def test_paths_that_travel(path: str) -> None:
    assert is_syncable(path)


@pytest.mark.parametrize(
    "path",
    ["", "semantic", "semantic/x.txt", "../x.md", "a/../x.md", ".git/x.md", "a/.hidden.md",
     "/x.md", "a//x.md", "a\\x.md", "c:x.md", "a\nb.md", "a/ x.md\x7f", "x.md/", "-x.md",
     ".machines/../x.json", ".machines/a b.json", ".machines/x.md", "a/b/c/d/e/f/g/h/i.md",
     "semantic/" + "x" * 300 + ".md", "bad\udcff.md"],
)  # fmt: skip
def test_paths_that_do_not_travel(path: str) -> None:
    assert not is_syncable(path)


def test_names_that_differ_in_case_only_collide() -> None:
    present = by_folded_name(["a/x.md"])

    assert collides("a/X.md", present)
    assert not collides("a/x.md", present)
    assert not collides("a/y.md", present)
