"""What memory_search and memory_list answer, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anamnesis.mcp import digest, tools
from anamnesis.server import (
    list_memories,
    search_memories,
    write_memory,
)

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


def test_search_gives_bodies_and_list_does_not(store: MemoryStore) -> None:
    written = write_memory(
        store, type="procedural", title="WAL mode", body="set busy_timeout", tags=["sqlite"]
    )

    [hit] = search_memories(store, query="wal mode")
    [listed] = list_memories(store)

    assert hit == {**written, "origin": "agent:unknown"}
    assert listed == {key: value for key, value in written.items() if key != "body"}


def test_a_hit_names_its_origin_only_if_it_has_one(store: MemoryStore) -> None:
    store.write(type="semantic", title="WAL mode", body="set busy_timeout")

    [hit] = search_memories(store, query="wal mode")

    assert "origin" not in hit


def test_an_id_as_the_query_gives_that_note_whole(store: MemoryStore) -> None:
    long = store.write(type="semantic", title="Long", body="word " * 3_000)

    [hit] = search_memories(store, query=f" {long.id}\n")

    assert hit["body"] == long.body


def test_bodies_share_the_room_of_one_answer(store: MemoryStore) -> None:
    for number in range(40):
        store.write(type="semantic", title=f"Log {number}", body="log line\n" * 1_000)

    hits = search_memories(store, query="log line", k=40)

    assert len(hits) == 40
    assert sum(len(str(hit["body"])) for hit in hits) < digest.ANSWER_LIMIT + 40 * 200
    assert "resource memory://note/" in str(hits[0]["body"])


@pytest.mark.parametrize(("k", "expected"), [(-1, 0), (0, 0), (1, 1), (10_000, 3)])
def test_k_is_never_everything(store: MemoryStore, k: int, expected: int) -> None:
    for number in range(3):
        store.write(type="semantic", title=f"Note {number}", body="same words")

    assert len(search_memories(store, query="same words", k=k)) == expected


def test_a_list_ends_at_its_cap_and_goes_on_with_offset(store: MemoryStore) -> None:
    for number in range(tools.LIST_LIMIT + 5):
        store.write(type="semantic", title=f"Note {number}", body="x")

    first = tools.page(store)
    rest = tools.page(store, offset=first.next_offset or 0)

    assert (len(first.rows), first.next_offset) == (tools.LIST_LIMIT, tools.LIST_LIMIT)
    assert (len(rest.rows), rest.next_offset) == (5, None)
    assert len(list_memories(store)) == tools.LIST_LIMIT
    assert len({row.note.id for row in (*first.rows, *rest.rows)}) == tools.LIST_LIMIT + 5
