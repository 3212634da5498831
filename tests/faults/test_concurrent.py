"""Many processes on one store at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anamnesis.store import MemoryStore
from support.notes import content_of_files, index_content

from .conftest import Start

WRITERS = 8


def run_together(start_worker: Start, root: Path, notes_each: int) -> None:
    others = [start_worker("searches"), start_worker("reindexes")]
    writers = [start_worker("writes", f"writer{n}", str(notes_each)) for n in range(WRITERS)]
    outputs = [writer.communicate(timeout=300) for writer in writers]
    for other in others:
        assert other.poll() is None, other.communicate()
        other.kill()
        assert b"Error" not in other.communicate()[1]

    assert [writer.returncode for writer in writers] == [0] * WRITERS
    assert [errors for _, errors in outputs] == [b""] * WRITERS
    promised = {line.split()[1].decode() for out, _ in outputs for line in out.splitlines()}
    assert len(promised) == WRITERS * notes_each
    with MemoryStore(root) as store:
        assert {note.id for note in store.list()} == promised
    assert index_content(root)["memories"] == content_of_files(root)["memories"]


def test_eight_writers_a_reindexer_and_a_searcher(start_worker: Start, root: Path) -> None:
    run_together(start_worker, root, 40)


@pytest.mark.soak
def test_eight_writers_of_two_hundred_notes_each(start_worker: Start, root: Path) -> None:
    run_together(start_worker, root, 200)


def test_many_processes_open_a_store_without_an_index(start_worker: Start, root: Path) -> None:
    with MemoryStore(root) as store:
        for number in range(50):
            store.write(type="semantic", title=f"n {number}", body="words of writer")
    for path in root.glob("index.db*"):
        path.unlink()

    children = [start_worker("writes", f"w{n}", "1") for n in range(6)]
    results: list[tuple[int, bytes]] = []
    for child in children:
        try:
            _, errors = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        results.append((child.returncode, errors))

    assert results == [(0, b"")] * 6
    with MemoryStore(root) as store:
        assert len(store.list()) == 56
