"""MemoryStore: the notes and their index behind one door."""

from __future__ import annotations

from functools import cached_property

from anamnesis.ground.clock import utcnow as _utcnow
from anamnesis.ground.errors import NoSuchNote, NoteChangedOnDisk, SeveralMatch
from anamnesis.index.database import IndexBroken
from anamnesis.index.refresh import Changes, Unreadable
from anamnesis.index.rows import HEADER, header
from anamnesis.index.schema import _SCHEMA, _SCHEMA_VERSION
from anamnesis.notes import tree, validity
from anamnesis.notes.frontmatter import _FM_DELIM
from anamnesis.notes.frontmatter import deserialize as _deserialize
from anamnesis.notes.frontmatter import serialize as _serialize
from anamnesis.notes.ids import is_valid_id, new_id
from anamnesis.notes.note import SCOPES, SOURCES, TYPES, Memory, MemoryType, Scope
from anamnesis.store.filing import Filing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Self, TypeVar

    from anamnesis.search.engine import SearchHit
    from anamnesis.search.filters import Filters
    from anamnesis.search.prompt import Answer
    from anamnesis.search.query import _fts_query
    from anamnesis.search.semantic import Semantics

    T = TypeVar("T")

__all__ = [
    "_FM_DELIM", "_SCHEMA", "_SCHEMA_VERSION", "Changes", "Filters", "IndexBroken", "Memory",
    "MemoryStore", "MemoryType", "NoSuchNote", "NoteChangedOnDisk", "Scope", "Unreadable",
    "_deserialize", "_fts_query", "_serialize", "_utcnow",
]  # fmt: skip

Notes = list[Memory]  # inside of the class, `list` is the method


class MemoryStore(Filing):
    """Notes as markdown files, found through a derived index; safe for threads and processes."""

    @property
    def root(self) -> Path:
        """The store's root directory."""
        return _path(self.home)

    @property
    def memory_dir(self) -> Path:
        """The tree of portable notes, which git moves between machines."""
        return _path(self.home.memory)

    @property
    def local_dir(self) -> Path:
        """The tree of notes that stay on this machine."""
        return _path(self.home.local)

    @property
    def db_path(self) -> Path:
        """The derived index."""
        return _path(self.home.index_db)

    @property
    def degraded(self) -> str:
        """Why the index is not the shared one, or nothing."""
        return self._catalog.degraded

    @property
    def lags(self) -> bool:
        """Whether a hurried store has left changes on disk to a look in the background."""
        return self._catalog.lags

    def close(self) -> None:
        """Close the index."""
        self._catalog.close()
        if "_semantics" in self.__dict__:
            self._semantics.close()

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

    def resolve_id(self, given: str) -> str:
        """The full id for an id, or for enough of its start or end."""
        if not is_valid_id(given):
            raise NoSuchNote(given)
        if self._path_of(given):
            return given
        rows = self._catalog.rows(
            "SELECT id FROM memories "
            "WHERE upper(id) GLOB ?1 || '*' OR upper(id) GLOB '*' || ?1 LIMIT 9",
            (given.upper(),),
        )
        if not rows:
            raise NoSuchNote(given)
        if len(rows) > 1:
            raise SeveralMatch(given, [row[0] for row in rows])
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

    def titled(self, title: str, *, project: str, scope: Scope) -> Notes:
        """The notes with exactly this title in one place, newest first."""
        found = self._list_rows({"title": title, "project": project, "scope": scope}, None, 0)
        return self._read_all((row["scope"], row["body_path"]) for row in found)

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
        from anamnesis.search.filters import Filters

        filters = Filters((project,) if project else (), type=type or "", scope=scope or "")
        return [hit.note for hit in self.recall(query, filters=filters, k=k)]

    def recall(
        self,
        query: str,
        *,
        filters: Filters | None = None,
        k: int = 8,
        offset: int = 0,
        by_meaning: bool = True,
        by_encoder: bool = True,
        forgiving: bool = True,
    ) -> Sequence[SearchHit]:
        """The notes that answer a free text best, each with its score and the reasons for it.

        Where there is an encoder, it is part of the meaning.
        """
        from anamnesis.search.engine import Question, SearchHit, search
        from anamnesis.search.filters import EVERYTHING

        self._catalog.notice()
        filters = EVERYTHING if filters is None else filters
        asked = Question(
            query,
            filters,
            limit=k,
            offset=offset,
            by_meaning=by_meaning,
            forgiving=forgiving,
            nearness=self._semantics.nearness(query) if by_meaning and by_encoder else None,
        )
        found = self._catalog.query(lambda db: search(db, asked))
        read = ((hit, self._read(f"{tree.tree_of(hit.scope)}/{hit.path}")) for hit in found)
        return [SearchHit(file.note, hit.score, hit.why) for hit, file in read if file is not None]

    def answering(self, prompt: str, *, filters: Filters) -> Sequence[tuple[Memory, Answer]]:
        """The notes that answer what somebody just typed, each with the reason; mostly none."""
        from anamnesis.config import is_on
        from anamnesis.search.prompt import answers

        self._catalog.notice()
        near = (
            (lambda: self._semantics.nearness(prompt)) if is_on("semantic", default=False) else None
        )
        found = self._catalog.query(lambda db: answers(db, prompt, filters=filters, nearness=near))
        read = ((self._read(f"{tree.tree_of(hit.scope)}/{hit.path}"), hit) for hit in found)
        return [(file.note, hit) for file, hit in read if file is not None]

    def ask(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """The answer of one of the index's own queries, on one state of it."""
        return self._catalog.query(query)

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

    def refresh_verdicts(self, ids: Iterable[str]) -> None:
        """Look again at what some notes say, after a person vouched for them."""
        self._catalog.judge([note for id in ids if (note := self.get(id)) is not None])

    def refresh_paths(self, paths: Iterable[str]) -> None:
        """Take in some changed files, named relative to the root; nothing else is read."""
        self._catalog.refresh_paths(list(paths))

    def unreadable(self) -> Sequence[Unreadable]:
        """The unreadable files, each with the reason."""
        self._catalog.notice()
        found = self._catalog.rows(
            "SELECT path, problem, note_id IS NOT NULL AND problem NOT LIKE 'its id is also%' "
            "FROM files WHERE problem IS NOT NULL ORDER BY path"
        )
        return [Unreadable(path, problem, bool(indexed)) for path, problem, indexed in found]

    @cached_property
    def _semantics(self) -> Semantics:
        from anamnesis.search.semantic import Semantics

        return Semantics(self.home)

    def _dir_for_scope(self, scope: Scope) -> Path:
        return self.local_dir if scope == "machine-local" else self.memory_dir

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


def __getattr__(name: str) -> object:
    """What only a search needs, loaded when somebody asks for it by name."""
    if name == "Filters":
        from anamnesis.search import filters

        return filters.Filters
    if name == "_fts_query":
        from anamnesis.search import query

        return query._fts_query  # noqa: SLF001  the documented name of it
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
