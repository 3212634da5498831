"""Forgetting: a note is removed on all machines, and does not come back."""

from __future__ import annotations

from anamnesis import undo
from anamnesis.errors import InvalidInput, NoSuchNote
from anamnesis.notes import tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

_MOST_HITS = 50


def choose(
    store: MemoryStore,
    *,
    ids: Sequence[str] = (),
    query: str = "",
    project: str | None = None,
    before: str = "",
) -> list[Memory]:
    """The notes that the given conditions name together; without any condition, none."""
    if not (ids or query or project or before):
        raise InvalidInput("Say what to forget.", hint="By id, --query, --project or --before.")
    if ids:
        named = [store.get(store.resolve_id(given)) for given in ids]
        found = [note for note in named if note is not None]
    elif query:
        found = store.search(query, project=project, k=_MOST_HITS)
    else:
        found = store.headers(project=project)
    return [
        note
        for note in found
        if (project is None or note.project == project)
        and (not before or note.created_at[: len(before)] < before)
    ]


def forget(store: MemoryStore, ids: Sequence[str]) -> int:
    """Remove the notes, leave tombstones, and take their text out of the undo records."""
    root = str(store.root)
    pairs, stones = [], dict[str, None]()
    for note_id in ids:
        read = store.read(note_id)
        if read is None:
            raise NoSuchNote(note_id)
        pairs.append((read, None))
        stones[tombstones.path_of(note_id)] = None
        if read.note.type == "episodic" and read.note.prov_session:
            stones[tombstones.path_of_session(read.note.prov_session)] = None
    removals = undo.changes_of(store, pairs)
    known = tombstones.forgotten(root)
    graves = [
        undo.FileChange(path, None, tombstones.CONTENT)
        for path in stones
        if path.rpartition("/")[2].removesuffix(".json") not in known
    ]
    # The stones come first: killed in between, the next sync finishes what they say.
    undo.apply(store, [*graves, *removals], kind="forget", summary=f"{len(ids)} notes forgotten")
    undo.scrub(root, {change.path for change in removals})
    return len(ids)


def bury(store: MemoryStore) -> list[str]:
    """Remove notes that were forgotten elsewhere but came back, for example by an edit."""
    returned = [id for id in tombstones.forgotten(str(store.root)) if store.get(id) is not None]
    for note_id in returned:
        store.delete(note_id)
    return returned
