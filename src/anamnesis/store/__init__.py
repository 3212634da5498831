"""MemoryStore: the notes and their index behind one class."""

from __future__ import annotations

from anamnesis import carried
from anamnesis.config import encoder_is_on
from anamnesis.ground.clock import utcnow as _utcnow
from anamnesis.ground.errors import (
    NoSuchNote,
    NoteChangedOnDisk,
    NotWritable,
    SeveralMatch,
    StoreBusy,
)
from anamnesis.ground.records import fresh, record
from anamnesis.index.database import _SCHEMA, _SCHEMA_VERSION, IndexBroken, SqliteError
from anamnesis.index.refresh import Changes, Unreadable
from anamnesis.index.rows import HEADER, header
from anamnesis.notes import tree
from anamnesis.notes.fields import (
    SCOPES,
    SOURCES,
    TYPES,
    Memory,
    MemoryType,
    Scope,
    is_valid_id,
    new_id,
)
from anamnesis.notes.frontmatter import _FM_DELIM
from anamnesis.notes.frontmatter import deserialize as _deserialize
from anamnesis.notes.frontmatter import serialize as _serialize
from anamnesis.store.file_changes import INDEX_LAG, Filing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Self, TypeVar

    from anamnesis.ground.counting import Progress
    from anamnesis.index.refresh import Reading
    from anamnesis.search.engine import FoundNote, SearchHit
    from anamnesis.search.prompt import PromptAnswer
    from anamnesis.search.query import Filters, _fts_query
    from anamnesis.search.vectors import Semantics
    from anamnesis.store.repository import RepositoryStore

    T = TypeVar("T")
    Hit = TypeVar("Hit", FoundNote, PromptAnswer)

__all__ = [
    "_FM_DELIM", "_SCHEMA", "_SCHEMA_VERSION", "Changes", "Filters", "IndexBroken", "Memory",
    "MemoryStore", "MemoryType", "NoSuchNote", "NoteChangedOnDisk", "Scope", "Unreadable",
    "_deserialize", "_fts_query", "_serialize", "_utcnow",
]  # fmt: skip

_UNDERSTOOD_AT_ONCE = 100  # notes; no other process can write meanwhile
Notes = list[Memory]  # inside the class, `list` is the method


@record
class Doubles:
    """The ids of notes that both you and a repository have."""

    shared: set[str] = fresh(default_factory=set)  # by you: one note, as the branch has it
    others: set[str] = fresh(default_factory=set)  # two notes
    same: set[str] = fresh(default_factory=set)  # those of the others that say the same

    def without(self, hits: Iterable[Hit], *, theirs: Container[str]) -> list[Hit]:
        """The hits without yours that you shared, and without some of the repository's."""
        return [
            hit
            for hit in hits
            if not (hit.own_id in theirs if hit.is_beside else hit.id in self.shared)
        ]


class MemoryStore(Filing):
    """Notes as markdown files, found through a derived index; safe for threads and processes."""

    _loaded_semantics: Semantics | None = None
    beside: RepositoryStore | None = None  # the notes of the repository that one works in
    _known_shared: set[str] | None = None
    unindexed: carried.Checkout | None = None  # the same, while a hurried caller has no index

    def look_beside(self, directory: str) -> None:
        """From now on also find the notes that the repository of a directory carries.

        Only where you trust it; what changes notes sees yours alone.
        """
        self._known_shared, self.unindexed = None, None
        checkout = carried.trusted(self.home, directory)
        if self.beside is not None:
            if checkout is not None and checkout.kept == self.beside.checkout.kept:
                return
            self.beside.close()
            self.beside = None
        if checkout is None:
            return
        from anamnesis.store.repository import RepositoryStore

        try:
            self.beside = RepositoryStore(checkout, hurried=self._catalog.hurried)
        except IndexBroken:
            self.unindexed = checkout
        except (NotWritable, StoreBusy, SqliteError):
            return  # where no index can be kept, there are only your own notes

    def ask_each(self, query: Callable[[sqlite3.Connection], T]) -> Sequence[T]:
        """The results of a query on your index, and on that of the repository if there is one."""
        return [self.ask(query), *([self.beside.ask(query)] if self.beside else [])]

    def look_up(self, note_id: str) -> Memory | None:
        """The note with an id: yours, or else the repository's."""
        own = self.get(note_id)
        if self.beside is None or (own is not None and note_id not in self._shared()):
            return own
        return self.beside.get(note_id) or own

    def doubles(self, ids: Iterable[str]) -> Doubles:
        """Those of some ids that both you and the repository have a note for.

        A note that you shared is one note, as the branch has it; a copy with the same text is one
        as well. All others are two, whatever the repository says, and yours comes first.
        """
        if self.beside is None:
            return Doubles()
        from anamnesis.index.queries import known_ids

        wanted = list(ids)
        theirs = list(self.beside.ask(lambda db: known_ids(db, wanted)))
        both = self.ask(lambda db: known_ids(db, theirs))
        shared = both & self._shared()
        return Doubles(shared, both - shared, {id for id in both - shared if self._is_same(id)})

    def _shared(self) -> set[str]:
        """The ids of the notes that you shared with the repository."""
        if self._known_shared is None and self.beside is not None:
            from anamnesis import consent

            self._known_shared = set(consent.shared(self.home, self.beside.checkout.source))
        return self._known_shared or set()

    def _is_same(self, note_id: str) -> bool:
        ours, theirs = self.get(note_id), self.beside and self.beside.get(note_id)
        return bool(ours and theirs and (ours.title, ours.body) == (theirs.title, theirs.body))

    @property
    def root(self) -> Path:
        """The store's root directory."""
        return _path(self.home)

    @property
    def memory_dir(self) -> Path:
        """The tree of synced notes."""
        return _path(self.home.memory)

    @property
    def local_dir(self) -> Path:
        """The tree of local-only notes."""
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
        """Whether a hurried store left changes on disk for the background to index."""
        return self._catalog.lags

    def close(self) -> None:
        """Close the index."""
        self._catalog.close()
        if self.beside is not None:
            self.beside.close()
        if self._loaded_semantics is not None:
            self._loaded_semantics.close()

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
        tree.require_one_of("type", type, TYPES)
        tree.require_one_of("scope", scope, SCOPES)
        tree.require_one_of("prov_source", prov_source, SOURCES)
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
        return self.create(note)

    def resolve_id(self, given: str) -> str:
        """The full id for an id, or for enough of its start or end.

        Raises NoSuchNote or SeveralMatch.
        """
        if not is_valid_id(given):
            raise NoSuchNote(given)
        if self._path_of(given):
            return given
        rows = self._catalog.rows(
            "SELECT id FROM memories "
            "WHERE upper(id) GLOB ? || '*' OR upper(id) GLOB '*' || ? LIMIT 9",
            (given.upper(), given.upper()),
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
        rows = self._list_rows(_filters(project, type, scope), limit, offset)
        return self._read_all((row["scope"], row["body_path"]) for row in rows)

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
        rows = self._list_rows(_filters(project, type, scope), limit, offset)
        return [header(row) for row in rows]

    def titled(self, title: str, *, project: str, scope: Scope) -> Notes:
        """The notes with exactly this title in one place, newest first."""
        rows = self._list_rows({"title": title, "project": project, "scope": scope}, None, 0)
        return self._read_all((row["scope"], row["body_path"]) for row in rows)

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
        from anamnesis.search.query import Filters

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

        An encoder, where there is one, counts as part of the meaning.
        """
        from anamnesis.search.engine import Question, SearchHit, keep, search
        from anamnesis.search.query import EVERYTHING

        self._catalog.notice()
        filters = EVERYTHING if filters is None else self.by_all_names(filters)
        by_encoder = by_encoder and by_meaning and encoder_is_on()
        question = Question(
            query,
            filters,
            limit=k if self.beside is None or k <= 0 else 2 * (offset + k),  # some are found twice
            offset=offset if self.beside is None else min(offset, 0),
            by_meaning=by_meaning,
            forgiving=forgiving,
            nearness=self._semantics.nearness(query) if by_encoder else None,
        )
        fresh: dict[int, bytes] = {}
        hits = self._catalog.query_and_keep(
            lambda db: self._with_beside(lambda other: search(db, question, fresh, beside=other)),
            lambda db: keep(db, fresh),
        )
        if self.beside is not None:
            doubles = self.doubles(hit.own_id for hit in hits)
            hits = doubles.without(hits, theirs=doubles.same)[offset:][:k]
        read = ((hit, self._read_hit(hit)) for hit in hits)
        return [
            SearchHit(file.note, hit.score, hit.why, before=hit.before)
            for hit, file in read
            if file is not None
        ]

    def _with_beside(self, ask: Callable[[sqlite3.Connection | None], T]) -> T:
        return self.beside.ask(ask) if self.beside is not None else ask(None)

    def _read_hit(self, hit: FoundNote | PromptAnswer) -> tree.ReadNote | None:
        """The file of a note that was found, here or in the repository."""
        if hit.is_beside and self.beside is not None:
            return self.beside._read(f"memory/{hit.path}")  # noqa: SLF001  a store too
        return self._read(f"{tree.tree_of(hit.scope)}/{hit.path}")

    def answering(
        self,
        prompt: str,
        *,
        filters: Filters,
        ask_archive: Callable[[], Mapping[str, float]] | None = None,
    ) -> Sequence[tuple[Memory, PromptAnswer]]:
        """The notes that answer a prompt, each with its reason; usually none."""
        from anamnesis.search.prompt import answers

        self._catalog.notice()
        filters = self.by_all_names(filters)
        near = (lambda: self._semantics.nearness(prompt)) if encoder_is_on() else None
        hits = self._catalog.query(
            lambda db: self._with_beside(
                lambda other: answers(
                    db, prompt, filters=filters, nearness=near, ask_archive=ask_archive,
                    beside=other,
                )
            )
        )  # fmt: skip
        if self.beside is not None:
            doubles = self.doubles(hit.own_id for hit in hits)
            hits = doubles.without(hits, theirs=doubles.others)
        read = ((self._read_hit(hit), hit) for hit in hits)
        return [(file.note, hit) for file, hit in read if file is not None]

    def admitted(self, hits: Iterable[str]) -> set[str]:
        """Which hits an agent may be given unasked, by their ids in the answer of a search.

        Each is judged by its own note: one of a repository may have the id of one of yours.
        """
        from anamnesis.index.queries import admitted
        from anamnesis.search.rank import BESIDE

        ids = list(hits)
        own = [id for id in ids if not id.startswith(BESIDE)]
        theirs = [id.removeprefix(BESIDE) for id in ids if id.startswith(BESIDE)]
        allowed = self.ask(lambda db: admitted(db, own))
        if self.beside is not None and theirs:
            found = self.beside.ask(lambda db: admitted(db, theirs))
            allowed |= {f"{BESIDE}{id}" for id in found}
        return allowed

    def by_all_names(self, filters: Filters) -> Filters:
        """The filters with every name that their projects have."""
        from anamnesis.aliases import names_of
        from anamnesis.ground.records import replace

        names = (name for key in filters.projects for name in names_of(self.home, key))
        return replace(filters, projects=tuple(dict.fromkeys(names)))

    def ask(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """The result of one of the index's queries, on one snapshot of it."""
        return self._catalog.query(query)

    def stats(self) -> dict[str, int | dict[str, int]]:
        """How many notes there are: in all, and by type, project and scope."""
        self._catalog.notice()
        # In the order of an index, so that one pass over it counts everything.
        cells = self._catalog.rows(
            "SELECT type, project, scope, count(*) FROM memories GROUP BY 1, 2, 3"
        )
        counts: dict[str, int | dict[str, int]] = {"total": sum(cell[3] for cell in cells)}
        for at, column in enumerate(("type", "project", "scope")):
            numbers: dict[str, int] = {}
            for cell in cells:
                numbers[cell[at]] = numbers.get(cell[at], 0) + cell[3]
            most_first = sorted(numbers.items(), key=lambda each: (-each[1], each[0]))
            counts[f"by_{column}"] = dict(most_first)
        return counts

    def superseded_ids(self) -> set[str]:
        """The ids that another note replaces; in a cycle the latest is not among them."""
        rows = self._catalog.rows(
            "SELECT target FROM supersessions WHERE NOT EXISTS "
            "(SELECT 1 FROM memories WHERE id = target AND superseded = 0)"
        )
        return {row[0] for row in rows}

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index again from the files; returns the number of notes in it."""
        self._catalog.rebuild(progress)
        return int(self._catalog.rows("SELECT count(*) FROM memories")[0][0])

    def understand(self) -> int:
        """Compute what notes mean before a search needs it; returns their number."""
        from anamnesis.search import engine

        rows = self.ask(engine.not_understood)
        for first in range(0, len(rows), _UNDERSTOOD_AT_ONCE):
            self._understand(rows[first : first + _UNDERSTOOD_AT_ONCE])
        return len(rows)

    def refresh(self) -> Changes:
        """Index every change on disk since the last look, edits in place included.

        If the index cannot be written it lags: that is not an error, and no change is reported.
        """
        try:
            return self._catalog.refresh()
        except INDEX_LAG:
            return Changes()

    def refresh_paths(
        self, paths: Iterable[str], *, known: Iterable[Reading] = (), progress: Progress = None
    ) -> None:
        """Index some changed files, named relative to the root; nothing else is read.

        A file whose content is `known` from writing it is not read again. If the index cannot
        be written, the next refresh catches up: that is not an error.
        """
        try:
            self._catalog.refresh_paths(list(paths), known=known, progress=progress)
        except INDEX_LAG:
            return

    def unreadable(self) -> Sequence[Unreadable]:
        """The unreadable files, each with the reason."""
        self._catalog.notice()
        rows = self._catalog.rows(
            "SELECT path, problem, note_id IS NOT NULL AND problem NOT LIKE 'its id is also%' "
            "FROM files WHERE problem IS NOT NULL ORDER BY path"
        )
        return [Unreadable(path, problem, bool(indexed)) for path, problem, indexed in rows]

    @property
    def _semantics(self) -> Semantics:
        if self._loaded_semantics is None:
            from anamnesis.search.vectors import Semantics

            self._loaded_semantics = Semantics(self.home)
        return self._loaded_semantics

    def _understand(self, rows: Sequence[int]) -> None:
        from anamnesis.search import engine

        fresh: dict[int, bytes] = {}
        self._catalog.query_and_keep(
            lambda db: fresh.update(engine.understood(db, rows)),
            lambda db: engine.keep(db, fresh),
        )

    def _dir_for_scope(self, scope: Scope) -> Path:
        return self.local_dir if scope == "machine-local" else self.memory_dir

    def _read_all(self, places: Iterable[tuple[str, str]]) -> Notes:
        """The notes at these places; one whose file vanished or broke is left out."""
        files = (self._read(f"{tree.tree_of(scope)}/{path}") for scope, path in places)
        return [read.note for read in files if read is not None]

    def _list_rows(
        self, where: Mapping[str, str], limit: int | None, offset: int
    ) -> Sequence[sqlite3.Row]:
        self._catalog.notice()
        condition = " AND ".join(f"m.{column} = ?" for column in where) or "1"
        return self._catalog.rows(
            f"SELECT {HEADER}, m.body_path FROM memories m WHERE {condition} "  # noqa: S608  fixed names
            "ORDER BY m.updated_at DESC, m.id DESC LIMIT ? OFFSET ?",
            (*where.values(), -1 if limit is None else max(limit, 0), max(offset, 0)),
        )


def _filters(project: str | None, type: str | None, scope: str | None) -> dict[str, str]:
    filters = {"project": project, "type": type, "scope": scope}
    return {column: value for column, value in filters.items() if value is not None}


def _path(*parts: str) -> Path:
    from pathlib import Path

    return Path(*parts)


def __getattr__(name: str) -> object:
    """What only a search needs, loaded on first use."""
    if name == "Filters":
        from anamnesis.search import query

        return query.Filters
    if name == "_fts_query":
        from anamnesis.search import query

        return query._fts_query  # noqa: SLF001  the documented name of it
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
