"""What many notes at once may cost: files opened, texts scanned, statements run."""

from __future__ import annotations

import json
import random
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anamnesis import secrets
from anamnesis.history.units import Unit, Units
from anamnesis.hooks import background
from anamnesis.notes.fields import FIELDS
from anamnesis.operations.care import status
from anamnesis.operations.curate import import_
from anamnesis.secrets import Finding, names
from anamnesis.store import MemoryStore
from corpus.secrets import planted

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 600
SECRET = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"  # a shape, not a token


@contextmanager
def opened_notes() -> Iterator[list[str]]:
    """The note files that are opened meanwhile."""
    opened: list[str] = []
    listening = [True]

    def watch(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and listening and str(given[0]).endswith(".md"):
            opened.append(str(given[0]))

    sys.addaudithook(watch)  # it cannot be removed again
    try:
        yield opened
    finally:
        listening.clear()


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    commands: list[object] = []
    monkeypatch.setattr(background, "start", commands.append)
    return commands


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore(tmp_path / "home") as opened:
        yield opened


def exported(tmp_path: Path, *, secret_in: int = -1) -> Path:
    """An export of another program with many notes, one of them with a secret."""
    path = tmp_path / "memory.jsonl"
    with path.open("w") as file:
        for number in range(MANY):
            said = f"The token is {SECRET}." if number == secret_in else f"Said {number}: x é\t…"
            entity = {
                "type": "entity", "name": f"Entity {number}: é", "entityType": "fact",
                "observations": [said, "Run make lint before each release."],
            }  # fmt: skip
            file.write(json.dumps(entity) + "\n")
    return path


def indexed_rows(store: MemoryStore) -> list[tuple[object, ...]]:
    sql = (
        f"SELECT {', '.join(f'm.{name}' for name, row in FIELDS.items() if row.column)}, "
        "m.body_path, f.title, f.body, f.tags, f.parts, f.facets, files.hash, files.problem, "
        "files.size, files.mtime_ns, files.inode FROM memories m "
        "JOIN memories_fts f ON f.rowid = m.rowid JOIN files ON files.note_id = m.id ORDER BY m.id"
    )
    return store.ask(lambda db: [tuple(row) for row in db.execute(sql)])


def test_an_import_reads_no_note_back(store: MemoryStore, tmp_path: Path) -> None:
    path = exported(tmp_path)

    with opened_notes() as opened:
        import_.import_notes(store, str(path), format="mcp-memory")

    # Each is opened once, to be written under another name, which does not end in .md.
    assert opened == []
    assert store.stats()["total"] == MANY


def test_what_was_not_read_back_is_indexed_as_a_rebuild_would(
    store: MemoryStore, tmp_path: Path
) -> None:
    import_.import_notes(store, str(exported(tmp_path)), format="mcp-memory")
    before = indexed_rows(store)

    assert len(before) == MANY
    assert not store.refresh()
    store.reindex()
    assert indexed_rows(store) == before


def test_an_import_of_many_notes_scans_them_together(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: list[str] = []

    def counting(text: str, lowered: bytes) -> Iterator[Finding]:
        scanned.append(text)
        return names.named_values(text, lowered)

    monkeypatch.setattr(secrets, "named_values", counting)
    monkeypatch.setattr(secrets, "_harmless", set())

    import_.import_notes(store, str(exported(tmp_path)), format="mcp-memory")

    assert len(scanned) < MANY / 10


def test_a_secret_among_many_notes_is_redacted(store: MemoryStore, tmp_path: Path) -> None:
    path = exported(tmp_path, secret_in=317)

    import_.import_notes(store, str(path), format="mcp-memory")

    bodies = [note.body for note in store.list(limit=None)]
    assert len(bodies) == MANY
    assert not any(SECRET in body for body in bodies)
    assert sum("[redacted: " in body for body in bodies) == 1


def test_status_of_a_large_store_leaves_comparing_its_files_to_the_background(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch, started: list[object]
) -> None:
    note = store.write(type="semantic", title="First", body="Text.")
    store.write(type="semantic", title="Second", body="Text.")
    (store.memory_dir / "semantic" / f"{note.id}.md").write_text("broken by hand")
    monkeypatch.setattr(status, "_MOST_COMPARED", 1)

    report = status.full_report(store)
    status.full_report(store)

    assert report["unreadable"] == []
    assert started == [background.REINDEX]  # once: the next one is due in an hour

    monkeypatch.setattr(status, "_MOST_COMPARED", 2)
    assert len(status.full_report(store)["unreadable"]) == 1  # type: ignore[arg-type]


def test_the_same_export_again_is_not_even_parsed(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = exported(tmp_path)
    import_.import_notes(store, str(path), format="mcp-memory")
    parsed: list[object] = []
    monkeypatch.setattr(import_, "plan_import", lambda *_, **__: parsed.append(1))

    planned = import_.import_notes(store, str(path), format="mcp-memory")

    assert planned.unchanged == MANY
    assert parsed == []


def test_the_same_export_brings_back_what_was_lost_and_leaves_edits_alone(
    store: MemoryStore, tmp_path: Path
) -> None:
    path = exported(tmp_path)
    import_.import_notes(store, str(path), format="mcp-memory")
    lost, edited, *_ = store.list(limit=2)
    store.delete(lost.id)
    file = store.memory_dir / edited.type / f"{edited.id}.md"
    file.write_text(file.read_text().replace("Run make lint", "Run make check"))

    planned = import_.import_notes(store, str(path), format="mcp-memory")

    assert [note.id for note in planned.added] == [lost.id]
    assert "Run make check" in file.read_text()

    path.write_text(path.read_text().replace("Said 5:", "Said five:"))
    assert len(import_.import_notes(store, str(path), format="mcp-memory").updated) == 1


def test_a_secret_is_found_wherever_it_stands_among_fifty_texts() -> None:
    lines = (Path(__file__).parents[1] / "corpus" / "harmless.txt").read_text("utf-8").splitlines()
    harmless = [line for line in lines if line.strip() and not secrets.findings(line)]
    chance = random.Random(5)

    for case in planted():
        texts = chance.sample(harmless, 49)
        texts.insert(chance.randrange(50), case.text)
        assert secrets.findings("\n\n".join(texts)), case.name


def test_an_edit_between_writing_and_indexing_is_indexed(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Units.finish

    def edited_first(units: Units, unit: Unit) -> Unit:
        file = store.root / unit.notes[7]
        file.write_text(file.read_text().replace("Run make lint", "Run make quickcheck"))
        return finish(units, unit)

    monkeypatch.setattr(Units, "finish", edited_first)

    import_.import_notes(store, str(exported(tmp_path)), format="mcp-memory")

    assert len(store.search("quickcheck")) == 1
    assert not store.refresh()
