"""Importing what the other programs themselves wrote (see samples/imports).

basic-memory 0.17.9 wrote the notes, mem0 2.2.1 the history and the answer of `get_all`, and
claude-mem 13.25.3 the rows of its database; the tables here have their columns only.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anamnesis.ground.errors import InvalidInput
from anamnesis.importers import programs
from anamnesis.operations.curate import import_
from anamnesis.operations.curate.import_ import ImportPlan
from anamnesis.store import MemoryStore

SAMPLES = Path(__file__).parent.parent / "samples" / "imports"


def database(path: Path, sample: str) -> Path:
    """A database with the tables and rows of a sample."""
    with closing(sqlite3.connect(path)) as db:
        for table, rows in json.loads((SAMPLES / sample).read_text()).items():
            columns = ", ".join(rows[0])
            db.execute(f"CREATE TABLE {table} ({columns})")
            marks = ", ".join("?" * len(rows[0]))
            db.executemany(
                f"INSERT INTO {table} VALUES ({marks})", [tuple(row.values()) for row in rows]
            )
        db.commit()
    return path


def take(store: MemoryStore, path: Path) -> ImportPlan:
    return import_.import_notes(store, str(path))


def test_the_database_of_claude_mem(store: MemoryStore, tmp_path: Path) -> None:
    take(store, database(tmp_path / "claude-mem.db", "claude-mem.json"))

    found = {note.title: note for note in store.list()}
    observation, summary = found["Checkout waited for mail"], found["Make checkout faster"]
    assert observation.body == (
        "Mail is sent later now\n\nThe checkout handler sent the mail before it answered.\n\n"
        "- Mail took 2 s\n- It is queued now\n\nFiles: `shop/checkout.py`, `shop/mail.py`"
    )
    assert {"bugfix", "problem-solution"} <= set(observation.tags)
    assert (observation.project, observation.created_at) == ("shop", "2026-01-01T00:00:00+00:00")
    assert (summary.type, summary.prov_session) == ("episodic", "mem-1")
    assert "**Next steps:** Watch the queue" in summary.body
    assert found["Tests need redis"].body == "Tests need redis on port 6390."


def test_the_history_of_mem0(store: MemoryStore, tmp_path: Path) -> None:
    path = database(tmp_path / "history.db", "mem0-history.json")
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO history SELECT * FROM history WHERE memory_id LIKE 'a6e%'")
        db.execute("UPDATE history SET event = 'DELETE', is_deleted = 1 WHERE rowid = 4")
        db.commit()

    take(store, path)

    assert [note.body for note in store.list()] == ["Prefers tabs over spaces, always"]


def test_the_answer_of_mem0_and_its_history_are_the_same_notes(
    store: MemoryStore, tmp_path: Path
) -> None:
    take(store, SAMPLES / "mem0-get-all.json")
    assert {note.project for note in store.list()} == {"shop", "global"}

    again = take(store, database(tmp_path / "history.db", "mem0-history.json"))

    assert (again.unchanged, len(again.updated), again.added) == (1, 1, [])


def test_the_notes_of_basic_memory(store: MemoryStore) -> None:
    take(store, SAMPLES / "basic-memory")

    found = {note.title: note for note in store.list()}
    assert set(found) == {"Search design", "Index: how it is built"}
    assert {"search", "fts"} <= set(found["Search design"].tags)
    assert found["Search design"].body.startswith("# Search\n\n## Observations\n- [decision]")
    assert found["Index: how it is built"].body == "Just text, with: a colon"


def test_a_database_of_somebody_else_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE moz_places (url)")
        db.commit()

    with pytest.raises(InvalidInput, match="Cannot tell which program"):
        programs.program_of(str(path))


def test_a_damaged_database_is_told(store: MemoryStore, tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    with pytest.raises(InvalidInput, match="Cannot read"):
        take(store, path)
