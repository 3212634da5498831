"""A store made by version 1.0.0 works as it is: notes, index, history and undo."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from anamnesis.cli import main
from anamnesis.history import log
from anamnesis.operations.curate import forget
from anamnesis.store import MemoryStore

STORE = Path(__file__).parents[1] / "data" / "store-1.0.0.tar.gz"


@pytest.fixture
def root(home: Path) -> Path:
    root = home / ".anamnesis"
    with tarfile.open(STORE) as archive:
        archive.extractall(root, filter="data")
    return root


def files(root: Path) -> dict[str, bytes]:
    trees = (root / "memory", root / "local")
    return {
        str(path.relative_to(root)): path.read_bytes()
        for tree in trees
        for path in tree.rglob("*.md")
    }


def test_its_notes_are_read_and_their_files_left_alone(root: Path) -> None:
    before = files(root)

    with MemoryStore(root) as store:
        titles = {note.title for note in store.list()}
        store.reindex()

    assert {"Release steps", "The port is 8443 now", "Keep the laptop plugged in"} <= titles
    assert "Grüße: 数据库连接池 needs 20 connections" in titles
    assert files(root) == before


@pytest.mark.parametrize(
    ("words", "title"),
    [("vpn", "Deploys need the VPN"), ("port", "The port is 8443 now"), ("连接池", "Grüße")],
)
def test_its_notes_are_found(
    root: Path, capsys: pytest.CaptureFixture[str], words: str, title: str
) -> None:
    assert main(["search", words]) == 0

    assert title in capsys.readouterr().out


def test_a_note_that_it_replaced_stays_replaced(root: Path) -> None:
    with MemoryStore(root) as store:
        replaced = {note.title for note in store.list() if note.id in store.superseded_ids()}

    assert "The port is 8080" in replaced


def test_its_settings_count(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 0

    assert "old-laptop" in capsys.readouterr().out


def test_what_it_merged_can_be_taken_back(root: Path) -> None:
    with MemoryStore(root) as store:
        merged = next(note for note in store.list() if len(note.supersedes_ids) == 2)

    assert main(["merge", "--undo"]) == 0

    with MemoryStore(root) as store:
        assert store.get(merged.id) is None
        assert not set(merged.supersedes_ids) & store.superseded_ids()


def test_what_it_deleted_can_be_restored(root: Path) -> None:
    with MemoryStore(root) as store:
        known = {note.id for note in store.list()}
    deleted, revision = _deleted(root, known)

    assert main(["restore", deleted, f"{revision}~1"]) == 0

    with MemoryStore(root) as store:
        restored = store.get(deleted)
    assert restored is not None
    assert restored.title == "To be deleted"


def _deleted(root: Path, known: set[str]) -> tuple[str, str]:
    """The one note that the history has and the store has not, and where it was removed."""
    asked = ["log", "--format=%H", "--name-only", "--diff-filter=D", "--", "*.md"]
    lines = log.git_output(str(root / "memory"), *asked).decode().split()
    notes = {Path(line).stem: lines[0] for line in lines if line.endswith(".md")}
    (note_id,) = notes.keys() - known
    return note_id, notes[note_id]


def test_its_resolved_conflicts_are_forgotten_with_their_note(root: Path) -> None:
    with MemoryStore(root) as store:
        note = store.list()[0]
        kept = root / "conflicts" / "settled" / f"{note.id}-2026-01-31T120000-ab12" / "mine.md"
        kept.parent.mkdir(parents=True)
        kept.write_text("what nobody shall know")

        forget.forget(store, [note.id])

    assert not kept.exists()
