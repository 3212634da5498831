"""Moving notes between the synced tree and the local one, for every face."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.notes import tree
from anamnesis.notes.fields import SCOPES
from anamnesis.operations.notes.batch import change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import NoteId, Scope
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.store import MemoryStore

_STAYS = (
    "what was synced before stays in the history, here and at the remote; to remove a note and its "
    "history everywhere: anamnesis forget {} --purge-history"
)


def move(
    store: MemoryStore, ids: Iterable[NoteId], scope: Scope, *, progress: Progress = None
) -> Curated:
    """Make notes local only, or sync them again. Raises InvalidInput and StoreBusy."""
    tree.require_one_of("scope", scope, SCOPES)
    did = "kept on this machine" if scope == "machine-local" else "synced from now on"
    done = change(
        store,
        ids,
        lambda note: replace(note, scope=scope),
        kind="move",
        did=did,
        progress=progress,
    )
    if scope != "machine-local" or not done.ids or not config.resolve_remote():
        return done
    return replace(done, notices=(*done.notices, _STAYS.format(done.ids[0])))
