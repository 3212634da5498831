"""The notes of the repository that one works in, beside one's own."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.store import MemoryStore


def look_beside(store: MemoryStore, directory: str = "") -> MemoryStore:
    """The store, which from now on finds the notes of a directory's repository as well.

    Only where you trust it. Without a directory, it is the one that this process works in.
    """
    try:
        directory = directory or os.getcwd()
    except FileNotFoundError:  # the directory that the process was started in is gone
        return store
    store.look_beside(directory)
    return store
