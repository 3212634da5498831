"""The decisions of a sync, without git and without files."""

from __future__ import annotations

import pytest

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.sync.plan import (
    Change,
    Step,
    by_folded_name,
    collides,
    is_sweeping,
    is_syncable,
    net,
    replay,
)

BODIES = {
    "base": "one\ntwo\nthree\nfour",
    "first": "ONE\ntwo\nthree\nfour",
    "last": "one\ntwo\nthree\nFOUR",
    "both": "ONE\ntwo\nthree\nFOUR",
    "first again": "EINS\ntwo\nthree\nFOUR",
    "first and third": "ONE\ntwo\nTHREE\nfour",
    "last and third": "one\ntwo\nTHREE\nFOUR",
    "first, last and third": "ONE\ntwo\nTHREE\nFOUR",
    "all": "EINS\ntwo\nTHREE\nFOUR",
    "other": "something else",
    "another": "and yet another",
}
CONTENTS = {
    name: serialize(Memory(id="n", type="semantic", title="t", body=body)).encode()
    for name, body in BODIES.items()
}
PATH = "semantic/n.md"
MOVED = "procedural/n.md"


def step(before: str | None, after: str | None, path: str = PATH) -> Step:
    return Step("me", f"{before} to {after}", (Change(path, before, after),))


def plan(steps: list[Step], *theirs: Change) -> tuple[list[dict[str, object]], list[str]]:
    """What each replayed commit writes, contents by name, and the paths that clash."""
    names = {data: name for name, data in CONTENTS.items()}
    made = replay(steps, theirs, CONTENTS.__getitem__)
    commits: list[dict[str, object]] = [
        {p: names.get(w, w) if isinstance(w, bytes) else w for p, w in commit.writes.items()}
        for commit in made.commits
    ]
    return commits, [clash.path for clash in made.clashes]


@pytest.mark.parametrize(
    ("mine", "theirs", "written"),
    [
        # mine before and after, theirs after: what is written on top of theirs, None for nothing
        (("base", "first"), "last", "both"),
        (("base", "first"), "first", None),
        (("base", "first"), None, "first"),  # an edit wins over a deletion
        (("base", None), "first", None),  # on either side
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
    commits, clashes = plan([step(*mine)], Change(PATH, mine[0], theirs))

    if written == "clash":
        assert (commits, clashes) == ([], [PATH])
    else:
        assert commits == ([{PATH: written}] if written else [])
        assert clashes == []


@pytest.mark.parametrize(
    ("mine", "theirs", "there", "written"),
    [
        # our commits, what they have, what they had: what is written on top of theirs
        ([("base", "other")], "another", ["another", "other"], None),  # they went on from ours
        ([("base", "other"), ("other", "another")], "other", ["other"], "another"),  # we did
        ([(None, "first")], None, ["first"], None),  # it was there, and was deleted there
        ([(None, "first"), ("first", "other")], None, ["first"], "other"),
        ([(None, "first"), ("first", None)], "first", ["first"], "deleted"),  # we deleted it
        ([("base", "first"), ("first", None)], "last", ["last"], None),  # an edit we do not know
        # within another version there, together with an edit that we do not know
        ([("base", "first")], "first again", ["first again", "both"], None),
        (
            [("base", "first"), ("first", "first and third")],
            "first again",
            ["first again", "both"],
            "all",
        ),
        ([("base", "first")], None, ["both"], None),  # who deleted it had read ours
        ([("base", "first and third")], None, ["both"], "first and third"),  # not all of it
        ([("base", "both"), ("both", None)], "first", ["first"], "deleted"),  # we had read theirs
    ],
)
def test_a_version_of_ours_that_the_other_side_had_is_where_its_edits_began(
    mine: list[tuple[str | None, str | None]], theirs: str | None, there: list[str],
    written: str | None,
) -> None:  # fmt: skip
    steps = [step(*each) for each in mine]
    before = mine[0][0]
    changes = [Change(PATH, before, theirs)] if theirs != before else []

    made = replay(steps, changes, CONTENTS.__getitem__, lambda _: there)

    writes = [write for commit in made.commits for write in commit.writes.values()]
    final = {"deleted": [None], None: []}.get(written, [CONTENTS.get(written or "")])
    assert made.clashes == ()
    assert [CONTENTS[w] if isinstance(w, str) else w for w in writes[-1:]] == final


def test_files_that_only_we_changed_are_replayed_as_they_are() -> None:
    steps = [step("base", "first"), step("first", "other")]

    commits, _ = plan(steps, Change("semantic/x.md", None, "base"))

    assert commits == [{PATH: "first"}, {PATH: "other"}]


def test_every_step_of_a_merged_file_stays_in_history() -> None:
    steps = [step("base", "first"), step("first", "both")]

    commits, clashes = plan(steps, Change(PATH, "base", "last"))

    assert clashes == []
    assert commits == [{PATH: "both"}]  # the second step says nothing new


def test_every_step_after_one_that_the_other_side_had_stays_in_history() -> None:
    """Or a third machine, which has the second step only, could not tell that it was read."""
    steps = [step("base", "last"), step("last", "both"), step("both", "first again")]
    theirs = Change(PATH, "base", "last and third")

    made = replay(steps, [theirs], CONTENTS.__getitem__, lambda _: ["last and third"])

    writes = [write for commit in made.commits for write in commit.writes.values()]
    assert writes == [CONTENTS["first, last and third"], CONTENTS["all"]]
    assert made.clashes == ()


def test_a_step_that_clashes_is_no_clash_if_the_last_one_fits() -> None:
    steps = [step("base", "other"), step("other", "first")]

    commits, clashes = plan(steps, Change(PATH, "base", "last"))

    assert (commits, clashes) == ([{PATH: "both"}], [])


def test_a_clash_leaves_the_other_files_of_the_commit() -> None:
    both = Step("me", "m", (Change(PATH, "base", "other"), Change("semantic/x.md", None, "base")))

    commits, clashes = plan([both], Change(PATH, "base", "another"))

    assert commits == [{"semantic/x.md": "base"}]
    assert clashes == [PATH]


def test_our_move_takes_their_edit_along() -> None:
    moved = Step("me", "m", (Change(PATH, "base", None), Change(MOVED, None, "first")))

    commits, clashes = plan([moved], Change(PATH, "base", "last"))

    assert (commits, clashes) == ([{PATH: None, MOVED: "both"}], [])


def test_our_edit_follows_their_move() -> None:
    commits, clashes = plan(
        [step("base", "first")], Change(PATH, "base", None), Change(MOVED, None, "last")
    )

    assert (commits, clashes) == ([{PATH: None, MOVED: "both"}], [])


def test_a_file_of_a_machine_is_its_own() -> None:
    path = ".machines/laptop.json"

    commits, clashes = plan([step("base", "first", path)], Change(path, "base", "other"))

    assert (commits, clashes) == ([{path: "first"}], [])


def test_of_two_machines_that_meet_under_one_name_the_first_keeps_it() -> None:
    path = ".machines/laptop.json"

    commits, clashes = plan([step(None, "second", path)], Change(path, None, "first"))

    assert (commits, clashes) == ([], [])


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
