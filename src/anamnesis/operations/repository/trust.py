"""Whether sessions get the notes that a repository carries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis import carried, consent
from anamnesis.ground.errors import InvalidInput
from anamnesis.index.queries import every_id
from anamnesis.operations.machine.index import complete
from anamnesis.project import source_of
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from anamnesis.config import Home


def trust(home: Home, directory: str) -> int:
    """Let sessions have the notes that a directory's repository carries; how many there are.

    Raises InvalidInput if it carries none, and NotWritable.
    """
    source = _carrying(directory)
    consent.trust_notes(home, source)
    with MemoryStore(home) as store:
        store.look_beside(directory)
        if store.beside is None:
            return 0
        store.beside.news()
        complete(store.beside, in_foreground=False)
        return len(store.beside.ask(every_id))


def distrust(home: Home, directory: str) -> None:
    """Take that back. Raises InvalidInput if the repository carries no notes, and NotWritable."""
    consent.trust_notes(home, _carrying(directory), trusted=False)


def _carrying(directory: str) -> str:
    if not carried.notes_root(directory):
        raise InvalidInput(
            f"The repository of {os.path.abspath(directory)} carries no notes.",
            hint="They would be in .anamnesis/memory at its top.",
        )
    return source_of(directory)
