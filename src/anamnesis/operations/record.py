"""Recording changes in the history of this machine, without asking the network."""

from __future__ import annotations

from anamnesis.operations.synchronise import backend_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


def record_locally(store: MemoryStore, *, machine_id: str) -> str:
    """Commit what changed on disk; says what was done. The next sync sends it."""
    return backend_of(store.root, machine_id=machine_id).commit().detail
