"""What a model proposes is used only if every detail is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from anamnesis.reflect.proposal import InvalidProposal, Operation, validated

SESSIONS = {"S1", "S2"}
EDITABLE = {"D1": "semantic", "D2": "procedural"}


def add(**changes: object) -> dict[str, object]:
    good = {
        "op": "add", "type": "semantic", "title": "The port is 8443",
        "body": "The service listens on 8443 since the move.", "tags": ["network"],
        "sources": ["S1"],
    }  # fmt: skip
    return {**good, **changes}


def check(*operations: object) -> list[Operation]:
    return validated({"operations": list(operations)}, sessions=SESSIONS, editable=EDITABLE)


def test_each_operation_is_understood() -> None:
    update = {**add(op="update", id="D2"), "type": None}
    del update["type"]
    supersede = add(op="supersede", ids=["D1"])
    retract = {"op": "retract", "id": "D1", "reason": "The server was switched off in May.",
               "sources": ["S2"]}  # fmt: skip

    assert [each.op for each in check(add(), update, supersede)] == ["add", "update", "supersede"]
    assert check(update)[0].type == "procedural"
    assert check(retract)[0].targets == ("D1",)
    assert check() == []


@pytest.mark.parametrize(
    "answer",
    [{}, {"operations": {}}, {"operations": [], "note": "hi"}, {"ops": []}, {"operations": "add"}],
)
def test_another_shape_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(InvalidProposal):
        validated(answer, sessions=SESSIONS, editable=EDITABLE)


BAD: dict[str, object] = {
    "no object": "add a note",
    "unknown operation": add(op="delete"),
    "no operation": {"title": "x"},
    "unknown key": add(path="/etc/passwd"),
    "source that was not shown": add(sources=["S9"]),
    "no source": add(sources=[]),
    "source of another kind": add(sources=[1]),
    "a session as target": {**add(op="supersede"), "ids": ["S1"]},
    "a person's note as target": {**add(op="supersede"), "ids": ["HUMAN"]},
    "path as target": {**add(op="supersede"), "ids": ["../../x"]},
    "episodic": add(type="episodic"),
    "two lines of title": add(title="one\ntwo"),
    "long title": add(title="x" * 121),
    "empty title": add(title=" "),
    "short body": add(body="too short"),
    "long body": add(body="x" * 4001),
    "body of another kind": add(body=["x" * 50]),
    "secret": add(body="Use the token ghp_" + "a1B2" * 9 + " for it."),
    "secret in the title": add(title="ghp_" + "a1B2" * 9),
    "control characters": add(body="It is \x1b[31m red and long enough."),
    "text direction": add(title="abc \u202e cba"),
    "many tags": add(tags=[f"t{n}" for n in range(9)]),
    "tag with a line end": add(tags=["a\nb"]),
    "retraction without a reason": {"op": "retract", "id": "D1", "sources": ["S1"]},
}


@pytest.mark.parametrize("name", BAD)
def test_one_wrong_detail_drops_the_operation_and_not_the_answer(name: str) -> None:
    assert [each.title for each in check(add(), BAD[name])] == [add()["title"]]


@pytest.mark.parametrize("name", BAD)
def test_an_answer_without_a_valid_operation_is_refused(name: str) -> None:
    with pytest.raises(InvalidProposal):
        check(BAD[name])


def test_two_equal_additions_become_one() -> None:
    assert len(check(add(), add(), add(title="Another note"))) == 2


def test_no_note_is_replaced_twice() -> None:
    with pytest.raises(InvalidProposal, match="same note"):
        check(
            {**add(op="supersede"), "ids": ["D1"]},
            {**add(op="supersede", title="Another note"), "ids": ["D1"]},
        )


def test_an_answer_cannot_empty_a_project() -> None:
    many = {f"D{n}": "semantic" for n in range(11)}

    with pytest.raises(InvalidProposal, match="more than 10"):
        validated(
            {"operations": [{**add(op="supersede"), "ids": list(many)}]},
            sessions=SESSIONS, editable=many,
        )  # fmt: skip


def test_there_is_an_end_to_operations() -> None:
    with pytest.raises(InvalidProposal, match="more than 24"):
        check(*[add(title=f"Note {n}") for n in range(25)])


def test_a_model_cannot_set_our_own_tags() -> None:
    (operation,) = check(add(tags=["pinned", "Reflected", "network"]))

    assert operation.tags == ("network",)
