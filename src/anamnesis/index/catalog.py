"""The index of one store: opened, noticed, refreshed, rebuilt."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager

from anamnesis.ground import locks
from anamnesis.ground.errors import NotWritable, StoreBusy
from anamnesis.ground.records import replace
from anamnesis.index import held, rebuild
from anamnesis.index import refresh as difference
from anamnesis.index.database import Database, IndexBroken
from anamnesis.notes import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from anamnesis.ground.home import Home
    from anamnesis.notes.note import Memory

    T = TypeVar("T")

LOCK_SECONDS = 10.0
_SHORT_SECONDS = 0.5
_BUILD_SECONDS = 60.0  # to wait for another process that builds the index
_REBUILD_FROM = 2000  # so many files to read: a fresh database is faster than changing the old


class Catalog:
    """What the index says, kept in step with the files of one store."""

    def __init__(self, root: Home, *, hurried: bool = False) -> None:
        self.root = root
        self.hurried = hurried  # a session waits: nothing is built and no large folder read
        self.path = root.index_db
        self._rebuild_lock = root.lock("rebuild")
        self.lags = False  # a hurried look left changes on disk to the next one
        self.degraded = ""  # why the index is not the shared one, for `status`
        self._db = self._open()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def lock(self, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        """The lock that every change of a note or of the index holds."""
        path = self.root.lock("store")
        with locks.held(path, name="store", timeout=timeout):
            yield

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of one query; a broken index is rebuilt first."""
        return self._mended(lambda: self._db.rows(sql, parameters))

    def query(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """The answer of several queries on one state; a broken index is rebuilt first."""

        def asked() -> T:
            with self._db.reading() as db:
                return ask(db)

        return self._mended(asked)

    def notice(self) -> None:
        """Take in what other programs did to the folders since the last look, if that is free.

        Costs a handful of `stat` calls when nothing happened. A store that somebody is just
        changing is left to them: derived state may lag, a reader must not wait.
        """
        if self._db.read_only and not self._can_write_again():
            return
        changed = self.query(lambda db: difference.changed_folders(db, self.root))
        if self.hurried and changed:
            small = self.query(lambda db: difference.small_folders(db, changed))
            self.lags = len(small) < len(changed)
            changed = small
        if not changed:
            return
        try:
            self.refresh(changed, timeout=0)
        except (StoreBusy, NotWritable, sqlite3.OperationalError):
            return

    def refresh(
        self, folders: Iterable[str] | None = None, *, timeout: float = LOCK_SECONDS
    ) -> difference.Changes:
        """Compare the files with the index and take in what differs."""
        if self._db.read_only:
            return difference.Changes()
        with self.lock(timeout):
            pass  # whoever holds it is changing the very files that we would now compare
        below = list(tree.TREES if folders is None else folders)
        listing = tree.scan(self.root, below)
        changes = self.query(lambda db: difference.diff(db, listing, below))
        if len(changes.added) + len(changes.changed) > _REBUILD_FROM:
            if self.hurried:
                self.lags = True
            else:
                self.rebuild()
            return changes
        paths = (*changes.added, *changes.changed, *changes.gone)
        same = self._take_in(paths, listing.problems)
        with self.lock(timeout or _SHORT_SECONDS), self._db.writing() as db:
            difference.record_folders(db, listing, below)
        changed = tuple(path for path in changes.changed if path not in same)
        return replace(changes, changed=changed)

    def record(self, paths: Sequence[str], *, trusted: Sequence[str] = ()) -> None:
        """Take in a few files that we changed ourselves, the lock being held.

        The folders in `trusted` were up to date before the change, so they are after it.
        """
        readings = [reading for path in paths if (reading := difference.read(self.root, path))]
        with self._db.writing() as db:
            difference.apply(db, self.root, paths, readings)
            for folder in trusted:
                mtime = tree.folder_mtime(self.root, folder)
                db.execute("INSERT OR REPLACE INTO folders VALUES (?, ?)", (folder, mtime))

    def trusted(self, paths: Sequence[str]) -> list[str]:
        """The folders around these paths that nobody changed since the index last looked."""
        around = {folder for path in paths for folder in tree.folders_around(path)}
        try:
            rows = self._db.rows("SELECT path, mtime_ns FROM folders")
        except (IndexBroken, sqlite3.Error):
            return []
        known = {row["path"]: row["mtime_ns"] for row in rows}
        return [f for f in around if known.get(f, 0) == tree.folder_mtime(self.root, f)]

    def judge(self, notes: Sequence[Memory]) -> None:
        """Look again at what some notes say; where nothing can be written, nothing changes."""
        if not self._db.read_only:
            with self.lock(), self._db.writing() as db:
                held.record(db, self.root, notes)

    def refresh_paths(self, paths: Sequence[str]) -> None:
        """Take in some files that changed, for example by a pull; nothing else is read."""
        if self._db.read_only:
            return
        self._take_in(paths, {})
        self.notice()  # here and now, so that no hook has to look through the folders

    def rebuild(self, progress: difference.Progress | None = None) -> None:
        """Build the index anew from the files."""
        with locks.held(self._rebuild_lock, name="index", timeout=_BUILD_SECONDS):
            rebuild.rebuild(self.root, self.path, lock=self.lock, progress=progress)

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

    def _take_in(self, paths: Sequence[str], problems: dict[str, str]) -> set[str]:
        same: set[str] = set()
        for asked, readings in difference.batches(self.root, paths, problems):
            with self.lock():
                current = [self._still(reading) for reading in readings]
                known = [reading for reading in current if reading is not None]
                with self._db.writing() as db:
                    same |= difference.apply(db, self.root, asked, known)
        return same

    def _still(self, reading: difference.Reading) -> difference.Reading | None:
        """What was read, or what the file has become since."""
        if difference.is_current(self.root, reading):
            return reading
        return difference.read(self.root, reading.path)

    def _mended(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except IndexBroken:
            if self.hurried:
                raise
            self._db.close()
            self._db = self._rebuilt()
            return ask()

    def _can_write_again(self) -> bool:
        """Go on with the shared index once the disk takes something again."""
        try:
            found = Database(self.path)
        except (IndexBroken, sqlite3.Error):
            return False
        if found.read_only:
            found.close()
            return False
        self._db, self.degraded = found, ""  # another thread may still read from the old one
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
                self.rebuild()
            return Database(self.path)
        except (NotWritable, StoreBusy, sqlite3.OperationalError) as error:
            self.degraded = f"index.db cannot be rebuilt ({error}); an index in memory is used"
            return rebuild.in_memory(self.root)
