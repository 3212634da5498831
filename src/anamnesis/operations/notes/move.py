"""Moving notes between the tree that travels and the one that stays, for every face."""

from __future__ import annotations

from anamnesis.operations.notes.batch import one_by_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.note import Scope
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.store import MemoryStore


def move(store: MemoryStore, ids: Iterable[str], scope: Scope) -> Curated:
    """Let notes travel, or keep them on this machine; raises as `one_by_one` does."""
    return one_by_one(store, ids, lambda note_id: store.move(note_id, scope))
