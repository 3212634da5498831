"""Importing notes from other programs: once each, updated later, never over your edits."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis import __version__, config
from anamnesis.ground import atomic, clock
from anamnesis.ground.counting import counting, passes
from anamnesis.ground.errors import InvalidInput
from anamnesis.history import undo
from anamnesis.importers import exports, programs, sources
from anamnesis.importers.import_draft import read_text
from anamnesis.index.queries import titled
from anamnesis.notes import tree
from anamnesis.notes.derived import derived_id, fingerprint, key, keys
from anamnesis.notes.fields import Memory
from anamnesis.operations.machine import index
from anamnesis.operations.notes.policy import without_new_secrets
from anamnesis.project import GLOBAL
from anamnesis.secrets import RULES, allow_list, findings, redact
from anamnesis.trust import policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.ground.counting import Progress
    from anamnesis.importers.import_draft import ImportDraft
    from anamnesis.notes.fields import NoteId
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

CLAUDE_CODE, OWN_EXPORT = "claude-code", "anamnesis"
FORMATS = (CLAUDE_CODE, OWN_EXPORT, *programs.PROGRAMS)
# What a changed source overwrites; everything else may have been changed here.
_AT_SOURCE = ("title", "body", "machine_id", "updated_at", "prov_session", "extra")
_MANY = 500  # notes; work postponed for more than these does not wait for the next session
_SCANNED_TOGETHER = 50  # drafts; larger groups save nothing, and one secret rescans them all
CONFIDENCE = 0.8  # written on purpose, but not for this store


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import does: notes to write, and what is skipped and why."""

    added: list[Memory] = field(default_factory=list)
    updated: list[tuple[ReadNote, Memory]] = field(default_factory=list)
    unchanged: int = 0
    edited: list[str] = field(default_factory=list)  # ids of notes that were edited here
    forgotten: int = 0
    known: int = 0  # already there under another id, word for word
    total: int = 0  # notes that were examined
    digests: dict[str, str] = field(default_factory=dict)  # of the texts, by the id of the note
    ids: list[str] = field(default_factory=list)  # of all notes, if all of them are here afterwards

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        parts = [f"{len(self.added)} new", f"{len(self.updated)} updated"]
        for number, what in (
            (self.unchanged, "unchanged"),
            (self.known, "already known"),
            (len(self.edited), "edited here and left alone"),
            (self.forgotten, "forgotten and skipped"),
        ):
            if number:
                parts.append(f"{number} {what}")
        return ", ".join(parts)


def import_notes(
    store: MemoryStore,
    path: str,
    *,
    format: str | None = None,
    project: str | None = None,
    mine: bool = False,
    dry: bool = False,
    progress: Progress = None,
) -> ImportPlan:
    """Import a file or directory, by default of whichever program wrote it.

    `mine` says that an export of Anamnesis is your own, so that its notes need no review.
    Raises InvalidInput if it cannot be read, holds no notes, or no program is known to write it.
    """
    file = ""
    if format == OWN_EXPORT or (format is None and is_own_export(path)):
        source, planned = OWN_EXPORT, plan_own_export(store, path, mine=mine, progress=progress)
    else:
        program = programs.program_of(path, format)
        source = program.name
        file = sources.file_key(path, under=f"{__version__}\0{source}\0{_under(store, project)}")
        if unchanged := sources.unchanged_notes(store, file):
            return ImportPlan(unchanged=unchanged)
        planned = plan_import(
            store, program.drafts(path), source=source, project=project, progress=progress
        )
        if planned == ImportPlan() and os.path.isfile(path):
            raise InvalidInput(
                f"Found no notes in {path}, read with --from {source}.",
                hint=f"If another program wrote it:  --from {'|'.join(programs.PROGRAMS)}",
            )
    if not dry:
        carry_out(store, planned, source=source, progress=progress)
        sources.remember_file(store.home, file, planned.ids)
    return planned


def _under(store: MemoryStore, project: str | None) -> str:
    """What a note depends on besides its text: the rules, and the values that are allowed."""
    return "\0".join((str(RULES), project or "", *allow_list(store.home)))


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, and the unit that undoes it; None if nothing was written."""

    plan: ImportPlan
    unit: undo.Unit | None


def import_texts(
    store: MemoryStore, texts: dict[str, str], *, project: str, progress: Progress = None
) -> Imported:
    """Import files that a browser sent, by their names; `project` is for instructions.

    Raises InvalidInput if there is none, or no program is known to write such a file.
    """
    if not texts:
        raise InvalidInput("There is no file to import.")
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.basename(name.replace("\\", "/")).lstrip(".") for name in texts]
        for name, text in zip(names, texts.values(), strict=True):
            atomic.write_text(os.path.join(folder, name or "untitled.md"), text)
        path = os.path.join(folder, names[0]) if len(names) == 1 else folder
        if is_own_export(path):
            source, planned = OWN_EXPORT, plan_own_export(store, path, progress=progress)
        else:
            program = programs.program_of(path)
            source = program.name
            # Instructions belong to the project of their directory; an upload has none.
            is_bound = source == "instructions"
            drafts = exports.sections(path, project=project) if is_bound else program.drafts(path)
            planned = plan_import(store, drafts, source=source, progress=progress)
        return Imported(planned, carry_out(store, planned, source=source, progress=progress))


def plan_import(
    store: MemoryStore,
    drafts: Iterable[ImportDraft],
    *,
    source: str,
    project: str | None = None,
    progress: Progress = None,
) -> ImportPlan:
    """What importing some drafts would do; writing it is the second half of the work."""
    items = list(drafts)
    planner = _Planner(store, items, source=source, project=project)
    planner.scan_together(items)
    half = passes(progress, 2, total=len(items))[0]
    for draft, mark in counting(list(zip(items, planner.marks, strict=True)), half):
        planner.add(draft, *mark)
    return planner.result()


def is_own_export(path: str) -> bool:
    """Whether a directory or a JSON-lines file was written by `anamnesis export`."""
    if os.path.isdir(path):
        return any(os.path.isdir(os.path.join(path, name)) for name in tree.TREES)
    return path.endswith(".jsonl") and '"prov_source"' in read_text(path, most=20_000)


def plan_own_export(
    store: MemoryStore, path: str, *, mine: bool = False, progress: Progress = None
) -> ImportPlan:
    """What importing an export of Anamnesis would add: the same notes under the same ids.

    It could contain anything, so its notes are to be reviewed unless it is `mine`.
    A note that is here already, however it reads, is skipped. Raises InvalidInput.
    """
    planned = ImportPlan()
    unchanged = forgotten = 0
    notes = list(exports.own_export(path))
    for note in counting(notes, passes(progress, 2, total=len(notes))[0]):
        here = store.get(note.id)
        plain, _ = without_new_secrets(note, home=store.home)
        if tree.is_forgotten(store.home, note.id):
            forgotten += 1
        elif here is None:
            planned.added.append(plain if mine else _unreviewed(plain))
        elif here in (note, plain) or _hash(here) == _hash(plain):
            unchanged += 1
        else:
            planned.edited.append(note.id)
    return replace(planned, unchanged=unchanged, forgotten=forgotten, total=len(notes))


def _unreviewed(note: Memory) -> Memory:
    """A note from someone else; its own claims about its origin are ignored."""
    foreign = note.origin.startswith("import:") and note.origin != policy.NATIVE
    origin = note.origin if foreign else f"import:{OWN_EXPORT}"
    return replace(
        note,
        origin=origin,
        tags=policy.new_tags(origin, note.tags),
        confidence=min(note.confidence, CONFIDENCE),
    )


def carry_out(
    store: MemoryStore, planned: ImportPlan, *, source: str, progress: Progress = None
) -> undo.Unit | None:
    """Write what was planned, as one unit."""
    pairs = [*((None, note) for note in planned.added), *planned.updated]
    changes = undo.changes_of(store, pairs)
    summary = f"{source}: {planned.sentence}"
    half = passes(progress, 2, total=planned.total)[1]
    unit = undo.apply(store, changes, kind="import", summary=summary, progress=half)
    sources.remember(store.home, planned.digests, files=sources.files_of(store, planned.digests))
    if len(changes) > _MANY:
        index.complete(store)
    return unit


class _Planner:
    """Decides what to do with each draft."""

    def __init__(
        self, store: MemoryStore, drafts: Iterable[ImportDraft], *, source: str, project: str | None
    ) -> None:
        self._store = store
        self._source = source
        self._project = project
        self._allow = allow_list(store.home)
        self._machine = config.resolve_machine_id()
        self._notes: dict[str, Memory] = {}
        self._updated: dict[str, tuple[ReadNote, Memory]] = {}
        self._edited: list[str] = []
        self._counts = dict.fromkeys(("unchanged", "forgotten", "known"), 0)
        self._digests: dict[str, str] = {}
        # A newly allowed value or a new rule can make a different note from the same text.
        self._under = _under(store, project)
        self._forgotten = tree.forgotten(store.home)
        self.marks = [(self._id(draft), self._digest(draft)) for draft in drafts]
        digests = dict(self.marks)
        files = sources.files_of(store, digests)
        self._here = {*files, *sources.named_in_trees(store.home)}
        self._unchanged = self._unchanged_since(digests, files)
        self._without_secrets: set[str] = set()

    def scan_together(self, drafts: Iterable[ImportDraft]) -> None:
        """Find the drafts without secrets among many new ones, by scanning them in groups.

        A few are scanned one by one, which the index remembers when it scans their notes.
        """
        new = [
            (id, draft)
            for draft, (id, digest) in zip(drafts, self.marks, strict=True)
            if id not in self._forgotten and self._unchanged.get(id) != digest
        ]
        if len(new) <= _MANY:
            return
        for first in range(0, len(new), _SCANNED_TOGETHER):
            some = new[first : first + _SCANNED_TOGETHER]
            together = "\n\n".join(text for _, draft in some for text in _texts(draft))
            if not findings(together, allow=self._allow):
                self._without_secrets.update(id for id, _ in some)

    def add(self, draft: ImportDraft, id: NoteId, digest: str) -> None:
        """Decide about one draft, given its mark: the id of its note and the digest of its text."""
        if id in self._forgotten:
            self._counts["forgotten"] += 1
        elif self._unchanged.get(id) == digest:
            self._counts["unchanged"] += 1
        else:
            self._digests[id] = digest
            self._decide(self._note(id, draft))

    def result(self) -> ImportPlan:
        """What was decided."""
        known = self._known()
        self._counts["known"] = len(known)
        left_out = self._edited or known or self._counts["forgotten"]
        return ImportPlan(
            [note for id, note in self._notes.items() if id not in known],
            list(self._updated.values()),
            edited=self._edited,
            total=len(self.marks),
            digests=self._digests,
            ids=[] if left_out else [id for id, _ in self.marks],
            **self._counts,
        )

    def _id(self, draft: ImportDraft) -> str:
        return draft.id or derived_id("import", self._source, "", draft.key, at="")

    def _digest(self, draft: ImportDraft) -> str:
        return sources.digest(draft, under=self._under)

    def _unchanged_since(self, digests: dict[str, str], files: dict[str, str]) -> dict[str, str]:
        """The texts that were imported unchanged and whose notes have not been edited since."""
        home = self._store.home
        before = sources.known(home)
        return {
            id: digests[id]
            for id, file in files.items()
            if id in before and before[id] == sources.mark(home, file, digest=digests[id])
        }

    def _decide(self, note: Memory) -> None:
        read = self._store.read(note.id) if note.id in self._here else None
        if read is not None:
            self._compare(read, note)
        else:
            self._notes[note.id] = note

    def _compare(self, read: ReadNote, note: Memory) -> None:
        old = read.note
        if self._project and old.project != self._project:
            self._updated[note.id] = (read, replace(old, project=self._project))
        elif key(old, "import_hash") == key(note, "import_hash"):
            self._counts["unchanged"] += 1
        elif not _is_as_imported(old, note):
            self._edited.append(old.id)
            del self._digests[old.id]  # the next import reports it again
        else:
            tags = list(dict.fromkeys([*old.tags, *(t for t in note.tags if t != "pending")]))
            fresh = replace(old, tags=tags, **{name: getattr(note, name) for name in _AT_SOURCE})
            self._updated[note.id] = (read, fresh)

    def _known(self) -> set[str]:
        """The new notes that are there under another id, word for word."""
        new = self._notes.values()
        namesakes = self._store.ask(
            lambda db: {note.id: titled(db, note.title, project=note.project) for note in new}
        )
        return {id for id, others in namesakes.items() if any(map(self._says_same(id), others))}

    def _says_same(self, id: NoteId) -> Callable[[NoteId], bool]:
        def says_same(other: NoteId) -> bool:
            read = self._store.get(other)
            return read is not None and read.body.strip() == self._notes[id].body

        return says_same

    def _plain(self, texts: list[str]) -> list[str]:
        """Texts without secrets; title and body are scanned together, as the index does.

        A text that had none is not scanned again when the note is indexed.
        """
        title, *labels, body = texts
        together = (f"{title}\n\n{body}", "\n".join(labels))
        if not any(findings(text, allow=self._allow) for text in together):
            return texts
        return [redact(text, allow=self._allow) for text in texts]

    def _note(self, id: str, draft: ImportDraft) -> Memory:
        texts = _texts(draft)
        title, project, *tags, body = texts if id in self._without_secrets else self._plain(texts)
        at, origin = draft.at or clock.utcnow(), f"import:{self._source}"
        note = Memory(
            id=id,
            type=draft.type,
            title=title[:200],
            body=body,
            project=self._project or project or GLOBAL,
            machine_id=self._machine,
            tags=policy.new_tags(origin, tags),
            created_at=at,
            updated_at=at,
            prov_source="import",
            prov_session=draft.session,
            confidence=CONFIDENCE,
            origin=origin,
        )
        extra = keys(import_from=f"{self._source}:{draft.key}"[:200], import_hash=_hash(note))
        return replace(note, extra=extra)


def _texts(draft: ImportDraft) -> list[str]:
    """What a note would say: its title, project, tags and body."""
    return [" ".join(draft.title.split()), draft.project, *draft.tags, draft.body.strip()]


def _is_as_imported(old: Memory, note: Memory) -> bool:
    """Whether a note is unedited since its source was imported.

    Version 0.1.3 kept no hash, but the time of its source.
    """
    if known := key(old, "import_hash"):
        return known == _hash(old)
    return old.body.strip() == note.body or note.updated_at > old.updated_at


def _hash(note: Memory) -> str:
    return fingerprint(f"{note.title}\n{note.body}")
