"""Building the index anew from the files, beside the old one, and putting it in its place."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from anamnesis.atomic import TEMP_PREFIX
from anamnesis.errors import NotWritable
from anamnesis.index import refresh, schema
from anamnesis.index.database import Database, IndexBroken
from anamnesis.notes import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from contextlib import AbstractContextManager


_ABANDONED_SECONDS = 3600.0  # nothing takes so long to write


def rebuild(
    root: str,
    path: str,
    *,
    lock: Callable[[], AbstractContextManager[None]],
    progress: refresh.Progress | None = None,
) -> None:
    """Replace the index at `path` by a fresh one; readers and writers go on meanwhile.

    Files are read without the lock. Under it only what changed since then is read, and the
    finished database is put in place.
    """
    _sweep(root)
    beside = f"{path}.new-{os.getpid()}-{os.urandom(4).hex()}"
    db = schema.connect(beside)
    try:
        # Nobody else sees this file and it can be made again: no journal, no waiting for disks.
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-65536"):
            db.execute(f"PRAGMA {pragma}")
        schema.create(db)
        fill(db, root, progress=progress)
        with lock():
            fill(db, root)
            db.close()
            _put_in_place(beside, path)
    finally:
        db.close()
        for suffix in ("", "-wal", "-shm", "-journal"):
            _unlink(beside + suffix)


def in_memory(root: str) -> Database:
    """An index of the files that is gone with the process, for a store that we cannot write."""
    db = schema.connect(":memory:")
    schema.create(db)
    fill(db, root)
    return Database("", connection=db)


def fill(db: sqlite3.Connection, root: str, *, progress: refresh.Progress | None = None) -> None:
    """Bring a database that nobody else uses up to date with the files."""
    listing = tree.scan(root)
    changes = refresh.diff(db, listing)
    paths = (*changes.added, *changes.changed, *changes.gone)
    done = 0
    db.execute("BEGIN")
    for asked, readings in refresh.batches(root, paths, listing.problems):
        refresh.apply(db, root, asked, readings)
        done += len(asked)
        if progress is not None:
            progress(done, len(paths))
    refresh.record_folders(db, listing, tree.TREES)
    db.execute("COMMIT")


def _put_in_place(fresh: str, path: str) -> None:
    """Copy through the old database where it works, so that its readers see one or the other.

    Renaming over a database in use would hand its write-ahead log to the new one.
    """
    try:
        old = Database(path, any_version=True)
        try:
            old.replace_with(fresh)
        finally:
            old.close()
    except IndexBroken:
        for suffix in ("-wal", "-shm"):
            _unlink(path + suffix)
        try:
            os.replace(fresh, path)
        except OSError as error:
            raise NotWritable(path, reason=(error.strerror or "").lower()) from error


def _sweep(root: str) -> None:
    """Remove what processes that were killed left half-written."""
    too_old = time.time() - _ABANDONED_SECONDS
    for folder in (root, *tree.scan(root).folders):
        with suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                if not entry.name.startswith((TEMP_PREFIX, "index.db.new-")):
                    continue
                if entry.stat(follow_symlinks=False).st_mtime < too_old:
                    os.unlink(entry.path)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
