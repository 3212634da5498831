"""Finding duplicate notes and merging each group into its best note."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted, counting, passes
from anamnesis.history import undo
from anamnesis.index.queries import active
from anamnesis.reflect.similarity import THRESHOLD, groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

__all__ = ["THRESHOLD", "Duplicates", "find_duplicates", "fold", "folded", "read_all", "unchanged"]

_SOURCE_RANK = {"human": 3, "import": 2, "reflection": 1}


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Duplicate notes of one project, without bodies; the keeper stays."""

    keeper: Memory
    others: tuple[Memory, ...]
    identical: bool


def find_duplicates(
    store: MemoryStore,
    *,
    project: str | None = None,
    threshold: float = THRESHOLD,
    progress: Progress = None,
) -> list[Duplicates]:
    """Groups of identical bodies, then of nearly identical ones; nothing is changed."""
    headers = store.ask(lambda db: active(db, project=project))
    places: dict[tuple[str, str, str], list[Memory]] = {}
    for note in headers:
        places.setdefault((note.project, note.scope, note.type), []).append(note)
    found: list[Duplicates] = []
    done = 0
    for notes in places.values():
        if len(notes) > 1:
            found += _of_place(store, notes, threshold, _from(done, len(headers), progress))
        done += len(notes)
    return found


def fold(
    store: MemoryStore, found: Sequence[Duplicates], *, progress: Progress = None
) -> undo.Unit | None:
    """Let each keeper supersede its duplicates, as one unit that can be undone.

    Raises NoSuchNote if a keeper is gone by now.
    """
    first, second = passes(progress, 2, total=len(found))
    changes = undo.changes_of(store, (folded(store, each) for each in counting(found, first)))
    hidden = sum(len(each.others) for each in found)
    summary = f"{counted(hidden, 'duplicate')} merged into {counted(len(found), 'note')}"
    return undo.apply(store, changes, kind="dedup", summary=summary, progress=second)


def folded(store: MemoryStore, found: Duplicates) -> tuple[ReadNote, Memory]:
    """The keeper before and after: the same bytes on every machine that merges the group.

    Raises NoSuchNote if it is gone by now.
    """
    read = store.require(found.keeper.id)
    note = read.note
    ids = dict.fromkeys([*note.supersedes_ids, *sorted(other.id for other in found.others)])
    carried = [tag for other in found.others for tag in other.tags if tag != "pending"]
    return read, replace(
        note,
        supersedes=" ".join(ids),
        tags=list(dict.fromkeys([*note.tags, *sorted(carried)])),
        confidence=max([note.confidence, *(other.confidence for other in found.others)]),
    )


def unchanged(store: MemoryStore, notes: Iterable[Memory]) -> set[NoteId]:
    """The ids of the notes that are still active and unchanged."""
    replaced = store.superseded_ids()
    pairs = ((note, store.read(note.id)) for note in notes)
    return {
        note.id
        for note, read in pairs
        if read is not None and read.note.updated_at == note.updated_at and note.id not in replaced
    }


def _of_place(
    store: MemoryStore, notes: list[Memory], threshold: float, progress: Callable[[int], None]
) -> list[Duplicates]:
    by_id = {note.id: note for note in notes}
    same: dict[str, list[str]] = {}
    first: dict[str, str] = {}  # the body of each distinct text, by the id that stands for it
    for done, note in enumerate(notes):
        read = store.read(note.id)
        body = read.note.body.strip() if read else ""
        if body:
            same.setdefault(body, []).append(note.id)
        progress(done)
    for body, ids in same.items():
        first[ids[0]] = body
    members = {ids[0]: ids for ids in same.values()}
    found = [
        _duplicates([by_id[id] for key in group for id in members.pop(key)], False)
        for group in groups(first.items(), threshold=threshold)
    ]
    found += [
        _duplicates([by_id[id] for id in ids], True) for ids in members.values() if len(ids) > 1
    ]
    return found


def _duplicates(notes: list[Memory], identical: bool) -> Duplicates:
    keeper, *others = sorted(notes, key=_worth, reverse=True)
    return Duplicates(keeper, tuple(others), identical)


def _worth(note: Memory) -> tuple[object, ...]:
    """The sort key that decides which note to keep, the same on every machine."""
    return (
        "pinned" in note.tags,
        "pending" not in note.tags,
        _SOURCE_RANK.get(note.prov_source, 0),
        note.confidence,
        note.updated_at,
        note.id,
    )


def _from(start: int, total: int, progress: Progress) -> Callable[[int], None]:
    if progress is None:
        return lambda _: None
    report = progress
    return lambda done: report(start + done, total)


def read_all(store: MemoryStore, headers: Iterable[Memory]) -> list[Memory]:
    """The notes with their bodies; one whose file is gone is skipped."""
    found = (store.get(note.id) for note in headers)
    return [note for note in found if note is not None]
