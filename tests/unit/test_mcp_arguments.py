"""Arguments of tools: what is taken, what is refused, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from anamnesis.ground.errors import InvalidInput
from anamnesis.mcp.arguments import checked, schema
from anamnesis.mcp.tools import TOOLS

SEARCH = TOOLS["memory_search"].arguments
WRITE = TOOLS["memory_write"].arguments
GOOD: dict[str, Any] = {"type": "semantic", "title": "t", "body": "b"}


def test_defaults_are_filled_in() -> None:
    assert checked("memory_search", SEARCH, {"query": "x"}) == {
        "query": "x",
        "project": None,
        "type": None,
        "scope": None,
        "k": 8,
        "whole": False,
    }
    assert checked("memory_write", WRITE, GOOD) == {
        **GOOD,
        "project": "global",
        "tags": None,
        "scope": "portable",
        "supersedes": "",
    }


@pytest.mark.parametrize("given", [3, 3.0, "3", " 3 "])
def test_a_whole_number_may_come_in_the_forms_that_models_use(given: object) -> None:
    assert checked("memory_search", SEARCH, {"query": "x", "k": given})["k"] == 3


@pytest.mark.parametrize("given", [0, 51, -1, 2.5, True, "many", "", [], 10**30, "9" * 30])
def test_a_number_out_of_range_is_refused_with_the_range(given: object) -> None:
    with pytest.raises(InvalidInput, match="k must be a whole number from 1 to 50"):
        checked("memory_search", SEARCH, {"query": "x", "k": given})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"type": None}, "type is missing"),
        ({"title": 3}, "title must be a text"),
        ({"type": "fact"}, "type 'fact' is none of: procedural, semantic, episodic"),
        ({"tags": "a, b"}, "tags must be a list of texts"),
        ({"tags": ["a", 1]}, "tags must be a list of texts"),
        ({"machine_id": "evil"}, "memory_write has no argument 'machine_id'"),
    ],
)
def test_what_is_refused_is_named(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        checked("memory_write", WRITE, {**GOOD, **wrong})


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    given = {**GOOD, "title": "a\ud83d", "tags": ["\udc00b", "😀"]}

    found = checked("memory_write", WRITE, given)

    assert (found["title"], found["tags"]) == ("a\ufffd", ["\ufffdb", "😀"])


def test_schemas_use_plain_types_only() -> None:
    for tool in TOOLS.values():
        found = schema(tool.arguments)
        assert found["additionalProperties"] is False
        for described in found["properties"].values():
            assert isinstance(described["type"], str)
            assert described["description"]


def test_no_tool_takes_the_machine_of_origin() -> None:
    names = {argument.name for tool in TOOLS.values() for argument in tool.arguments}

    assert not names & {"machine_id", "machine", "root", "home", "path"}
