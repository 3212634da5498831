"""Removing forgotten notes from the git history, on every machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis import __version__, config
from anamnesis.notes import tree
from anamnesis.operations.curate.forget import bury, has_words
from anamnesis.operations.travel import fleet
from anamnesis.operations.travel.sync import exchange
from anamnesis.sync.git import backend_of
from anamnesis.sync.purge import Purged, PurgeRaced, PurgeRefused
from anamnesis.sync.repository import MAIN, Repository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from anamnesis.config import Home
    from anamnesis.notes.fields import NoteId
    from anamnesis.store import MemoryStore
    from anamnesis.sync.git import GitSyncBackend

__all__ = ["Purged", "forgotten", "purge"]

_ALIVE_DAYS = 7
_AUTHOR = "anamnesis@"
_TRIES = 5  # a machine that syncs every few minutes does not push first five times in a row


def forgotten(home: Home) -> Collection[str]:
    """The ids of all notes that were forgotten."""
    return tree.forgotten(home)


def purge(store: MemoryStore, ids: Iterable[NoteId], *, query: str = "") -> Purged:
    """Sync, then rewrite the history without these notes, which must be forgotten already.

    With a query, also without all earlier texts that have its words.

    Raises PurgeRefused if that is not possible now, and InvalidInput on an ephemeral machine.
    """
    home = store.home
    gone = {note_id for note_id in ids if tree.is_forgotten(home, note_id)}
    _require_followers(home)
    backend = backend_of(home, machine_id=config.resolve_machine_id())
    for _ in range(_TRIES):
        _synced(backend, store)
        _require_heartbeats(home)
        # The index may have words that only earlier versions had.
        tree.note_burial(home, tree.NEVER)
        try:
            purged = backend.purge(gone, is_unwanted=has_words(query) if query else None)
        except PurgeRaced as raced:  # another machine pushed first; merge that before
            refused = raced
        else:
            bury(store)
            return purged
    raise refused


def _synced(backend: GitSyncBackend, store: MemoryStore) -> None:
    for _ in range(2):  # the first may bring an edit of a forgotten note, the second removes it
        result = exchange(backend, store=store).result
        if result.offline or result.error:
            raise PurgeRefused(result.error or result.detail, hint=result.hint)
        if result.conflicted:
            raise PurgeRefused(
                "conflicts are waiting for you",
                hint="Resolve them first:  anamnesis conflicts list",
            )


def _require_followers(home: Home) -> None:
    """Refuse while a machine has an older version: it would merge the old history back in."""
    here = config.resolve_machine_id()
    for machine in fleet.machines(home):
        if machine.machine != here and _numbers(machine.version) < _numbers(__version__):
            raise PurgeRefused(
                f"{machine.machine} has the older version {machine.version or '(unknown)'}",
                hint="Update it and sync there; or, if it is gone:  "
                f"anamnesis status --forget {machine.machine}",
            )


def _require_heartbeats(home: Home) -> None:
    """Refuse while a machine commits without heartbeats: its version predates them.

    Without a heartbeat of this machine, nothing is known about the others.
    """
    repository = Repository(home.memory)
    recent = repository.ask("log", f"--since={_ALIVE_DAYS}.days.ago", "--format=%ae", MAIN)
    ever = repository.ask("log", "--format=", "--name-only", "-z", MAIN, "--", fleet.FOLDER)
    files = {name.rpartition("/")[2] for name in ever.decode("utf-8", "replace").split("\0")}
    if f"{fleet.file_name(config.resolve_machine_id())}.json" not in files:
        return
    ours = (line for line in recent.decode("utf-8", "replace").split() if line.startswith(_AUTHOR))
    for machine in {line.removeprefix(_AUTHOR) for line in ours} - {config.UNKNOWN_MACHINE}:
        if f"{fleet.file_name(machine)}.json" not in files:
            raise PurgeRefused(
                f"{machine} has committed without ever reporting, as versions before 1.0 do",
                hint="Update it and run `anamnesis init` and `anamnesis sync` there; or wait until "
                f"it has been silent for {_ALIVE_DAYS} days.",
            )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
