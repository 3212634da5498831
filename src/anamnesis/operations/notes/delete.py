"""Deleting notes, for every face."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history import commit
from anamnesis.operations.notes.batch import change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.fields import NoteId
    from anamnesis.operations.notes.batch import Curated
    from anamnesis.store import MemoryStore


def delete(store: MemoryStore, ids: Iterable[NoteId]) -> Curated:
    """Remove notes; the unit and the history keep what they say now, whoever wrote it.

    Raises StoreBusy if nothing could be done because of another process.
    """
    wanted = list(dict.fromkeys(ids))
    notice = ""
    try:
        commit.keep(store, wanted)
    except StoreBusy:
        raise
    except AnamnesisError as error:  # git is missing, for one; what a person wants gone goes
        notice = f"not recorded in the history: {error.message}"
    done = change(store, wanted, lambda _: None, kind="delete", did="deleted")
    return replace(done, notices=(notice,)) if notice else done
