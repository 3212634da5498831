"""Any text, any filter, any store: an answer from within the filter, the same every time."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from anamnesis.index import database, rows
from anamnesis.notes.fields import SCOPES, TYPES, Memory
from anamnesis.search.engine import FoundNote, Question, search
from anamnesis.search.query import Filters

word = st.sampled_from(
    [
        "lock",
        "sqlite",
        "the",
        "getUserById",
        "MAX_RETRIES",
        "src/app.py",
        "数据库",
        "café",
        "42",
        "-",
    ]
)
texts = st.lists(st.one_of(word, st.text(max_size=8)), max_size=12).map(" ".join)
notes = st.builds(
    Memory,
    id=st.uuids().map(lambda value: value.hex),
    type=st.sampled_from(TYPES),
    title=texts,
    body=texts,
    project=st.sampled_from(["p", "q", "global"]),
    machine_id=st.sampled_from(["m", "n"]),
    scope=st.sampled_from(SCOPES),
    tags=st.lists(st.sampled_from(["x", "y", "z"]), unique=True),
    updated_at=st.sampled_from(["2026-01-01T00:00:00+00:00", "2026-05-05", "junk", ""]),
    confidence=st.sampled_from([0.0, 0.5, 1.0, 7.0]),
)
stores = st.lists(notes, max_size=8, unique_by=lambda note: note.id)
filters = st.builds(
    Filters,
    projects=st.sampled_from([(), ("p",), ("q", "global"), ("none",)]),
    type=st.sampled_from(["", *TYPES]),
    scope=st.sampled_from(["", *SCOPES]),
    tags=st.sampled_from([(), ("x",), ("x", "y")]),
    machine=st.sampled_from(["", "m"]),
    since=st.sampled_from(["", "2026", "2026-03"]),
    until=st.sampled_from(["", "2026-03"]),
    file=st.one_of(st.sampled_from(["", "app.py", "src/app.py"]), st.text(max_size=6)),
)


def index(written: list[Memory]) -> sqlite3.Connection:
    db = database.connect(":memory:")
    database.create(db)
    for note in written:
        rows.upsert(db, note, f"{note.type}/{note.id}.md")
    return db


def ask(written: list[Memory], question: Question) -> list[FoundNote]:
    with closing(index(written)) as db:
        return search(db, question)


@given(stores, texts, filters, st.integers(-1, 9), st.integers(-1, 4))
def test_hits_come_from_within_the_filters(
    written: list[Memory], text: str, asked: Filters, limit: int, offset: int
) -> None:
    by_id = {note.id: note for note in written}

    found = ask(written, Question(text, asked, limit=limit, offset=offset, by_meaning=True))

    assert len(found) <= max(limit, 0)
    assert len({hit.id for hit in found}) == len(found)
    for hit in found:
        note = by_id[hit.id]
        assert note.project in (asked.projects or (note.project,))
        assert asked.type in ("", note.type)
        assert asked.scope in ("", note.scope)
        assert asked.machine in ("", note.machine_id)
        assert set(asked.tags) <= set(note.tags)
        assert note.updated_at >= asked.since
        assert not asked.until or note.updated_at[: len(asked.until)] <= asked.until
        assert asked.file.lower() in f"{note.title}\n{note.body}".lower()


@given(stores, texts, filters, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_machine(
    written: list[Memory], text: str, asked: Filters, chance: object
) -> None:
    shuffled = sorted(written, key=lambda _: chance.random())  # type: ignore[attr-defined]
    question = Question(text, asked, limit=9, by_meaning=True)

    assert ask(written, question) == ask(shuffled, question)


@given(notes, st.data())
def test_a_note_is_found_by_a_word_of_its_own(note: Memory, data: st.DataObject) -> None:
    own = [part for part in note.title.split() if part.isascii() and part.isalnum()]
    if not own:
        return
    asked = data.draw(st.sampled_from(own))

    assert [hit.id for hit in ask([note], Question(asked, Filters()))] == [note.id]
