"""Recording changes in the history of this machine, without asking the network."""

from __future__ import annotations

import os

from anamnesis.operations.secrets import secrets_stay_here
from anamnesis.records import replace
from anamnesis.sync import journal
from anamnesis.sync.git import GitSyncBackend
from anamnesis.sync.repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


def record_locally(store: MemoryStore, *, machine_id: str) -> str:
    """Commit what changed on disk; says what was done. The next sync sends it."""
    memory = os.fspath(store.memory_dir)
    own = Repository(memory).own
    before = journal.load(own)
    check = secrets_stay_here(os.fspath(store.root))
    result = GitSyncBackend(memory, remote=None, machine_id=machine_id, check=check).sync()
    # Nothing was exchanged: when that last worked, and why it last failed, is still what it was.
    now = journal.load(own)
    journal.save(own, replace(now, last_success=before.last_success, last_error=before.last_error))
    return result.detail
