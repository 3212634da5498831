"""Building the index anew from the files, beside the old one, and putting it in its place."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from anamnesis.ground.atomic import TEMP_PREFIX
from anamnesis.ground.errors import NotWritable
from anamnesis.index import refresh, rows, schema, supersession
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
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise NotWritable(beside, reason=(error.strerror or "").lower()) from error
    db = schema.connect(beside)
    try:
        # Nobody else sees this file and it can be made again: no journal, no waiting for disks.
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-65536"):
            db.execute(f"PRAGMA {pragma}")
        _load(db, root, progress)
        with lock():
            _catch_up(db, root)
            db.close()
            _put_in_place(beside, path)
    finally:
        db.close()
        for suffix in ("", "-wal", "-shm", "-journal"):
            _unlink(beside + suffix)


def in_memory(root: str) -> Database:
    """An index of the files that is gone with the process, for a store that we cannot write."""
    db = schema.connect(":memory:")
    _load(db, root)
    return Database("", connection=db)


def _load(db: sqlite3.Connection, root: str, progress: refresh.Progress | None = None) -> None:
    """Fill an empty database with all files: in bulk first, then what bulk cannot settle."""
    schema.create(db)
    schema.expect_bulk(db, bulk=True)
    listing = tree.scan(root)
    db.execute("BEGIN")
    taken: dict[str, str] = {}
    contested: list[str] = []
    linked: list[str] = []
    done = 0
    for asked, readings in refresh.batches(root, sorted(listing.files), listing.problems):
        fresh = []
        for reading in readings:
            note = reading.note
            if note is None:
                continue
            if note.id in taken:
                contested += [taken[note.id], reading.path]
                continue
            taken[note.id] = reading.path
            fresh.append((len(taken), note, reading.path.partition("/")[2]))
            if note.supersedes:
                linked.append(note.id)
        refresh.record_files(db, readings)
        rows.insert_all(db, fresh)
        done += len(asked)
        if progress is not None:
            progress(done, len(listing.files))
    refresh.record_folders(db, listing, tree.TREES)
    db.execute("COMMIT")
    schema.expect_bulk(db, bulk=False)
    schema.create_indexes(db)
    _settle(db, root, contested, linked)


def _settle(db: sqlite3.Connection, root: str, contested: list[str], linked: list[str]) -> None:
    """Decide between files with one id, and hide what other notes replace."""
    db.execute("BEGIN")
    for path in contested:
        db.execute("UPDATE files SET hash = NULL WHERE path = ?", (path,))
    for asked, readings in refresh.batches(root, dict.fromkeys(contested)):
        refresh.apply(db, root, asked, readings)
    supersession.mark(db, linked, released=supersession.targets(db, linked))
    db.execute("COMMIT")


def _catch_up(db: sqlite3.Connection, root: str) -> None:
    """Take in what changed on disk while the rest was being read."""
    listing = tree.scan(root)
    changes = refresh.diff(db, listing)
    paths = (*changes.added, *changes.changed, *changes.gone)
    db.execute("BEGIN")
    for asked, readings in refresh.batches(root, paths, listing.problems):
        refresh.apply(db, root, asked, readings)
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
        os.chmod(path, 0o600)
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
