"""What memory_status and memory_sync report, on a real store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anamnesis.config import Home
from anamnesis.hooks import runs
from anamnesis.server import (
    search_memories,
    status_report,
    sync_memory,
    write_memory,
)
from anamnesis.sync import GitSyncBackend, SyncResult, SyncState

if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


class Elsewhere:
    """A backend whose other side wrote a note."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def sync(self, *, accept_deletions: bool = False) -> SyncResult:
        note = self._store.memory_dir / "semantic" / "FROMELSEWHERE.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text("---\nid: FROMELSEWHERE\ntype: semantic\ntitle: Pulled\n---\nbody\n")
        path = "memory/semantic/FROMELSEWHERE.md"
        return SyncResult(pushed=True, pulled=2, head="3237e8f", detail="synced", changed=(path,))

    def state(self) -> SyncState:
        return SyncState(initialized=True, head="3237e8f", detail="ok")


def test_status_has_counts_and_sync_and_no_password(store: MemoryStore) -> None:
    write_memory(store, type="semantic", title="t", body="b", project="demo")

    report = status_report(
        store,
        GitSyncBackend(store.memory_dir, remote="https://me:hunter2@host/x.git", machine_id="m"),
    )

    assert report["total"] == 1
    assert report["by_project"] == {"demo": 1}
    assert report["sync"] == {
        "initialized": False,
        "remote": "https://…@host/x.git",
        "head": None,
        "dirty": False,
        "detail": "not set up yet; run:  anamnesis sync",
    }
    assert "unreadable" not in report


def test_status_names_files_that_need_a_person(store: MemoryStore) -> None:
    for number in range(12):
        path = store.memory_dir / "semantic" / f"broken{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("no front matter")

    problems = status_report(store, Elsewhere(store))["unreadable"]

    assert isinstance(problems, list)
    assert len(problems) == 11
    assert problems[-1] == "and 2 more"


def test_status_names_the_largest_projects_only(store: MemoryStore) -> None:
    for number in range(60):
        store.write(type="semantic", title="t", body="b", project=f"project-{number}")

    counts = status_report(store, Elsewhere(store))["by_project"]

    assert isinstance(counts, dict)
    assert len(counts) == 51
    assert counts["(10 other projects)"] == 10


def test_a_sync_that_breaks_is_remembered_whatever_broke(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the background nobody sees a traceback."""
    backend = Elsewhere(store)
    monkeypatch.setattr(backend, "sync", lambda **_: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        sync_memory(store, backend)

    (failing,) = runs.failing(Home(store.root))
    assert (failing.area, "ZeroDivisionError" in failing.reason) == ("sync", True)


def test_what_a_sync_brought_can_be_found_at_once(store: MemoryStore) -> None:
    result = sync_memory(store, Elsewhere(store))

    assert result == {
        "pushed": True,
        "pulled": 2,
        "conflicted": False,
        "head": "3237e8f",
        "indexed": 1,
        "detail": "synced",
    }
    assert [hit["title"] for hit in search_memories(store, query="pulled")] == ["Pulled"]
