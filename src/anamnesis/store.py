"""MemoryStore: the notes and their index behind one door."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

from anamnesis import atomic
from anamnesis.clock import utcnow as _utcnow
from anamnesis.errors import InvalidInput, NoSuchNote, NoteChangedOnDisk, StoreBusy
from anamnesis.index.catalog import Catalog
from anamnesis.index.database import IndexBroken
from anamnesis.index.filters import EVERYTHING, Filters
from anamnesis.index.query import _fts_query
from anamnesis.index.refresh import Changes, Unreadable
from anamnesis.index.rows import HEADER, header
from anamnesis.index.schema import _SCHEMA, _SCHEMA_VERSION
from anamnesis.notes import tree, validity
from anamnesis.notes.frontmatter import _FM_DELIM, UnreadableNote
from anamnesis.notes.frontmatter import deserialize as _deserialize
from anamnesis.notes.frontmatter import serialize as _serialize
from anamnesis.notes.ids import is_valid_id, new_id
from anamnesis.notes.note import SCOPES, SOURCES, TYPES, Memory, MemoryType, Scope
from anamnesis.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from anamnesis.index.search import Hit

__all__ = [
    "_FM_DELIM", "_SCHEMA", "_SCHEMA_VERSION", "Changes", "Filters", "Memory", "MemoryStore",
    "MemoryType", "NoSuchNote", "NoteChangedOnDisk", "Scope", "Unreadable", "_deserialize",
    "_fts_query", "_serialize", "_utcnow",
]  # fmt: skip

Notes = list[Memory]  # inside of the class, `list` is the method

_INDEX_LAG = (IndexBroken, StoreBusy, sqlite3.Error)  # the file stands; the next look catches up


class MemoryStore:
    """Notes as markdown files, found through a derived index; safe for threads and processes."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = os.path.abspath(os.path.expanduser(os.fspath(root)))
        for name in tree.TREES:
            if not os.path.isdir(os.path.join(self._root, name)):
                atomic.make_directory(os.path.join(self._root, name))
        self._catalog = Catalog(self._root)
        self._catalog.notice()

    @property
    def root(self) -> Path:
        """The store's root directory."""
        return _path(self._root)

    @property
    def memory_dir(self) -> Path:
        """The tree of portable notes, which git moves between machines."""
        return _path(self._root, "memory")

    @property
    def local_dir(self) -> Path:
        """The tree of notes that stay on this machine."""
        return _path(self._root, "local")

    @property
    def db_path(self) -> Path:
        """The derived index."""
        return _path(self._root, "index.db")

    @property
    def degraded(self) -> str:
        """Why the index is not the shared one, or nothing."""
        return self._catalog.degraded

    def close(self) -> None:
        """Close the index."""
        self._catalog.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(
        self,
        *,
        type: MemoryType,
        title: str,
        body: str,
        project: str = "global",
        machine_id: str = "unknown",
        scope: Scope = "portable",
        tags: Iterable[str] | None = None,
        prov_source: str = "human",
        prov_model: str = "",
        prov_session: str = "",
        confidence: float = 1.0,
        supersedes: str = "",
    ) -> Memory:
        """Create a note; when this returns, its file survives a power cut."""
        validity.require_one_of("type", type, TYPES)
        validity.require_one_of("scope", scope, SCOPES)
        validity.require_one_of("prov_source", prov_source, SOURCES)
        now = _utcnow()
        note = Memory(
            id=new_id(),
            type=type,
            title=title,
            body=body,
            project=project,
            machine_id=machine_id,
            scope=scope,
            tags=list(tags or ()),
            created_at=now,
            updated_at=now,
            prov_source=prov_source,
            prov_model=prov_model,
            prov_session=prov_session,
            confidence=confidence,
            supersedes=supersedes,
        )
        return self._save(note)

    def put(self, mem: Memory) -> Memory:
        """Create or replace a note by its id, with the id and times that it brings."""
        return self._save(mem)

    def update(self, mem: Memory, *, expected_hash: str) -> Memory:
        """Replace a note if its file still is the one that was read (see `read`)."""
        with self._catalog.lock():
            current = self.read(mem.id)
            if current is None:
                raise NoSuchNote(mem.id)
            if current.hash != expected_hash:
                raise NoteChangedOnDisk(self._path_of(mem.id) or mem.id)
            return self._save_locked(replace(mem, updated_at=_utcnow()))

    def delete(self, note_id: str) -> Memory:
        """Remove a note from disk and index; the history of its tree keeps it."""
        with self._catalog.lock():
            found = self.read(note_id)
            paths = self._paths_of(note_id)
            if not paths or found is None:
                raise NoSuchNote(note_id)
            trusted = self._catalog.trusted(paths)
            for path in paths:
                atomic.remove(os.path.join(self._root, path))
            with suppress(*_INDEX_LAG):
                self._catalog.record(paths, trusted=trusted)
            return found.note

    def move(self, note_id: str, scope: Scope) -> Memory:
        """Move a note to the other tree: from travelling to staying here, or back."""
        validity.require_one_of("scope", scope, SCOPES)
        with self._catalog.lock():
            found = self.read(note_id)
            if found is None:
                raise NoSuchNote(note_id)
            if found.note.scope == scope:
                return found.note
            return self._save_locked(replace(found.note, scope=scope, updated_at=_utcnow()))

    def get(self, note_id: str) -> Memory | None:
        """The note as its file says now, or None."""
        found = self.read(note_id)
        return found.note if found else None

    def read(self, note_id: str) -> tree.ReadNote | None:
        """The note with the hash that `update` wants back, or None."""
        path = self._path_of(note_id)
        found = self._read(path) if path else None
        return found if found is not None and found.note.id == note_id else None

    def resolve_id(self, given: str) -> str:
        """The full id for an id, or for enough of its start or end."""
        if not is_valid_id(given):
            raise NoSuchNote(given)
        if self._path_of(given):
            return given
        rows = self._catalog.rows(
            "SELECT id FROM memories WHERE id GLOB ?1 || '*' OR id GLOB '*' || ?1 LIMIT 9",
            (given.upper(),),
        )
        if not rows:
            raise NoSuchNote(given)
        if len(rows) > 1:
            names = ", ".join(row[0] for row in rows)
            raise InvalidInput(
                f"Several notes match {given}: {names}.", hint="Give more of the id."
            )
        return str(rows[0][0])

    def list(
        self,
        *,
        project: str | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Notes:
        """Notes with their bodies, newest first, superseded ones included."""
        found = self._list_rows(_filters(project, type, scope), limit, offset)
        return self._read_all((row["scope"], row["body_path"]) for row in found)

    def headers(
        self,
        *,
        project: str | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Notes:
        """Notes without their bodies, newest first, from the index alone."""
        found = self._list_rows(_filters(project, type, scope), limit, offset)
        return [header(row) for row in found]

    def search(
        self,
        query: str,
        *,
        project: str | None = None,
        type: MemoryType | None = None,
        scope: Scope | None = None,
        k: int = 8,
    ) -> Notes:
        """The notes that answer a free text best, read back from their files."""
        filters = Filters((project,) if project else (), type=type or "", scope=scope or "")
        return [hit.note for hit in self.recall(query, filters=filters, k=k)]

    def recall(
        self,
        query: str,
        *,
        filters: Filters = EVERYTHING,
        k: int = 8,
        offset: int = 0,
        by_meaning: bool = True,
    ) -> Sequence[Hit]:
        """The notes that answer a free text best, each with its score and the reasons for it."""
        from anamnesis.index.search import Hit, Question, search

        self._catalog.notice()
        asked = Question(query, filters, limit=k, offset=offset, by_meaning=by_meaning)
        found = self._catalog.query(lambda db: search(db, asked))
        read = ((hit, self._read(f"{tree.tree_of(hit.scope)}/{hit.path}")) for hit in found)
        return [Hit(file.note, hit.score, hit.why) for hit, file in read if file is not None]

    def stats(self) -> dict[str, int | dict[str, int]]:
        """How many notes there are: in all, and by type, project and scope."""
        self._catalog.notice()
        counts: dict[str, int | dict[str, int]] = {}
        for column in ("type", "project", "scope"):
            counted = self._catalog.rows(
                f"SELECT {column}, count(*) FROM memories GROUP BY 1 ORDER BY 2 DESC, 1"  # noqa: S608
            )
            counts[f"by_{column}"] = {row[0]: row[1] for row in counted}
        return {"total": self._catalog.rows("SELECT count(*) FROM memories")[0][0], **counts}

    def superseded_ids(self) -> set[str]:
        """The ids that another note replaces; in a circle the latest is not among them."""
        found = self._catalog.rows(
            "SELECT target FROM supersessions EXCEPT SELECT id FROM memories WHERE superseded = 0"
        )
        return {row[0] for row in found}

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew from the files; gives the number of notes in it."""
        self._catalog.rebuild(progress)
        return int(self._catalog.rows("SELECT count(*) FROM memories")[0][0])

    def refresh(self) -> Changes:
        """Take in every change on disk since the last look, edits in place included."""
        return self._catalog.refresh()

    def refresh_paths(self, paths: Iterable[str]) -> None:
        """Take in some changed files, named relative to the root; nothing else is read."""
        self._catalog.refresh_paths(list(paths))

    def unreadable(self) -> Sequence[Unreadable]:
        """The files that need a person, each with the reason."""
        self._catalog.notice()
        found = self._catalog.rows(
            "SELECT path, problem, note_id IS NOT NULL AND problem NOT LIKE 'its id is also%' "
            "FROM files WHERE problem IS NOT NULL ORDER BY path"
        )
        return [Unreadable(path, problem, bool(indexed)) for path, problem, indexed in found]

    def _dir_for_scope(self, scope: Scope) -> Path:
        return self.local_dir if scope == "machine-local" else self.memory_dir

    def _index(
        self, mem: Memory, rel_path: str, *, gone: Sequence[str] = (), trusted: Sequence[str] = ()
    ) -> None:
        """Make the index say of one note what its file says, the lock being held."""
        path = f"{tree.tree_of(mem.scope)}/{rel_path}"
        # All in one transaction: a folder may be called up to date only together with its notes.
        self._catalog.record([path, *gone], trusted=trusted)

    def _save(self, note: Memory) -> Memory:
        note = validity.storable(note)
        try:
            with self._catalog.lock():
                return self._save_locked(note)
        except StoreBusy:
            if self._paths_of(note.id):
                raise
        # Somebody keeps the store busy, but a new note collides with nothing: it is not lost.
        atomic.write_bytes(os.path.join(self._root, tree.path_of(note)), tree.encode(note))
        return note

    def _save_locked(self, note: Memory) -> Memory:
        note = validity.storable(note)
        previous = self._paths_of(note.id)
        path = tree.path_of(note)
        if len(previous) == 1 and validity.may_stay(previous[0], note):
            path = previous[0]  # a file that a person named keeps its name
        gone = [old for old in previous if old != path]
        trusted = self._catalog.trusted([path, *gone])
        absolute = os.path.join(self._root, path)
        created = not os.path.lexists(absolute)
        atomic.write_bytes(absolute, tree.encode(note))
        for old in gone:
            atomic.remove(os.path.join(self._root, old))
        try:
            self._index(note, path.partition("/")[2], gone=gone, trusted=trusted)
        except _INDEX_LAG:
            return note
        except BaseException:
            if created and not gone:
                atomic.remove(absolute)
            raise
        return note

    def _paths_of(self, note_id: str) -> Sequence[str]:
        """Every file that claims this id: usually one, none for a new note."""
        if not is_valid_id(note_id):
            raise InvalidInput(
                f"{note_id[:80]!r} is not a note id.", hint="Ids are letters, digits, - and _."
            )
        try:
            known = self._catalog.rows("SELECT path FROM files WHERE note_id = ?", (note_id,))
        except _INDEX_LAG:
            known = []
        usual = [f"{name}/{type}/{note_id}.md" for name in tree.TREES for type in TYPES]
        paths = dict.fromkeys([*(row[0] for row in known), *usual])
        return [path for path in paths if os.path.lexists(os.path.join(self._root, path))]

    def _path_of(self, note_id: str) -> str | None:
        """The file that stands for this id, found even while the index lags."""
        if not is_valid_id(note_id):
            return None
        known = self._catalog.rows("SELECT scope, body_path FROM memories WHERE id = ?", (note_id,))
        for scope, body_path in known:
            path = f"{tree.tree_of(scope)}/{body_path}"
            if os.path.lexists(os.path.join(self._root, path)):
                return path
        return next(iter(self._paths_of(note_id)), None)

    def _read(self, path: str) -> tree.ReadNote | None:
        try:
            return tree.read_note(self._root, path)
        except (UnreadableNote, OSError):
            return None

    def _read_all(self, places: Iterable[tuple[str, str]]) -> Notes:
        """The notes at these places; one whose file vanished or broke is left out."""
        found = (self._read(f"{tree.tree_of(scope)}/{path}") for scope, path in places)
        return [read.note for read in found if read is not None]

    def _list_rows(
        self, where: Mapping[str, str], limit: int | None, offset: int
    ) -> Sequence[sqlite3.Row]:
        self._catalog.notice()
        condition = " AND ".join(f"m.{column} = ?" for column in where) or "1"
        return self._catalog.rows(
            f"SELECT {HEADER} FROM memories m WHERE {condition} "  # noqa: S608  fixed names
            "ORDER BY m.updated_at DESC, m.id DESC LIMIT ? OFFSET ?",
            (*where.values(), -1 if limit is None else max(limit, 0), max(offset, 0)),
        )


def _filters(project: str | None, type: str | None, scope: str | None) -> dict[str, str]:
    asked = {"project": project, "type": type, "scope": scope}
    return {column: value for column, value in asked.items() if value is not None}


def _path(*parts: str) -> Path:
    from pathlib import Path

    return Path(*parts)
