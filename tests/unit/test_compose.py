"""One note out of two versions, part by part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.notes.fields import Memory
from anamnesis.notes.frontmatter import serialize
from anamnesis.operations.travel.conflicts import Composition, Sides, composition
from anamnesis.sync.conflicts import Conflict

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d d"]), max_size=8).map("\n".join)


def _note(body: str, **fields: object) -> Memory:
    given = {"id": "01JAAAAAAAAAAAAAAAAAAAAAAA", "type": "semantic", "title": "t", **fields}
    return Memory(body=body, **given)  # type: ignore[arg-type]


def _composed(base: Memory | None, mine: Memory, theirs: Memory, /, **picks: str) -> Composition:
    data = [None if note is None else serialize(note).encode() for note in (base, mine, theirs)]
    conflict = Conflict("c", "semantic/n.md", (), "desk", "", data[0], data[2] or b"")
    named = {name.replace("_", "-"): pick for name, pick in picks.items()}
    found = composition(Sides(conflict, data[1], data[2], "memory/semantic/n.md", data[1]), named)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("pick", "body"),
    [
        ("mine", "top\nmine\nend"),
        ("theirs", "top\ntheirs\nend"),
        ("both", "top\nmine\ntheirs\nend"),
        ("nonsense", "top\nmine\nend"),
    ],
)
def test_a_part_comes_from_the_side_that_is_picked(pick: str, body: str) -> None:
    notes = [_note(f"top\n{line}\nend") for line in ("base", "mine", "theirs")]

    assert _composed(*notes, part_1=pick).note().body == body


def test_what_one_side_changed_is_taken_unless_said_otherwise() -> None:
    base, mine, theirs = _note("a\nb\nc\nd"), _note("A\nb\nc\nd"), _note("a\nb\nc\nD")

    assert _composed(base, mine, theirs).note().body == "A\nb\nc\nD"
    assert _composed(base, mine, theirs, part_2="mine").note().body == "A\nb\nc\nd"


def test_without_a_text_before_both_every_difference_is_a_part() -> None:
    found = _composed(None, _note("a\nx\nb"), _note("a\ny\nb"))

    assert [part.differs for part in found.parts] == [False, True, False]
    assert found.note().body == "a\nx\nb"


def test_tags_of_both_are_had_together() -> None:
    mine, theirs = _note("x", tags=["a", "b"]), _note("x", tags=["b", "c"])

    assert _composed(None, mine, theirs).note().tags == ["a", "b", "c"]
    assert _composed(None, mine, theirs, field_tags="theirs").note().tags == ["b", "c"]


def test_a_field_that_only_the_other_side_changed_comes_from_there() -> None:
    found = _composed(_note("x"), _note("y"), _note("z", title="better"))

    assert found.note().title == "better"
    assert _composed(_note("x"), _note("y"), _note("z", title="better"),
                     field_title="mine").note().title == "t"  # fmt: skip


def test_keys_that_we_do_not_know_can_be_taken_too() -> None:
    mine, theirs = _note("x", extra="level: 1\n"), _note("x", extra="level: 2\n")

    assert _composed(None, mine, theirs, field_extra="theirs").note().extra == "level: 2\n"


@given(base=st.none() | TEXTS, mine=TEXTS, theirs=TEXTS)
def test_taking_one_side_everywhere_gives_that_side(
    base: str | None, mine: str, theirs: str
) -> None:
    notes = (None if base is None else _note(base), _note(mine), _note(theirs))

    for side, body in (("mine", mine), ("theirs", theirs)):
        picks = {f"part_{number}": side for number in range(1, 20)}
        assert _composed(*notes, **picks).note().body == body
