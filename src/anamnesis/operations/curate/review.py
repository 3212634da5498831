"""Notes that you have not reviewed yet: kept, rejected, or kept automatically after a while."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.counting import counted, counting, passes
from anamnesis.history import undo
from anamnesis.index import queries
from anamnesis.index.queries import PENDING, tagged
from anamnesis.notes import tree
from anamnesis.notes.derived import key
from anamnesis.notes.source import source_in_words
from anamnesis.operations.notes.search import warnings
from anamnesis.reflect.plan import REFLECTED, UNREFLECTED
from anamnesis.search.query import Filters
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

KEPT_CONFIDENCE = 1.0  # you read it
_SIMILAR = 3
_MOST_OF_ONE = 500  # notes to review that are read for their session
_LONGEST_DAYS = 36_500  # a century counts as never; dates do not go back before the year 1


@dataclass(frozen=True, slots=True)
class Pending:
    """A note to review, and the notes it resembles or replaces."""

    note: Memory
    replaces: tuple[Memory, ...]
    similar: tuple[Memory, ...]
    warning: str = ""  # why agents do not get it until you keep it


def pending_count(store: MemoryStore) -> int:
    """How many notes are to be reviewed; cheap enough for a session start."""
    waiting: int = store.ask(queries.count_waiting)
    return waiting


def pending(store: MemoryStore, *, project: str | None = None) -> list[Memory]:
    """The notes to review, oldest first, without their bodies."""
    notes: list[Memory] = store.ask(lambda db: queries.waiting(db, project=project))
    return notes


def beside_others(store: MemoryStore, note_id: str) -> Pending:
    """A note to review with the notes it replaces and resembles. Raises NoSuchNote."""
    note = store.require(note_id).note
    replaced = tuple(old for id in note.supersedes_ids if (old := store.get(id)) is not None)
    words = f"{note.title} {note.body[:300]}"
    # A note's own words need no typing correction, which would cost most.
    place, number = Filters((note.project,)), _SIMILAR + 1 + len(replaced)
    hits = [hit.note for hit in store.recall(words, filters=place, k=number, forgiving=False)]
    shown = {note.id, *note.supersedes_ids}
    similar = tuple(hit for hit in hits if hit.id not in shown)[:_SIMILAR]
    return Pending(note, replaced, similar, warnings([note]).get(note.id, ""))


def keep(
    store: MemoryStore,
    ids: Collection[NoteId],
    *,
    confidence: float | None = KEPT_CONFIDENCE,
    progress: Progress = None,
) -> undo.Unit | None:
    """Keep the notes; because you reviewed them, they get full confidence. Raises NoSuchNote.

    Without a `confidence` they keep theirs. A note stays kept through edits and on all machines:
    what marks it as not reviewed is a tag in its file.
    """
    pairs = []
    first, second = passes(progress, 2, total=len(ids))
    for note_id in counting(ids, first):
        read = store.require(note_id)
        given = read.note.confidence if confidence is None else confidence
        pairs.append((read, replace(reviewed(read.note), confidence=given)))
    changes = undo.changes_of(store, pairs)
    summary = f"{counted(len(pairs), 'note')} kept"
    return undo.apply(store, changes, kind="review", summary=summary, progress=second)


def reviewed(note: Memory) -> Memory:
    """The note as it is once you have kept it."""
    tags = [tag for tag in note.tags if tag != PENDING]
    return replace(note, tags=tags, confidence=KEPT_CONFIDENCE)


def reject(
    store: MemoryStore, ids: Collection[NoteId], *, progress: Progress = None
) -> undo.Unit | None:
    """Remove the notes for good; the notes they had replaced become active again.

    Their sessions count again as not distilled and are left alone by later reflections. Raises
    NoSuchNote.
    """
    first, second = passes(progress, 2, total=len(ids))
    reads = [store.require(note_id) for note_id in counting(ids, first)]
    pairs: list[tuple[ReadNote | None, Memory | None]] = [(read, None) for read in reads]
    pairs += _sources_set_free(store, [read.note for read in reads])
    changes = undo.changes_of(store, pairs)
    for read in reads:
        path = tree.tombstone_of(read.note.id)
        if not tree.is_forgotten(store.home, read.note.id):
            changes.append(undo.FileChange(path, None, tree.TOMBSTONE))
    summary = f"{counted(len(reads), 'note')} rejected"
    return undo.apply(store, changes, kind="review", summary=summary, progress=second)


def of_one_session(store: MemoryStore, note: Memory) -> list[Memory]:
    """The notes to review that come from the same sessions as this one, if it names them."""
    session = _session_of(note)
    if not session:
        return []
    others = (store.get(each.id) for each in pending(store, project=note.project)[:_MOST_OF_ONE])
    return [other for other in others if other is not None and _session_of(other) == session]


def by_group(waiting: Sequence[Memory]) -> dict[str, list[Memory]]:
    """Notes to review by where they come from, the largest group first."""
    groups: dict[str, list[Memory]] = {}
    for note in waiting:
        groups.setdefault(source_in_words(note), []).append(note)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _session_of(note: Memory) -> str:
    return note.prov_session or key(note, "sources")


def trust_table() -> list[policy.Standing]:
    """What happens to notes on this machine, by author."""
    return policy.table()


def keep_after_days() -> int:
    """After how many days a note to review is kept automatically; 0 means never."""
    try:
        return min(max(0, int(config.setting("review_keep_days") or 0)), _LONGEST_DAYS)
    except ValueError:
        return 0


def keep_old(store: MemoryStore, *, days: int) -> list[str]:
    """Keep the notes older than that; their confidence is unchanged."""
    if days <= 0:
        return []
    limit = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    old = [
        note.id
        for note in pending(store)
        if note.created_at
        and note.created_at < limit
        # Waiting is not a review: foreign authors stay marked.
        and not policy.why_not(note.origin, note.tags)
    ]
    keep(store, old, confidence=None)
    return old


def _sources_set_free(
    store: MemoryStore, rejected: Sequence[Memory]
) -> list[tuple[ReadNote | None, Memory | None]]:
    gone = {note.id for note in rejected}
    freed = {id for note in rejected for id in key(note, "sources").split()}
    for other in store.ask(lambda db: tagged(db, "reflection")):
        if freed and other.id not in gone and (note := store.get(other.id)) is not None:
            freed -= set(key(note, "sources").split())
    pairs: list[tuple[ReadNote | None, Memory | None]] = []
    for id in sorted(freed):
        read = store.read(id)
        if read is not None and REFLECTED in read.note.tags:
            tags = [UNREFLECTED if tag == REFLECTED else tag for tag in read.note.tags]
            pairs.append((read, replace(read.note, tags=tags)))
    return pairs
