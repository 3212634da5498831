"""No text is too strange to search for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.notes.fields import SCOPES, TYPES, MemoryType, Scope
from anamnesis.store import MemoryStore

operators = st.sampled_from(
    ['"', "AND", "OR", "NOT", "NEAR", "(", ")", "*", "^", ":", "-", "title:", "{", "+", "\x00", "'"]
)
queries = st.lists(st.one_of(st.text(max_size=20), operators), max_size=8).map(" ".join)


@pytest.fixture(scope="module")
def small_store() -> Iterator[MemoryStore]:
    with tempfile.TemporaryDirectory() as root, MemoryStore(root) as store:
        for number in range(20):
            store.write(
                type=TYPES[number % 3],
                title=f"note {number} getUserById",
                body="some words and others " * (number % 4),
                project=f"p{number % 2}",
                scope=SCOPES[number % 2],
                tags=["tag", str(number)],
            )
        yield store


@given(
    query=queries,
    project=st.one_of(st.none(), st.sampled_from(["p0", "p1", "'; DROP TABLE memories"])),
    type=st.one_of(st.none(), st.sampled_from(TYPES)),
    scope=st.one_of(st.none(), st.sampled_from(SCOPES)),
    k=st.integers(-3, 30),
)
def test_any_query_is_answered_from_within_its_filters(
    small_store: MemoryStore,
    query: str,
    project: str | None,
    type: MemoryType | None,
    scope: Scope | None,
    k: int,
) -> None:
    found = small_store.search(query, project=project, type=type, scope=scope, k=k)

    assert len(found) <= max(k, 0)
    for note in found:
        assert project in (None, note.project)
        assert type in (None, note.type)
        assert scope in (None, note.scope)
    assert found == small_store.search(query, project=project, type=type, scope=scope, k=k)
