"""Recording changes in the history of this machine, without asking the network."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from hashlib import sha1
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import log
from anamnesis.sync.machine import backend_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.ground.home import Home
    from anamnesis.store import MemoryStore


def record_locally(store: MemoryStore, *, machine_id: str) -> str:
    """Commit what changed on disk; says what was done. The next sync sends it."""
    return backend_of(store.root, machine_id=machine_id).commit().detail


def keep(store: MemoryStore, ids: Iterable[str]) -> None:
    """Record notes as they are, whoever wrote them, before they go or are replaced."""
    if not is_recorded(store, ids):
        record_locally(store, machine_id=config.resolve_machine_id())


def is_recorded(store: MemoryStore, ids: Iterable[str]) -> bool:
    """Whether the history has these notes as they are now; what stays here never gets there."""
    read = (store.read(note_id) for note_id in ids)
    blobs = [_blob(found.data) for found in read if found and found.note.scope == "portable"]
    if not blobs:
        return True
    try:
        asked = "".join(f"{blob}\n" for blob in blobs).encode()
        found = log.asked(os.fspath(store.memory_dir), "cat-file", "--batch-check", input=asked)
    except AnamnesisError:
        return False  # recording tells what is wrong
    return b" missing" not in found


def _blob(data: bytes) -> str:
    """How git calls a file with this content."""
    return sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


@contextmanager
def one_commit(root: Home) -> Iterator[None]:
    """Commit what waits, then what happens inside; nothing at all without a repository."""
    _commit(root)
    yield
    _commit(root)


def _commit(root: Home) -> None:
    if not os.path.isdir(os.path.join(root.memory, ".git")):
        return
    # Trouble with git must not stop a change of notes: the next sync commits them and tells.
    with suppress(AnamnesisError):
        backend_of(root, machine_id=config.resolve_machine_id()).commit()
