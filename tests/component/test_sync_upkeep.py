"""What a sync looks after before and after it exchanges notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis.config import Home
from anamnesis.operations.curate import forget
from anamnesis.operations.travel import sync
from anamnesis.store import MemoryStore
from support.reflect import durable


def test_a_sync_imports_native_memory_only_when_it_changed(
    store: MemoryStore, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not sync.has_native_news(Home(root))
    folder = home / ".claude" / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Some text.\n")

    assert sync.has_native_news(Home(root))
    sync.import_native(store)

    assert [note.body for note in store.list()] == ["Some text."]
    assert not sync.has_native_news(Home(root))
    (folder / "a.md").write_text("Some other text.\n")
    monkeypatch.setenv("ANAMNESIS_IMPORT_NATIVE", "0")
    assert not sync.has_native_news(Home(root))


def test_a_failing_import_does_not_stop_a_sync(store: MemoryStore, home: Path, root: Path) -> None:
    folder = home / ".claude" / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Some text.\n")
    (root / "undo").write_text("in the way of the record of an import")

    assert sync.has_native_news(Home(root))
    sync.import_native(store)

    assert "in the way" in (root / "log" / "hooks.jsonl").read_text()


def test_a_sync_buries_what_came_back(store: MemoryStore) -> None:
    note = durable(store)
    forget.forget(store, [note.id])
    store.put(note)

    assert sync.clean_up(store) == [note.id]
