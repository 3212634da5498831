"""kill -9 at any instant: no torn file, no acknowledged note lost, the next open is right."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from anamnesis.ground.atomic import TEMP_PREFIX
from anamnesis.notes import tree
from anamnesis.store import MemoryStore
from support.notes import content_of_files, index_content

from .conftest import Start


def kill_and_check(start_worker: Start, root: Path, *, delay: float, promised: set[str]) -> None:
    with start_worker("changes") as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(delay)
        child.kill()
        output, errors = child.communicate()
    assert errors == b""
    for line in [first, *output.splitlines(keepends=True)]:
        words = line.decode().split()
        if line.endswith(b"\n") and len(words) > 1:
            promised.add(words[1])

    for path in root.rglob("*.md"):
        tree.read_note(str(root), str(path.relative_to(root)))
    with MemoryStore(root) as store:
        found = {note.id for note in store.list()}
        assert promised <= found
        assert index_content(root)["memories"] == content_of_files(root)["memories"]


def test_a_killed_process_loses_nothing(start_worker: Start, root: Path) -> None:
    promised: set[str] = set()
    chance = random.Random(7)
    for _ in range(20):
        kill_and_check(start_worker, root, delay=chance.random() * 0.15, promised=promised)

    assert len(promised) >= 20


@pytest.mark.soak
def test_two_hundred_killed_processes_lose_nothing(start_worker: Start, root: Path) -> None:
    promised: set[str] = set()
    chance = random.Random()
    for _ in range(200):
        kill_and_check(start_worker, root, delay=chance.random() * 0.4, promised=promised)

    assert len(promised) >= 200


def test_what_a_killed_process_left_behind_is_swept(root: Path) -> None:
    with MemoryStore(root) as store:
        note = store.write(type="semantic", title="t", body="b")
        old = root / "memory" / "semantic" / f"{TEMP_PREFIX}1-abc"
        old.write_text("half a note")
        fresh = root / "memory" / "semantic" / f"{TEMP_PREFIX}2-def"
        fresh.write_text("being written")
        os.utime(old, (1, 1))
        stale_index = root / "index.db.new-1-abc"
        stale_index.write_text("")
        os.utime(stale_index, (1, 1))

        store.reindex()

        assert store.list() == [note]
    assert not old.exists()
    assert not stale_index.exists()
    assert fresh.exists()
