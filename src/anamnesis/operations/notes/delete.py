"""Deleting notes, for every face."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history import commit
from anamnesis.operations.notes.batch import change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import NoteId
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.store import MemoryStore


def delete(store: MemoryStore, ids: Iterable[NoteId], *, progress: Progress = None) -> Curated:
    """Remove notes; the undo unit and the history keep their text.

    Raises StoreBusy, and removes nothing, if another process is using the store.
    """
    wanted = list(dict.fromkeys(ids))
    notice = ""
    try:
        commit.keep(store, wanted)
    except StoreBusy:
        raise
    except (
        AnamnesisError
    ) as error:  # for example because git is missing; delete the notes all the same
        notice = f"not recorded in the history: {error.message}"
    done = change(store, wanted, lambda _: None, kind="delete", did="deleted", progress=progress)
    return replace(done, notices=(notice,)) if notice else done
