"""A secret that a person wrote into a note by hand does not leave the machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anamnesis.operations.travel.sync import exchange
from anamnesis.server import write_memory
from anamnesis.store import MemoryStore
from anamnesis.sync.git import backend_of
from support.notes import hand_written, write_file

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    bare = tmp_path / "notes.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    monkeypatch.setenv("ANAMNESIS_GIT_REMOTE", str(bare))
    return bare


def objects_hold(bare: Path, text: str) -> bool:
    listed = ["git", "-C", str(bare), "cat-file", "--batch-all-objects", "--batch"]
    return text.encode() in subprocess.run(listed, capture_output=True, check=True).stdout


def test_a_note_with_a_secret_is_held_back_and_the_others_travel(
    store: MemoryStore, root: Path, remote: Path
) -> None:
    write_file(root, "memory/semantic/a.md", hand_written("a", body=f"token {SECRET}"))
    write_file(root, "memory/semantic/b.md", hand_written("b", body="harmless words"))

    result = exchange(backend_of(root, machine_id="m"), store=store).result

    assert [line.partition(":")[0] for line in result.held_back] == ["semantic/a.md"]
    assert "secret" in result.held_back[0]
    assert objects_hold(remote, "harmless words")
    assert not objects_hold(remote, SECRET)


def test_an_allowed_value_travels(store: MemoryStore, root: Path, remote: Path) -> None:
    write_file(root, "memory/semantic/a.md", hand_written("a", body=f"token {SECRET}"))
    (root / "redact-allow.txt").write_text(SECRET + "\n")

    result = exchange(backend_of(root, machine_id="m"), store=store).result

    assert result.held_back == ()
    assert objects_hold(remote, SECRET)


def test_an_agent_cannot_store_a_secret(store: MemoryStore) -> None:
    written = write_memory(store, type="semantic", title="Access", body=f"use {SECRET} here")

    assert SECRET not in str(written)
    assert "Secrets were replaced before storing" in str(written["notice"])
    assert SECRET not in store.list()[0].body
