"""Drafts of other programs become notes: once each, updated later, never over an edit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import clock
from anamnesis.history import undo
from anamnesis.importers import native, sources
from anamnesis.index.curation import places, titled
from anamnesis.notes import tombstones
from anamnesis.notes.derived import derived_id, fingerprint, key, keys
from anamnesis.notes.note import Memory
from anamnesis.project import GLOBAL
from anamnesis.redact import RULES, findings, redact
from anamnesis.redact.allowed import allow_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anamnesis.importers.draft import Draft
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

    Progress = Callable[[int, int], None] | None

# What a changed source says anew; all else may have been decided here since.
_AT_SOURCE = ("title", "body", "machine_id", "updated_at", "prov_session", "extra")
CONFIDENCE = 0.8  # somebody wrote it for a purpose, but not for here


@dataclass(frozen=True, slots=True)
class Intake:
    """What an import does: notes to write, and what is left alone for which reason."""

    added: list[Memory] = field(default_factory=list)
    updated: list[tuple[ReadNote, Memory]] = field(default_factory=list)
    unchanged: int = 0
    edited: list[str] = field(default_factory=list)  # changed here by a person; left as they are
    forgotten: int = 0
    known: int = 0  # already there under another id, word for word
    digests: dict[str, str] = field(default_factory=dict)  # of the texts that became these notes

    @property
    def sentence(self) -> str:
        """The outcome for a person."""
        said = [f"{len(self.added)} new", f"{len(self.updated)} updated"]
        for number, what in (
            (self.unchanged, "unchanged"),
            (self.known, "already known"),
            (len(self.edited), "edited here and left"),
            (self.forgotten, "forgotten and left out"),
        ):
            if number:
                said.append(f"{number} {what}")
        return ", ".join(said)


def plan_intake(
    store: MemoryStore,
    drafts: Iterable[Draft],
    *,
    source: str,
    project: str | None = None,
    origin: str = "",
    progress: Progress = None,
) -> Intake:
    """What importing some drafts would do. `origin` keeps equal keys of two machines apart."""
    items = list(drafts)
    intake = _Planner(store, items, source=source, project=project, origin=origin)
    for done, draft in enumerate(items):
        intake.take(draft)
        if progress is not None:
            progress(done + 1, len(items))
    return intake.result()


def carry_out(store: MemoryStore, intake: Intake, *, source: str) -> undo.Unit | None:
    """Write what was planned, as one unit."""
    pairs = [*((None, note) for note in intake.added), *intake.updated]
    changes = undo.changes_of(store, pairs)
    summary = f"{source}: {intake.sentence}"
    unit = undo.apply(store, changes, kind="import", summary=summary)
    sources.remember(store.home, intake.digests, files=_files(store, intake.digests))
    return unit


def _files(store: MemoryStore, ids: Iterable[str]) -> dict[str, str]:
    return store.ask(lambda db: places(db, ids))


def import_native(
    store: MemoryStore, *, again: bool = False, dry: bool = False, progress: Progress = None
) -> Intake:
    """Take in Claude Code's own memory; files that did not change since are not even read."""
    root = store.home
    seen = {} if again else native.seen(root)
    files = list(native.files())
    stamps = {file.path: file.stamp for file in files}
    fresh_ones = [file for file in files if seen.get(file.path) != file.stamp]
    if not fresh_ones:
        return Intake()
    projects = {slug: native.project_of(slug) for slug in {file.slug for file in fresh_ones}}
    found = (native.draft(file, project=projects[file.slug]) for file in fresh_ones)
    intake = plan_intake(
        store,
        (draft for draft in found if draft is not None),
        source="claude-code",
        # Each machine's Claude writes its own files: equal names are different notes.
        origin=config.resolve_machine_id(),
        progress=progress,
    )
    if not dry:
        carry_out(store, intake, source="claude-code")
        native.remember(root, stamps)
    return intake


class _Planner:
    def __init__(
        self,
        store: MemoryStore,
        drafts: Iterable[Draft],
        *,
        source: str,
        project: str | None,
        origin: str,
    ) -> None:
        self._store = store
        self._source = source
        self._project = project
        self._origin = origin
        self._allow = allow_list(store.home)
        self._machine = config.resolve_machine_id()
        self._notes: dict[str, Memory] = {}
        self._updated: dict[str, tuple[ReadNote, Memory]] = {}
        self._edited: list[str] = []
        self._counts = dict.fromkeys(("unchanged", "forgotten", "known"), 0)
        self._digests: dict[str, str] = {}
        # A value that is allowed today, or a rule that is new, makes another note of the same text.
        self._under = "\0".join((str(RULES), project or "", *self._allow))
        self._forgotten = tombstones.forgotten(store.home)
        self._unchanged = self._unchanged_since({self._id(d): self._digest(d) for d in drafts})

    def _id(self, draft: Draft) -> str:
        return derived_id("import", self._source, self._origin, draft.key, at="")

    def _digest(self, draft: Draft) -> str:
        return sources.digest(draft, under=self._under)

    def _unchanged_since(self, digests: dict[str, str]) -> dict[str, str]:
        """The texts that were imported as they are and whose notes nobody touched since."""
        root = str(self._store.root)
        before = sources.known(root)
        files = _files(self._store, digests.keys() & before.keys())
        return {
            id: digests[id]
            for id, file in files.items()
            if before[id] == sources.mark(root, file, digest=digests[id])
        }

    def take(self, draft: Draft) -> None:
        """Decide about one draft."""
        id, digest = self._id(draft), self._digest(draft)
        if id in self._forgotten:
            self._counts["forgotten"] += 1
        elif self._unchanged.get(id) == digest:
            self._counts["unchanged"] += 1
        else:
            self._digests[id] = digest
            self._decide(self._note(id, draft))

    def _decide(self, note: Memory) -> None:
        read = self._store.read(note.id)
        if read is not None:
            self._compare(read, note)
        elif self._is_known(note):
            self._counts["known"] += 1
        else:
            self._notes[note.id] = note

    def result(self) -> Intake:
        return Intake(
            list(self._notes.values()), list(self._updated.values()), edited=self._edited,
            digests=self._digests, **self._counts,
        )  # fmt: skip

    def _compare(self, read: ReadNote, note: Memory) -> None:
        old = read.note
        if key(old, "import_hash") == key(note, "import_hash"):
            self._counts["unchanged"] += 1
        elif key(old, "import_hash") != _hash(old):
            self._edited.append(old.id)
            del self._digests[old.id]  # said again at the next import
        else:
            tags = list(dict.fromkeys([*old.tags, *(t for t in note.tags if t != "pending")]))
            fresh = replace(old, tags=tags, **{name: getattr(note, name) for name in _AT_SOURCE})
            self._updated[note.id] = (read, fresh)

    def _is_known(self, note: Memory) -> bool:
        ids = self._store.ask(lambda db: titled(db, note.title, project=note.project))
        same = (self._store.get(id) for id in ids)
        return any(other is not None and other.body.strip() == note.body for other in same)

    def _plain(self, texts: list[str]) -> list[str]:
        """Texts without secrets; looked through together, which costs less, as most have none."""
        if not findings("\n".join(texts), allow=self._allow):
            return texts
        return [redact(text, allow=self._allow) for text in texts]

    def _note(self, id: str, draft: Draft) -> Memory:
        title, project, *tags, body = self._plain(
            [" ".join(draft.title.split()), draft.project, *draft.tags, draft.body.strip()]
        )
        at = draft.at or clock.utcnow()
        note = Memory(
            id=id,
            type=draft.type,
            title=title[:200],
            body=body,
            project=self._project or project or GLOBAL,
            machine_id=self._machine,
            tags=list(dict.fromkeys([*tags, "pending"])),
            created_at=at,
            updated_at=at,
            prov_source="import",
            prov_session=draft.session,
            confidence=CONFIDENCE,
            origin=f"import:{self._source}",
        )
        said = keys(import_from=f"{self._source}:{draft.key}"[:200], import_hash=_hash(note))
        return replace(note, extra=said)


def _hash(note: Memory) -> str:
    return fingerprint(f"{note.title}\n{note.body}")
