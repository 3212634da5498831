from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from anamnesis.ground.records import record, replace
from anamnesis.notes.fields import Memory


def a_note() -> Memory:
    return Memory(id="a", type="semantic", title="t", body="b")


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        a_note().title = "other"  # type: ignore[misc]


def test_a_default_list_is_not_shared() -> None:
    first, second = a_note(), a_note()

    first.tags.append("x")

    assert second.tags == []


def test_a_record_is_a_dataclass_to_the_standard_library() -> None:
    note = a_note()

    assert dataclasses.is_dataclass(note)
    assert [field.name for field in dataclasses.fields(note)][:4] == ["id", "type", "title", "body"]
    assert dataclasses.asdict(note)["project"] == "global"
    assert dataclasses.replace(note, title="new") == replace(note, title="new")


def test_a_record_can_be_copied_and_pickled() -> None:
    note = a_note()

    assert pickle.loads(pickle.dumps(note)) == note
    assert copy.deepcopy(note) == note


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(TypeError):
        Memory(id="a", type="semantic", title="t")  # type: ignore[call-arg]


@pytest.mark.parametrize("made_before", [0, 100])
def test_a_wrong_call_is_an_error_before_and_after_the_initialiser_is_compiled(
    made_before: int,
) -> None:
    @record
    class Point:
        x: int
        y: int = 2

    for number in range(made_before):
        assert Point(number) == Point(number, 2) == Point(y=2, x=number)

    for values, named in (((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})):
        with pytest.raises(TypeError):
            Point(*values, **named)
