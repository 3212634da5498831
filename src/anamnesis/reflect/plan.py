"""Which notes a proposal writes: pure, and the same for the same proposal on every machine.

Nothing is edited in place and nothing is deleted. An update or a retraction is a new note that
supersedes the old one, so that two machines never write different words into one file. Where two
machines distilled the same sessions, one run stays and supersedes the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis.notes.derived import derived_id, key, keys
from anamnesis.notes.fields import Memory
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.reflect.proposal import Operation

CONFIDENCE = 0.6  # a model's claim: below your own, above nothing
REFLECTED, UNREFLECTED, PENDING = "reflected", "unreflected", "pending"


def planned_notes(
    operations: Sequence[Operation],
    *,
    project: str,
    known: Mapping[str, Memory],
    sessions: Sequence[Memory],
    model: str,
    machine_id: str,
    now: str,
) -> list[Memory]:
    """The notes to write. `known` holds the notes that operations replace."""
    run = derived_id(machine_id, now, project, at=now)
    batch = derived_id(project, *sorted(note.id for note in sessions), at="")
    return [
        _note(
            operation, project=project, known=known, model=model, machine_id=machine_id, now=now,
            origin=policy.lowest(note.origin for note in [*sessions, *_replaced(operation, known)]),
            extra=keys(sources=" ".join(operation.sources), batch=batch, run=run),
        )
        for operation in operations
    ]  # fmt: skip


def _replaced(operation: Operation, known: Mapping[str, Memory]) -> list[Memory]:
    return [known[target] for target in operation.targets if target in known]


def with_reflected_tag(session: Memory) -> Memory:
    """A session note whose content lives on in durable notes."""
    return replace(session, tags=[*session.tags, REFLECTED])


def _note(
    operation: Operation,
    *,
    project: str,
    known: Mapping[str, Memory],
    model: str,
    machine_id: str,
    now: str,
    origin: str,
    extra: str,
) -> Memory:
    title, body, tags = operation.title, operation.body, list(operation.tags)
    if operation.op == "retract":
        old = known[operation.targets[0]]
        title = f"No longer true: {old.title}"[:120]
        body = f"{operation.body}\n\nThis replaces the note “{old.title}”."
        tags = ["retraction"]
    elif operation.op == "update":
        tags = list(dict.fromkeys([*_kept_tags(known[operation.targets[0]]), *tags]))
    id = derived_id(project, operation.op, title, body, *operation.sources, at=now)
    return Memory(
        id=id,
        type=operation.type,
        title=title,
        body=body,
        project=project,
        machine_id=machine_id,
        tags=list(dict.fromkeys([*tags, "reflection", PENDING])),
        created_at=now,
        updated_at=now,
        prov_source="reflection",
        prov_model=model,
        confidence=CONFIDENCE,
        supersedes=" ".join(operation.targets),
        origin=origin,
        extra=extra,
    )


def _kept_tags(note: Memory) -> list[str]:
    return [tag for tag in note.tags if tag not in (PENDING, "reflection", "retraction")]


def superseding(notes: Iterable[Memory]) -> list[Memory]:
    """The notes to write so that each batch has one active run; none if that is so already."""
    batches: dict[str, dict[str, list[Memory]]] = {}
    for note in notes:
        batch, run = key(note, "batch"), key(note, "run")
        if batch and run:
            batches.setdefault(batch, {}).setdefault(run, []).append(note)
    changed = []
    for runs in batches.values():
        (_, winners), *others = sorted(runs.items())
        # If you kept a note of the other run, both stay.
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
