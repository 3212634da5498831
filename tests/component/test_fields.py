"""A field of a note is one row of one table, and everything that handles notes follows it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import anamnesis
from anamnesis.ground.records import replace
from anamnesis.index import database
from anamnesis.index.browse import rows
from anamnesis.index.note_filter import NoteFilter
from anamnesis.notes.fields import FIELDS, KEYS, SPECIFIED, Memory, Row
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.store import MemoryStore
from anamnesis.sync.merge import RULES
from support.hooks import environment

PACKAGE = Path(anamnesis.__file__).parent
ROW = '    mood: str = row(merge=CHOICE, default="", shown=True, label="Mood")\n'


@pytest.mark.parametrize("row", FIELDS.values(), ids=FIELDS)
def test_every_field_has_a_merge_rule_that_sync_knows(row: Row) -> None:
    assert row.merge in RULES


def test_a_row_without_a_merge_rule_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="merge"):
        exec("from anamnesis.notes.fields import row\nrow(default='')")


def test_the_table_has_the_fields_of_the_record_and_its_defaults() -> None:
    least = Memory("01JAAAAAAAAAAAAAAAAAAAAAAA", "semantic", "t", "b")

    assert tuple(FIELDS) == Memory.__match_args__
    for name, row in FIELDS.items():
        assert row.default is None or getattr(least, name) == row.default


def test_later_keys_follow_those_of_the_specification_and_are_written_only_when_set() -> None:
    assert tuple(KEYS)[: len(SPECIFIED)] == SPECIFIED
    assert not [name for name in tuple(KEYS)[len(SPECIFIED) :] if KEYS[name].always]


def test_the_index_has_a_column_for_every_field_but_the_texts(store: MemoryStore) -> None:
    columns = {row["name"] for row in store.ask(lambda db: db.execute(
        "SELECT name FROM pragma_table_info('memories')").fetchall())}  # fmt: skip

    assert columns - {"rowid", "body_path", "superseded"} == set(FIELDS) - {"body", "extra"}


def test_notes_of_one_source_are_found_by_the_index_of_sources(store: MemoryStore) -> None:
    def plan(shown: NoteFilter) -> str:
        asked: list[str] = []
        with database.connect(str(store.db_path)) as db:
            db.set_trace_callback(asked.append)
            rows(db, shown, limit=9)
            db.set_trace_callback(None)
            return " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {asked[0]}"))

    assert "idx_mem_prov" in plan(NoteFilter(source="import"))
    assert "idx_mem_scope" in plan(NoteFilter(source="import", project="demo"))


def test_an_index_of_other_tables_is_built_again(
    root: Path,
) -> None:
    with MemoryStore(root) as store:
        note = store.write(type="semantic", title="t", body="b")
    with database.connect(str(root / "index.db")) as db:
        db.execute("DROP INDEX idx_mem_prov")
        db.execute("PRAGMA application_id=0x616E616D")  # as earlier versions marked theirs

    with MemoryStore(root) as store:
        assert [found.id for found in store.headers()] == [note.id]
        asked = "SELECT 1 FROM sqlite_schema WHERE name = 'idx_mem_prov'"
        assert store.ask(lambda db: db.execute(asked).fetchone()) is not None


@pytest.fixture
def with_a_row(tmp_path: Path, home: Path) -> dict[str, str]:
    """The environment of a program that differs from this one by one line."""
    package = tmp_path / "package" / "anamnesis"
    (package / "notes").mkdir(parents=True)
    for folder in (".", "notes"):
        for entry in (PACKAGE / folder).iterdir():
            if entry.name not in ("notes", "fields.py", "__pycache__"):
                (package / folder / entry.name).symlink_to(entry)
    table = (PACKAGE / "notes" / "fields.py").read_text()
    mark = "    # Keys that this version does not know"
    assert table.count(mark) == 1
    (package / "notes" / "fields.py").write_text(table.replace(mark, ROW + mark))
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(package.parent), str(tests)])
    return {**environment(home), "PYTHONPATH": path, "TEST_ROOT": str(tmp_path)}


@pytest.mark.parametrize("name", [
    "written_and_read", "listed_from_the_index", "edited_in_the_dashboard", "set_through_the_api",
    "shown_by_the_tools", "set_by_the_other_side", "dropped_by_an_earlier_version",
    "changed_by_both_sides", "composed_from_a_conflict", "exported_and_imported",
    "changed_at_its_source",
])  # fmt: skip
def test_a_field_added_as_one_row_survives_being(with_a_row: dict[str, str], name: str) -> None:
    child = Path(__file__).with_name("one_more_field.py")

    done = subprocess.run(
        [sys.executable, str(child), name],
        env=with_a_row, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr


def test_a_program_without_the_row_keeps_what_one_with_it_wrote() -> None:
    text = serialize(Memory("01JAAAAAAAAAAAAAAAAAAAAAAA", "semantic", "t", "b"))
    newer = text.replace("tags: []\n", "tags: []\nmood: calm\n")

    note = deserialize(newer)

    assert serialize(replace(note, title="u")) == newer.replace("title: t", "title: u")
