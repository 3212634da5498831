"""The index of one store: opening, noticing changes, refreshing, rebuilding."""

from __future__ import annotations

from anamnesis.ground import locks
from anamnesis.ground.errors import NotWritable, StoreBusy
from anamnesis.ground.records import replace
from anamnesis.index import refresh as difference
from anamnesis.index.database import Database, IndexBroken, OperationalError, SqliteError
from anamnesis.notes import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    from anamnesis.config import Home
    from anamnesis.ground.counting import Progress

    T = TypeVar("T")

LOCK_SECONDS = 10.0
_SHORT_SECONDS = 0.5
_BUILD_SECONDS = 60.0  # to wait for another process that builds the index
_REBUILD_FROM = (
    2000  # files to read; with more, a fresh database is faster than changing the old one
)
_MOST_WAITED_FOR = 1000  # files in a folder: scanning them takes about 10 ms


class Catalog:
    """What the index says, kept up to date with the files of one store."""

    def __init__(
        self, root: Home, *, hurried: bool = False, progress: difference.Progress | None = None
    ) -> None:
        self.root = root
        self._progress = progress  # called while the index has to be built
        self.hurried = hurried  # a session waits: nothing is built and no large folder read
        self.path = root.index_db
        self._rebuild_lock = root.lock("rebuild")
        self.lags = False  # a hurried refresh left changes on disk to the next one
        self.degraded = ""  # why the index is not the shared one, for `status`
        self._db = self._open()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def lock(self, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """The lock that every change of a note or of the index holds."""
        return locks.held(self.root.lock("store"), name="store", timeout=timeout)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of one query; a broken index is rebuilt first."""
        return self._rebuilt_if_broken(lambda: self._db.rows(sql, parameters))

    def query(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to several queries on one state; a broken index is rebuilt first."""

        def answer() -> T:
            with self._db.reading() as db:
                return ask(db)

        return self._rebuilt_if_broken(answer)

    def query_and_keep(
        self, ask: Callable[[sqlite3.Connection], T], keep: Callable[[sqlite3.Connection], None]
    ) -> T:
        """The same; `keep` stores computed values, unless another process is writing."""
        answers: list[T] = []

        def answer(db: sqlite3.Connection) -> None:
            answers.append(ask(db))
            if not self._db.read_only:
                keep(db)

        try:
            self.query(answer)
        except OperationalError:  # the store changed meanwhile, is being changed, or is full
            if not answers:
                raise
        return answers[-1]

    def notice(self) -> None:
        """Index what other programs did to the folders since the last check, if nothing blocks.

        Costs a handful of `stat` calls when nothing happened. A store that another process is
        changing is left to it: derived state may lag, a reader must not wait.
        """
        if self._db.read_only and not self._can_write_again():
            return
        changed = self.query(lambda db: _changed_folders(db, self.root))
        if self.hurried and changed:
            small = self.query(lambda db: _small_folders(db, changed))
            self.lags = len(small) < len(changed)
            changed = small
        if not changed:
            return
        try:
            self.refresh(changed, timeout=0)
        except (StoreBusy, NotWritable, OperationalError):
            return

    def refresh(
        self, folders: Iterable[str] | None = None, *, timeout: float = LOCK_SECONDS
    ) -> difference.Changes:
        """Compare the files with the index, and index what differs."""
        if self._db.read_only:
            return difference.Changes()
        with self.lock(timeout):
            pass  # its holder is changing the very files to compare
        below = list(tree.trees_of(self.root) if folders is None else folders)
        listing = tree.scan(self.root, below)
        changes = self.query(lambda db: difference.diff(db, listing, below))
        if len(changes.added) + len(changes.changed) > _REBUILD_FROM:
            if self.hurried:
                self.lags = True
            else:
                self.rebuild()
            return changes
        paths = (*changes.added, *changes.changed, *changes.gone)
        same = self._index_paths(paths, listing.problems)
        with self.lock(timeout or _SHORT_SECONDS), self._db.writing() as db:
            difference.record_folders(db, listing, below)
        changed = tuple(path for path in changes.changed if path not in same)
        return replace(changes, changed=changed)

    def record(self, paths: Sequence[str], *, trusted: Sequence[str] = ()) -> None:
        """Index a few files that this process changed; the lock is held.

        The folders in `trusted` were up to date before the change, so they are after it.
        """
        readings = [reading for path in paths if (reading := self._files.read(path))]
        with self._db.writing() as db:
            self._files.apply(db, paths, readings)
            for folder in trusted:
                mtime = tree.folder_mtime(self.root, folder)
                db.execute("INSERT OR REPLACE INTO folders VALUES (?, ?)", (folder, mtime))

    def trusted(self, paths: Sequence[str]) -> list[str]:
        """The folders around these paths that have not changed since the last refresh."""
        around = {folder for path in paths for folder in tree.folders_around(path)}
        try:
            rows = self._db.rows("SELECT path, mtime_ns FROM folders")
        except (IndexBroken, SqliteError):
            return []
        known = {row["path"]: row["mtime_ns"] for row in rows}
        return [f for f in around if known.get(f, 0) == tree.folder_mtime(self.root, f)]

    def refresh_paths(
        self,
        paths: Sequence[str],
        *,
        known: Iterable[difference.Reading] = (),
        progress: Progress = None,
    ) -> None:
        """Index some files that changed, for example by a pull; nothing else is read.

        Files whose content is known from writing them are not read either.
        """
        if self._db.read_only:
            return
        self._index_paths(
            paths, {}, known={reading.path: reading for reading in known}, progress=progress
        )
        self.notice()  # now, so that no hook has to scan the folders

    def rebuild(self, progress: difference.Progress | None = None) -> None:
        """Build the index again from the files; raises NotWritable on a full or broken disk."""
        from anamnesis.index import rebuild  # a hook finds an index, or leaves it to others

        with locks.held(self._rebuild_lock, name="index", timeout=_BUILD_SECONDS):
            try:
                rebuild.rebuild(self.root, lock=self.lock, progress=progress)
            except OperationalError as error:
                raise NotWritable(self.path, reason=str(error)) from error

    def scrub(self) -> bool:
        """Leave no word of removed notes in the file; False while another process reads it.

        Full text keeps the words of deleted rows until it is merged into one segment.
        """
        if self._db.read_only:
            return False
        from anamnesis.index import rebuild

        with self.lock():
            with self._db.writing() as db:
                rebuild.scrub(db)
            is_clean = self._db.compact()
        with locks.held(self._rebuild_lock, name="index", timeout=_BUILD_SECONDS):
            rebuild.discard_unfinished(self.root)
        return is_clean

    @property
    def _files(self) -> difference.Files:
        return difference.Files(self.root)

    def _built_by_another(self) -> bool:
        """Whether a process that was building the index has finished it."""
        if not locks.is_held(self._rebuild_lock):
            return False
        with locks.held(self._rebuild_lock, name="index", timeout=_BUILD_SECONDS):
            try:
                Database(self.path).close()
            except IndexBroken:
                return False
        return True

    def _index_paths(
        self,
        paths: Sequence[str],
        problems: Mapping[str, str],
        *,
        known: Mapping[str, difference.Reading] | None = None,
        progress: Progress = None,
    ) -> set[str]:
        same: set[str] = set()
        done = 0
        files = difference.Files(self.root, several=len(paths) > difference.BATCH)
        for batch, readings in files.batches(paths, problems, known=known):
            with self.lock():
                current = [self._still(reading) for reading in readings]
                there = [reading for reading in current if reading is not None]
                with self._db.writing() as db:
                    same |= files.apply(db, batch, there)
            done += len(batch)
            if progress is not None:
                progress(done, len(paths))
        if files.owes_words:
            with self.lock(), self._db.writing() as db:
                files.finish(db)
        return same

    def _still(self, reading: difference.Reading) -> difference.Reading | None:
        """What was read, or read again if the file has changed since."""
        if self._files.is_current(reading):
            return reading
        return self._files.read(reading.path)

    def _rebuilt_if_broken(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except IndexBroken:
            if self.hurried:
                raise
            self._db.close()
            self._db = self._rebuilt()
            return ask()

    def _can_write_again(self) -> bool:
        """Whether the disk can be written again; if so, the shared index is used from now on."""
        try:
            shared = Database(self.path)
        except (IndexBroken, SqliteError):
            return False
        if shared.read_only:
            shared.close()
            return False
        self._db, self.degraded = shared, ""  # another thread may still read from the old one
        return True

    def _open(self) -> Database:
        try:
            return Database(self.path)
        except IndexBroken:
            if self.hurried:
                raise
            return self._rebuilt()

    def _rebuilt(self) -> Database:
        try:
            if not self._built_by_another():
                self.rebuild(self._progress)
            return Database(self.path)
        except (NotWritable, StoreBusy) as error:
            from anamnesis.index import rebuild

            self.degraded = f"index.db cannot be rebuilt ({error}); an index in memory is used"
            return rebuild.in_memory(self.root)


def _changed_folders(db: sqlite3.Connection, root: str) -> list[str]:
    """The folders that gained or lost an entry since the last scan.

    A scan covers everything below a folder, so folders below another one are left out.
    """
    known = dict.fromkeys(tree.trees_of(root), tree.NEVER)
    known.update(db.execute("SELECT path, mtime_ns FROM folders").fetchall())
    changed = {path for path, mtime in known.items() if tree.folder_mtime(root, path) != mtime}
    return [path for path in changed if changed.isdisjoint(tree.folders_around(path))]


def _small_folders(db: sqlite3.Connection, folders: Iterable[str]) -> list[str]:
    """The folders that are small enough to scan while a session waits."""
    small = []
    for folder in folders:
        inside = db.execute(
            "SELECT 1 FROM files WHERE path >= ? || '/' AND path < ? || '0' LIMIT 1 OFFSET ?",
            (folder, folder, _MOST_WAITED_FOR),
        )
        if inside.fetchone() is None:
            small.append(folder)
    return small
