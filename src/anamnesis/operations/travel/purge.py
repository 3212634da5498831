"""Taking forgotten notes out of the git history, on every machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis import __version__, config
from anamnesis.notes import tombstones
from anamnesis.operations.curate.upkeep import after_sync
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel.sync import synchronise
from anamnesis.sync.machine import backend_of
from anamnesis.sync.purge import PurgeRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.ground.home import Home
    from anamnesis.store import MemoryStore
    from anamnesis.sync.purge import Purged


def purge(store: MemoryStore, ids: Iterable[str]) -> Purged:
    """Sync, then rewrite the history without these notes, which must be forgotten already."""
    home = store.home
    gone = {note_id for note_id in ids if tombstones.is_forgotten(home, note_id)}
    _require_followers(home)
    backend = backend_of(home, machine_id=config.resolve_machine_id())
    for _ in range(2):  # the first may bring an edit of a forgotten note, the second buries it
        result = synchronise(backend, store=store, afterwards=[after_sync]).result
        if result.offline or result.error:
            raise PurgeRefused(result.error or result.detail, hint=result.hint)
        if result.conflicted:
            raise PurgeRefused(
                "notes wait for a choice", hint="Settle them first:  anamnesis conflicts list"
            )
    return backend.purge(gone)


def _require_followers(home: Home) -> None:
    """A machine with an older version would merge the old history back in."""
    here = config.resolve_machine_id()
    for machine in fleet.machines(home):
        if machine.machine != here and _numbers(machine.version) < _numbers(__version__):
            raise PurgeRefused(
                f"{machine.machine} has the older version {machine.version or 'of unknown number'}",
                hint="Update it and sync there; or, if it is gone:  "
                f"anamnesis status --forget {machine.machine}",
            )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
