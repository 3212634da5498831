"""Backfilling provenance: notes of early versions get the source named in their tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted, counting, passes
from anamnesis.ground.records import replace
from anamnesis.history import undo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

_SOURCE_OF_TAG = {"session": "session-end", "reflection": "reflection", "import": "import"}


def provenance_changes(store: MemoryStore, *, machine_id: str) -> list[tuple[Memory, Memory]]:
    """Notes marked as human whose tags say otherwise, before and after."""
    planned = []
    for note in store.headers():
        changes: dict[str, object] = {}
        source = next((_SOURCE_OF_TAG[tag] for tag in note.tags if tag in _SOURCE_OF_TAG), "")
        if source and note.prov_source == "human":
            changes["prov_source"] = source
        if machine_id and note.machine_id == "unknown":
            changes["machine_id"] = machine_id
        if changes:
            planned.append((note, replace(note, **changes)))
    return planned


def backfill_provenance(
    store: MemoryStore,
    planned: Sequence[tuple[Memory, Memory]],
    *,
    progress: Progress = None,
) -> undo.Unit | None:
    """Write what `provenance_changes` planned."""
    pairs = []
    first, second = passes(progress, 2, total=len(planned))
    for _, after in counting(planned, first):
        read = store.read(after.id)
        if read is not None:
            fields = {"prov_source": after.prov_source, "machine_id": after.machine_id}
            pairs.append((read, replace(read.note, **fields)))
    changes = undo.changes_of(store, pairs)
    summary = counted(len(pairs), "note")
    return undo.apply(store, changes, kind="provenance", summary=summary, progress=second)
