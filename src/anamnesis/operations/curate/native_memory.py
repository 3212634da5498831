"""Claude Code's own memory as notes: one per project, file and lineage, on any machine.

A file is one note, whether the client, a sync or you put it there. Files of one name that were
begun in different sessions are different notes; without a session known, different texts are.
Of two copies of one file the one that was modified last is used.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.hooks import native_notes
from anamnesis.importers import native
from anamnesis.index.queries import tagged
from anamnesis.notes import tree
from anamnesis.notes.derived import derived_id, key
from anamnesis.operations.curate import dedup
from anamnesis.operations.curate.import_ import CLAUDE_CODE, ImportPlan, carry_out, plan_import

if TYPE_CHECKING:
    from anamnesis.ground.counting import Progress
    from anamnesis.importers.import_draft import ImportDraft
    from anamnesis.importers.native import NativeFile
    from anamnesis.notes.fields import Memory, NoteId
    from anamnesis.store import MemoryStore


def import_native(
    store: MemoryStore,
    *,
    directory: str | None = None,
    project: str | None = None,
    again: bool = False,
    dry: bool = False,
    progress: Progress = None,
) -> ImportPlan:
    """Import Claude Code's own memory; unchanged files are not read."""
    files = list(native.files(directory))
    here = native_notes.by_file(store.home)
    seen = {} if again or project or not here else native.seen(store.home)
    changed = [file for file in files if seen.get(file.path) != file.stamp]
    if not changed:
        return ImportPlan()
    drafts = _Drafts(store, changed, project=project)
    planned = plan_import(
        store, drafts.newest, source=CLAUDE_CODE, project=project, progress=progress
    )
    planned = replace(planned, known=planned.known + drafts.older)
    if not dry:
        carry_out(store, planned, source=CLAUDE_CODE, progress=progress)
        native.remember(store.home, {file.path: file.stamp for file in files})
        ids = {**here, **drafts.ids}
        kept = {file.path: ids[file.path] for file in files if file.path in ids}
        native_notes.remember(store.home, kept, edited=planned.edited)
        fold_pairs(store)
    return planned


def is_imported() -> bool:
    """Whether a sync imports Claude Code's own memory."""
    return native.is_wanted()


def fold_pairs(store: MemoryStore) -> int:
    """Keep one note for each text of native memory that exists twice; returns how many were merged.

    Two machines may have imported a file before they met, one of them with an earlier version.
    """
    titled: dict[tuple[str, str, str], list[Memory]] = {}
    for note in _native_notes(store):
        titled.setdefault((note.project, note.scope, note.title.strip()), []).append(note)
    pairs = [
        dedup.Duplicates(keeper, tuple(others), identical=True)
        for notes in titled.values()
        if len(notes) > 1
        for keeper, *others in _same_texts(store, notes)
        if others
    ]
    if pairs:
        dedup.fold(store, pairs)
    return sum(len(pair.others) for pair in pairs)


def _same_texts(store: MemoryStore, notes: list[Memory]) -> list[list[Memory]]:
    """Notes grouped by text, the one to keep first; the same on every machine."""
    same: dict[str, list[Memory]] = {}
    for note in sorted(notes, key=lambda each: ("pinned" not in each.tags, each.id)):
        read = store.get(note.id)
        if read is not None:
            same.setdefault(read.body.strip(), []).append(note)
    return list(same.values())


class _Drafts:
    """The changed files as drafts, each with the id of the note that it is."""

    def __init__(self, store: MemoryStore, files: list[NativeFile], *, project: str | None) -> None:
        self.newest: list[ImportDraft] = []
        self.ids: dict[str, str] = {}
        self.older = 0  # files of which another machine has imported a later state
        self._store = store
        self._machine = config.resolve_machine_id()
        self._notes: dict[str | None, list[Memory]] = {}  # by project; None: of all
        self._forgotten = tree.forgotten(store.home)
        projects = {slug: native.project_of(slug) for slug in {file.slug for file in files}}
        for file in files:
            named, is_here = projects[file.slug]
            draft = native.draft(file, project=named)
            if draft is not None and not is_here:
                draft = self._as_before(draft)
            if draft is not None:
                self._add(file, replace(draft, project=project or draft.project))

    def _as_before(self, draft: ImportDraft) -> ImportDraft:
        """The draft in the project that its note has already, now that the directory is gone."""
        name = draft.key.rpartition("/")[2]
        for note in filter(None, (self._store.get(each.id) for each in self._native_notes(None))):
            before = key(note, "import_from").removeprefix(f"{CLAUDE_CODE}:")
            of_one_session = draft.session == note.prov_session
            same_text = draft.session or draft.body.strip() == note.body.strip()
            if before == f"{note.project}/{name}" and of_one_session and same_text:
                return replace(draft, key=before, project=note.project)
        return draft

    def _add(self, file: NativeFile, draft: ImportDraft) -> None:
        ids = [
            derived_id("import", CLAUDE_CODE, draft.session, draft.key, at=""),
            # from version 1.0, and from files that share a name with another text
            derived_id("import", CLAUDE_CODE, self._machine, draft.key, at=""),
            native.first_id(file),
        ]
        note = self._note_of(ids, draft)
        forgotten = [id for id in ids if id in self._forgotten]
        free = [id for id in ids if self._store.get(id) is None]
        self.ids[file.path] = note.id if note else (forgotten or free or ids)[0]
        if note and note.machine_id != self._machine and note.updated_at > draft.at:
            self.older += 1
        else:
            self.newest.append(replace(draft, id=self.ids[file.path]))

    def _note_of(self, ids: list[NoteId], draft: ImportDraft) -> Memory | None:
        """The note that this file became earlier, on any machine and under any id."""
        for note in filter(None, map(self._store.get, ids)):
            if self._is_of(note, draft):
                return note
        return next((n for n in self._native_notes(draft.project) if self._is_of(n, draft)), None)

    def _native_notes(self, project: str | None) -> list[Memory]:
        if project not in self._notes:
            self._notes[project] = _native_notes(self._store, project=project)
        return self._notes[project]

    def _is_of(self, header: Memory, draft: ImportDraft) -> bool:
        note = self._store.get(header.id)
        if note is None:
            return False
        source = key(note, "import_from")
        if not source:  # from version 0.1.3, which kept only the description, as the title
            return note.title == draft.title and any(tag.startswith("kind:") for tag in note.tags)
        if source != f"{CLAUDE_CODE}:{draft.key}"[:200]:
            return False
        if draft.session or note.prov_session:
            return draft.session == note.prov_session
        return note.machine_id == self._machine or draft.body.strip() in note.body


def _native_notes(store: MemoryStore, *, project: str | None = None) -> list[Memory]:
    """The active notes that were native memory once, without their bodies, oldest id first."""
    found: list[Memory] = store.ask(lambda db: tagged(db, "import", project=project))
    mine = (
        note
        for note in found
        if CLAUDE_CODE in note.tags or any(tag.startswith("kind:") for tag in note.tags)
    )
    return sorted(mine, key=lambda note: note.id)
