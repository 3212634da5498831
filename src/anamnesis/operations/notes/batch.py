"""Changing many notes at once, each change with what undoes it."""

from __future__ import annotations

from anamnesis.ground.errors import AnamnesisError, InvalidInput, StoreBusy
from anamnesis.ground.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.notes.note import Memory, Scope
    from anamnesis.store import MemoryStore


@record
class Change:
    """What became of one note: how it was, and the hash of what it is now."""

    before: Memory
    hash: str = ""  # empty: it was deleted


@record
class Curated:
    """What was changed, and what could not be."""

    changes: tuple[Change, ...] = ()
    failures: tuple[str, ...] = ()


def add_tag(store: MemoryStore, ids: Iterable[str], tag: str) -> Curated:
    """Give notes a tag."""
    tag = _one_line(tag)
    return _each(store, ids, lambda note: replace(note, tags=[*note.tags, tag]))


def remove_tag(store: MemoryStore, ids: Iterable[str], tag: str) -> Curated:
    """Take a tag from notes."""
    tag = _one_line(tag)
    return _each(
        store, ids, lambda note: replace(note, tags=[old for old in note.tags if old != tag])
    )


def move(store: MemoryStore, ids: Iterable[str], scope: Scope) -> Curated:
    """Let notes travel, or keep them on this machine."""
    return _carried_out(store, ids, lambda note_id: store.move(note_id, scope))


def supersede(store: MemoryStore, ids: Sequence[str], *, by: str) -> Curated:
    """Let one note replace others."""
    replaced = [note_id for note_id in ids if note_id != by]
    store.require(by)
    return _each(
        store,
        [by],
        lambda note: replace(
            note, supersedes=" ".join(dict.fromkeys([*note.supersedes_ids, *replaced]))
        ),
    )


def delete(store: MemoryStore, ids: Iterable[str]) -> Curated:
    """Remove notes."""
    return _carried_out(store, ids, store.delete)


def undo(store: MemoryStore, changes: Iterable[Change]) -> Curated:
    """Put notes back as they were, but for those that were changed again since."""
    undone, failures = [], []
    for change in changes:
        current = store.read(change.before.id)
        if (current.hash if current else "") != change.hash:
            failures.append(f"{change.before.title}: it was changed again; it stays as it is")
            continue
        store.put(change.before)
        undone.append(change)
    return Curated(tuple(undone), tuple(failures))


def changed(store: MemoryStore, before: Memory) -> tuple[Change, ...]:
    """What became of a note, to undo it."""
    after = store.read(before.id)
    return (Change(before, after.hash if after else ""),)


def _each(store: MemoryStore, ids: Iterable[str], edited: Callable[[Memory], Memory]) -> Curated:
    def change(note_id: str) -> object:
        found = store.require(note_id)
        return store.update(edited(found.note), expected_hash=found.hash)

    return _carried_out(store, ids, change)


def _carried_out(
    store: MemoryStore, ids: Iterable[str], change: Callable[[str], object]
) -> Curated:
    """Change one note after the other; one that fails does not stop the rest, a busy store does."""
    changes: list[Change] = []
    failures = []
    for note_id in dict.fromkeys(ids):
        try:
            before = store.require(note_id).note
            change(note_id)
        except StoreBusy as error:
            if not changes:
                raise
            failures.append(f"{error.message} The others were left as they are.")
            break
        except AnamnesisError as error:
            failures.append(error.message)
            continue
        changes += changed(store, before)
    return Curated(tuple(changes), tuple(failures))


def _one_line(tag: str) -> str:
    tag = " ".join(tag.split())
    if not tag:
        raise InvalidInput("The tag is empty.")
    return tag
