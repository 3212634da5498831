"""Changing many notes at once, each change with what undoes it."""

from __future__ import annotations

from anamnesis.ground.errors import AnamnesisError, InvalidInput, StoreBusy
from anamnesis.ground.records import record, replace
from anamnesis.operations.notes.edit import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore


@record
class Change:
    """What became of one note: how it was, and the hash of what it is now."""

    before: Memory
    hash: str = ""  # empty: it was deleted


@record
class Curated:
    """What was changed, what could not be, and what to tell whoever asked for it."""

    changes: tuple[Change, ...] = ()
    errors: tuple[AnamnesisError, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """What could not be done, in words."""
        return tuple(error.message for error in self.errors)


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


def supersede(store: MemoryStore, ids: Sequence[str], *, by: str) -> Curated:
    """Let one note replace others; raises what keeps it from that."""
    replaced = [note_id for note_id in ids if note_id != by]
    done = _each(
        store,
        [by],
        lambda note: replace(
            note, supersedes=" ".join(dict.fromkeys([*note.supersedes_ids, *replaced]))
        ),
    )
    for error in done.errors:
        raise error
    return done


def undo(store: MemoryStore, changes: Iterable[Change]) -> Curated:
    """Put notes back as they were, but for those that were changed again since."""
    undone, errors = [], []
    for change in changes:
        current = store.read(change.before.id)
        if (current.hash if current else "") != change.hash:
            title = change.before.title
            errors.append(AnamnesisError(f"{title}: it was changed again; it stays as it is"))
            continue
        store.put(change.before)
        undone.append(change)
    return Curated(tuple(undone), tuple(errors))


def changed(store: MemoryStore, before: Memory) -> tuple[Change, ...]:
    """What became of a note, to undo it."""
    after = store.read(before.id)
    return (Change(before, after.hash if after else ""),)


def one_by_one(store: MemoryStore, ids: Iterable[str], change: Callable[[str], object]) -> Curated:
    """Change one note after the other; one that fails does not stop the rest, a busy store does.

    Raises StoreBusy if it is busy from the start.
    """
    changes: list[Change] = []
    errors: list[AnamnesisError] = []
    for note_id in dict.fromkeys(ids):
        try:
            before = store.require(note_id).note
            change(note_id)
        except StoreBusy as error:
            if not changes:
                raise
            errors.append(AnamnesisError(f"{error.message} The others were left as they are."))
            break
        except AnamnesisError as error:
            errors.append(error)
            continue
        changes += changed(store, before)
    return Curated(tuple(changes), tuple(errors))


def _each(store: MemoryStore, ids: Iterable[str], edited: Callable[[Memory], Memory]) -> Curated:
    """Edit notes by the rules of the dashboard, the only face that edits several at once."""
    notices: dict[str, None] = {}

    def change(note_id: str) -> None:
        found = store.require(note_id)
        saved = edit(store, found, edited(found.note), face="dashboard")
        notices.update(dict.fromkeys(filter(None, [saved.notice])))

    return replace(one_by_one(store, ids, change), notices=tuple(notices))


def _one_line(tag: str) -> str:
    tag = " ".join(tag.split())
    if not tag:
        raise InvalidInput("The tag is empty.")
    return tag
