"""What memory_write lets through, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anamnesis.ground.errors import InvalidInput, NoSuchNote
from anamnesis.server import (
    search_memories,
    write_memory,
)

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore

SECRET = "ghp_" + "a1B2" * 9


def test_a_repeated_write_gives_the_note_that_is_there(store: MemoryStore) -> None:
    first = write_memory(store, type="semantic", title="Tabs", body="not spaces\n")

    again = write_memory(store, type="procedural", title=" Tabs ", body="not spaces")

    assert again["id"] == first["id"]
    assert "nothing was written" in str(again["notice"])
    assert store.stats()["total"] == 1


@pytest.mark.parametrize("difference", [{"project": "demo"}, {"scope": "machine-local"}])
def test_the_same_words_elsewhere_are_another_note(
    store: MemoryStore, difference: dict[str, Any]
) -> None:
    first = write_memory(store, type="semantic", title="Tabs", body="not spaces")

    other = write_memory(store, type="semantic", title="Tabs", body="not spaces", **difference)

    assert other["id"] != first["id"]


def test_a_correction_hides_the_note_it_replaces(store: MemoryStore) -> None:
    old = write_memory(store, type="semantic", title="Port", body="the port is 8080")
    new = write_memory(
        store, type="semantic", title="Port", body="the port is 8443", supersedes=str(old["id"])
    )

    assert [hit["id"] for hit in search_memories(store, query="port")] == [new["id"]]


def test_what_was_replaced_can_be_said_again(store: MemoryStore) -> None:
    old = write_memory(store, type="semantic", title="Port", body="8080")
    new = write_memory(store, type="semantic", title="Port", body="8443", supersedes=str(old["id"]))

    back = write_memory(
        store, type="semantic", title="Port", body="8080", supersedes=str(new["id"])
    )

    assert back["id"] not in (old["id"], new["id"])
    assert [hit["body"] for hit in search_memories(store, query="port")] == ["8080"]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"type": "fact"}, "procedural, semantic, episodic"),
        ({"scope": "everywhere"}, "portable, machine-local"),
        ({"title": " \n "}, "title is empty"),
        ({"title": "t" * 301}, "300 are allowed"),
        ({"body": "é" * 131_073}, "256 KB are allowed"),
    ],
)
def test_a_wrong_value_is_refused_and_nothing_is_written(
    store: MemoryStore, wrong: dict[str, Any], names: str
) -> None:
    right: dict[str, Any] = {"type": "semantic", "title": "t", "body": "b"}

    with pytest.raises(InvalidInput, match=names):
        write_memory(store, **{**right, **wrong})

    assert store.stats()["total"] == 0


def test_only_a_note_that_is_there_can_be_superseded(store: MemoryStore) -> None:
    with pytest.raises(NoSuchNote):
        write_memory(store, type="semantic", title="t", body="b", supersedes="01J9Z8YPM7")

    assert store.stats()["total"] == 0


def test_the_writer_is_told_about_secrets(store: MemoryStore) -> None:
    written = write_memory(store, type="semantic", title="Token", body=f"it is {SECRET}")

    assert written["body"] == "it is [redacted: github token]"
    assert written["notice"] == "Secrets were replaced before storing: github token."


def test_no_text_of_a_note_brings_a_secret_in(store: MemoryStore) -> None:
    written = write_memory(
        store, type="semantic", title=SECRET, body="b", project=f"of {SECRET}", tags=["ci", SECRET]
    )

    hidden = "[redacted: github token]"
    assert (written["title"], written["project"]) == (hidden, f"of {hidden}")
    assert written["tags"] == ["ci", hidden]
