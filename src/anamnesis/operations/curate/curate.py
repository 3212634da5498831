"""Small acts of order: merging, pinning, moving projects, saying where notes came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground import clock
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.index.curation import places
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.notes.ids import new_id
from anamnesis.notes.note import UnreadableNote
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anamnesis.notes.note import Memory
    from anamnesis.store import MemoryStore

    Progress = Callable[[int, int], None] | None

PINNED = "pinned"
_PROJECT_LINE = re.compile(rb"(?m)^project:[^\n]*\n")
_SOURCE_OF_TAG = {"session": "session-end", "reflection": "reflection", "import": "import"}


@dataclass(frozen=True, slots=True)
class Rekeyed:
    """A note whose project changes: its file before and after, which differ in one line."""

    note: Memory
    project: str
    change: undo.FileChange


def merged_note(
    store: MemoryStore, ids: Sequence[str], *, machine_id: str, title: str = "", body: str = ""
) -> Memory:
    """One note for several: every paragraph once, in the order of the given notes."""
    notes = [store.require(note_id).note for note_id in dict.fromkeys(ids)]
    if len(notes) < 2:
        raise InvalidInput("Two or more notes can be merged.")
    if len({(note.project, note.scope) for note in notes}) > 1:
        raise InvalidInput(
            "The notes belong to different projects or scopes.",
            hint="Move them first:  anamnesis migrate, anamnesis move",
        )
    now = clock.utcnow()
    return replace(
        notes[0],
        id=new_id(),
        title=title or notes[0].title,
        body=body or _joined(note.body for note in notes),
        tags=_tags_of(notes),
        origin=policy.lowest(note.origin for note in notes),
        machine_id=machine_id,
        created_at=now,
        updated_at=now,
        prov_source="human",
        prov_model="",
        prov_session="",
        confidence=1.0,
        supersedes=" ".join(note.id for note in notes),
        extra="",
    )


def merge(store: MemoryStore, note: Memory) -> undo.Unit | None:
    """Write the merged note; the others are superseded by it and stay."""
    changes = undo.changes_of(store, [(None, note)])
    return undo.apply(store, changes, kind="merge", summary=f"merged into {note.id}")


def pin(store: MemoryStore, ids: Iterable[str], *, pinned: bool) -> undo.Unit | None:
    """Mark notes as ones that no machine may replace and that come first, or take that back."""
    pairs = []
    for note_id in ids:
        read = store.require(note_id)
        others = [tag for tag in read.note.tags if tag != PINNED]
        tags = [*others, PINNED] if pinned else others
        pairs.append((read, replace(read.note, tags=tags)))
    summary = f"{counted(len(pairs), 'note')} {'pinned' if pinned else 'unpinned'}"
    return undo.apply(store, undo.changes_of(store, pairs), kind="pin", summary=summary)


def rekeyed(
    store: MemoryStore, projects: Mapping[str, str], *, progress: Progress = None
) -> list[Rekeyed]:
    """The notes of renamed projects, with a change of exactly one line each."""
    headers = [note for old in projects for note in store.headers(project=old)]
    where = store.ask(lambda db: places(db, [note.id for note in headers]))
    found = []
    for done, note in enumerate(headers):
        read = store.read(note.id)
        if read is not None:
            project = projects[note.project]
            after = _with_project(read.data, read.note, project)
            change = undo.FileChange(where[note.id], read.data, after)
            found.append(Rekeyed(note, project, change))
        if progress is not None:
            progress(done + 1, len(headers))
    return found


def migrate(
    store: MemoryStore, found: Sequence[Rekeyed], *, progress: Progress = None
) -> undo.Unit | None:
    """Give the notes their new project."""
    changes = [each.change for each in found]
    summary = f"{counted(len(found), 'note')} moved to other projects"
    return undo.apply(store, changes, kind="migrate", summary=summary, progress=progress)


def without_provenance(store: MemoryStore, *, machine_id: str) -> list[tuple[Memory, Memory]]:
    """Notes that claim to be a person's though their tags say otherwise, before and after."""
    found = []
    for note in store.headers():
        changes: dict[str, object] = {}
        source = next((_SOURCE_OF_TAG[tag] for tag in note.tags if tag in _SOURCE_OF_TAG), "")
        if source and note.prov_source == "human":
            changes["prov_source"] = source
        if machine_id and note.machine_id == "unknown":
            changes["machine_id"] = machine_id
        if changes:
            found.append((note, replace(note, **changes)))
    return found


def backfill_provenance(
    store: MemoryStore, found: Sequence[tuple[Memory, Memory]]
) -> undo.Unit | None:
    """Write what `without_provenance` found."""
    pairs = []
    for _, after in found:
        read = store.read(after.id)
        if read is not None:
            said = {"prov_source": after.prov_source, "machine_id": after.machine_id}
            pairs.append((read, replace(read.note, **said)))
    changes = undo.changes_of(store, pairs)
    return undo.apply(store, changes, kind="provenance", summary=counted(len(pairs), "note"))


def _tags_of(notes: Sequence[Memory]) -> list[str]:
    """Every tag once; what a stranger wrote still waits for review when it is part of a merge."""
    waits = any(policy.why_not(note.origin, note.tags) for note in notes)
    kept = dict.fromkeys(tag for note in notes for tag in note.tags if tag != "pending")
    return [*kept, *(["pending"] if waits else [])]


def _joined(bodies: Iterable[str]) -> str:
    paragraphs: dict[str, str] = {}
    for body in bodies:
        for paragraph in re.split(r"\n\s*\n", body.strip()):
            paragraphs.setdefault(" ".join(paragraph.split()).lower(), paragraph)
    return "\n\n".join(paragraphs.values())


def _with_project(data: bytes, note: Memory, project: str) -> bytes:
    """The file with another project line; rewritten as a whole only if that is not enough."""
    wanted = replace(note, project=project)
    whole = serialize(wanted).encode()
    line = _PROJECT_LINE.search(whole)
    if line is not None:
        edited = _PROJECT_LINE.sub(lambda _: line.group(), data, count=1)
        try:
            if replace(deserialize(edited.decode()), scope=note.scope) == wanted:
                return edited
        except (UnreadableNote, UnicodeDecodeError):
            return whole
    return whole
