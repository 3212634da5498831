"""Two machines that distilled the same sessions: one run stays, the other steps back.

Each note of a run names its batch (the sessions, the same on both machines) and its run. After a
sync every machine sees both runs and decides alike: the run with the smaller id stays, and its
first note supersedes the other run's notes. Doing it on both machines writes the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.notes.derived import key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.notes.note import Memory


def settled(notes: Iterable[Memory]) -> list[Memory]:
    """The notes to write so that each batch has one active run; none if nothing is to do."""
    batches: dict[str, dict[str, list[Memory]]] = {}
    for note in notes:
        batch, run = key(note, "batch"), key(note, "run")
        if batch and run:
            batches.setdefault(batch, {}).setdefault(run, []).append(note)
    changed = []
    for runs in batches.values():
        (_, winners), *others = sorted(runs.items())
        # A person who kept a note of the other run has decided; theirs stays beside ours.
        losers = [note for _, run in others for note in run if "pending" in note.tags]
        if losers:
            changed.append(_superseding(min(winners, key=lambda note: note.id), losers))
    return changed


def _superseding(winner: Memory, losers: list[Memory]) -> Memory:
    inherited = [target for note in losers for target in note.supersedes_ids]
    ids = dict.fromkeys([*winner.supersedes_ids, *sorted(note.id for note in losers), *inherited])
    latest = max(note.updated_at for note in [winner, *losers])
    targets = " ".join(id for id in ids if id != winner.id)
    return replace(winner, supersedes=targets, updated_at=latest)
