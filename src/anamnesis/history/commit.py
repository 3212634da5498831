"""Recording changes in this machine's history, without the network."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError
from anamnesis.history import log
from anamnesis.history.units import Units
from anamnesis.sync.git import backend_of
from anamnesis.sync.repository import blob_id, one_per_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId
    from anamnesis.store import MemoryStore
    from anamnesis.sync import SyncResult

_SHA1 = "0" * 40  # an id of the hash that `git init` chooses


def record_locally(store: MemoryStore, *, machine_id: str) -> str:
    """Commit what changed on disk, and say what was done. The next sync sends it."""
    return _committed(store.home, machine_id=machine_id).detail


def _committed(root: Home, *, machine_id: str) -> SyncResult:
    backend = backend_of(root, machine_id=machine_id)
    backend.expect_deletions(lambda: Units(root).deleted_here())
    return backend.commit()


def keep(store: MemoryStore, ids: Iterable[NoteId]) -> None:
    """Record the current text of notes before they are removed or replaced."""
    if not is_recorded(store, ids):
        record_locally(store, machine_id=config.resolve_machine_id())


def is_recorded(store: MemoryStore, ids: Iterable[NoteId]) -> bool:
    """Whether the history has these notes as they are now; it never has local-only ones."""
    files = (store.read(note_id) for note_id in ids)
    blobs = [
        blob_id(file.data, like=_SHA1) for file in files if file and file.note.scope == "portable"
    ]
    if not blobs:
        return True
    try:
        answers = log.git_output(
            os.fspath(store.memory_dir), "cat-file", "--batch-check", input=one_per_line(blobs)
        )
    except AnamnesisError:
        return False  # recording reports the error
    return b" missing" not in answers


@contextmanager
def one_commit(root: Home) -> Iterator[None]:
    """Commit pending changes, then those made inside; does nothing without a repository."""
    _commit(root)
    yield
    _commit(root)


def _commit(root: Home) -> None:
    if not os.path.isdir(os.path.join(root.memory, ".git")):
        return
    # Trouble with git must not stop a change: the next sync commits it and reports the problem.
    with suppress(AnamnesisError):
        _committed(root, machine_id=config.resolve_machine_id())
