"""Changing several notes at once, as one unit that can be undone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anamnesis.ground.clock import utcnow
from anamnesis.ground.counting import counted, counting, passes
from anamnesis.ground.errors import AnamnesisError, InvalidInput
from anamnesis.history import undo
from anamnesis.notes import tree
from anamnesis.operations.notes.edit import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore


@dataclass(frozen=True, slots=True)
class Curated:
    """The notes that were changed, the unit, the errors, and notices for the user."""

    ids: tuple[NoteId, ...] = ()
    unit: undo.Unit | None = None  # None: there was nothing to change
    errors: tuple[AnamnesisError, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """The messages of the errors."""
        return tuple(error.message for error in self.errors)


def add_tag(
    store: MemoryStore, ids: Iterable[NoteId], tag: str, *, progress: Progress = None
) -> Curated:
    """Give notes a tag."""
    tag = _one_line(tag)
    return _edited(
        store,
        ids,
        lambda note: replace(note, tags=[*note.tags, tag]),
        kind="tag",
        did="tagged",
        progress=progress,
    )


def remove_tag(
    store: MemoryStore, ids: Iterable[NoteId], tag: str, *, progress: Progress = None
) -> Curated:
    """Take a tag from notes."""
    tag = _one_line(tag)
    return _edited(
        store,
        ids,
        lambda note: replace(note, tags=[old for old in note.tags if old != tag]),
        kind="tag",
        did="untagged",
        progress=progress,
    )


def set_fields(
    store: MemoryStore, ids: Iterable[NoteId], *, progress: Progress = None, **values: object
) -> Curated:
    """Give notes the same project, type or confidence."""
    listed = ", ".join(f"{name} {value}" for name, value in values.items())

    def changed(note: Memory) -> Memory:
        return replace(note, **values)  # type: ignore[arg-type]

    return _edited(store, ids, changed, kind="edit", did=f"given {listed}", progress=progress)


def supersede(store: MemoryStore, ids: Sequence[NoteId], *, by: str) -> Curated:
    """Let one note supersede others. Raises the error if that is not possible."""
    replaced = [note_id for note_id in ids if note_id != by]
    done = _edited(
        store,
        [by],
        lambda note: replace(
            note, supersedes=" ".join(dict.fromkeys([*note.supersedes_ids, *replaced]))
        ),
        kind="supersede",
        did=f"put in the place of {len(replaced)}",
    )
    for error in done.errors:
        raise error
    return done


def change(
    store: MemoryStore,
    ids: Iterable[NoteId],
    after: Callable[[Memory], Memory | None],
    *,
    kind: str,
    did: str,
    progress: Progress = None,
) -> Curated:
    """Change notes together, or remove them; one that cannot be changed does not stop the others.

    Raises StoreBusy, and changes nothing, if another process keeps the store for itself.
    """
    pairs: list[tuple[ReadNote | None, Memory | None]] = []
    done: list[str] = []
    errors: list[AnamnesisError] = []
    wanted_ids = list(dict.fromkeys(ids))
    is_move = kind == "move"
    first, second = passes(progress, 2, total=len(wanted_ids))
    for note_id in counting(wanted_ids, first):
        try:
            read = store.require(note_id)
            wanted = after(read.note)
            if wanted is not None:
                wanted = tree.storable(wanted)
        except AnamnesisError as error:
            errors.append(error)
            continue
        done.append(note_id)
        if wanted is None:
            pairs.append((read, None))
        elif wanted != read.note or (is_move and store.strays_of(wanted, wanted.scope)):
            pairs.append((read, replace(wanted, updated_at=utcnow())))
    changes = undo.changes_of(store, pairs, every_file=is_move)
    summary = f"{counted(len(done), 'note')} {did}"
    unit = undo.apply(store, changes, kind=kind, summary=summary, progress=second)
    return Curated(tuple(done), unit, tuple(errors))


def _edited(
    store: MemoryStore,
    ids: Iterable[NoteId],
    edited: Callable[[Memory], Memory],
    *,
    kind: str,
    did: str,
    progress: Progress = None,
) -> Curated:
    """Edit notes by the rules of the dashboard, the only face that edits several at once."""
    notices: dict[str, None] = {}

    def allowed(note: Memory) -> Memory:
        after, notice = checked(store, note, edited(note), face="dashboard")
        notices.update(dict.fromkeys(filter(None, [notice])))
        return after

    done = change(store, ids, allowed, kind=kind, did=did, progress=progress)
    return replace(done, notices=tuple(notices))


def _one_line(tag: str) -> str:
    tag = " ".join(tag.split())
    if not tag:
        raise InvalidInput("The tag is empty.")
    return tag
