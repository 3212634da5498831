"""What memory_search and memory_list answer, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anamnesis.mcp import answers, tools
from anamnesis.mcp.workspace import Binding
from anamnesis.server import (
    list_memories,
    search_memories,
    write_memory,
)
from anamnesis.sync.git import backend_of

if TYPE_CHECKING:
    from anamnesis.mcp.answers import ToolAnswer
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
    assert sum(len(str(hit["body"])) for hit in hits) < answers.ANSWER_LIMIT + 40 * 200
    assert "resource memory://note/" in str(hits[0]["body"])


_FILLER = "The harbour office wrote about cranes, ropes and the weather of that week. " * 6


def _asked(store: MemoryStore, query: str, **more: object) -> ToolAnswer:
    backend = backend_of(store.home, machine_id="testbox")
    binding = Binding(store, machine_id="testbox", backend=backend)
    return tools.call(binding, "memory_search", {"query": query, **more})


def test_an_answer_fits_in_four_thousand_characters(store: MemoryStore) -> None:
    for number in range(60):
        store.write(
            type="semantic", title=f"Cranes {number} {'of the harbour ' * 15}", body=_FILLER * 9
        )

    answer = _asked(store, "harbour cranes", k=50)

    assert 3_000 < len(answer.text) <= answers.SEARCH_LIMIT
    assert len(answer.structured["result"]) == 50
    assert sum(len(each["body"]) for each in answer.structured["result"]) < 50 * 100 + 4_000


def test_the_lines_that_answer_come_before_the_beginnings_of_notes(store: MemoryStore) -> None:
    answer = "The quota of pier nine is 417 crates."
    for number in range(8):
        told = f"\n{answer}\n" if number == 5 else "\n"
        store.write(
            type="semantic", title=f"Harbour {number}", body=f"{_FILLER * 9}{told}{_FILLER * 9}"
        )

    found = _asked(store, "what is the quota of pier nine at the harbour?")

    assert answer in found.text
    [note] = [each for each in found.structured["result"] if answer in each["body"]]
    assert f'whole note: memory_search with query "{note["id"]}"' in note["body"]


def test_short_notes_are_given_unchanged_and_unmarked(store: MemoryStore) -> None:
    body = "  Cranes:\n\n    crane --start\n\n- one\n- two\n"
    written = store.write(type="semantic", title="Cranes", body=body)
    store.write(type="semantic", title="Crane keys", body="In the cupboard.")

    [hit] = [
        each for each in _asked(store, "cranes").structured["result"] if each["id"] == written.id
    ]

    assert hit["body"] == written.body


def test_whole_notes_are_given_on_request(store: MemoryStore) -> None:
    for number in range(3):
        store.write(type="semantic", title=f"Cranes {number}", body=(_FILLER * 8)[:3_500])

    hits = _asked(store, "cranes", whole=True).structured["result"]

    assert [len(each["body"]) for each in hits] == [3_500] * 3


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
