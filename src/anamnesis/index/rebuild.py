"""Building the index anew from the files, beside the old one, and putting it in its place."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress

from anamnesis.ground.atomic import TEMP_PREFIX
from anamnesis.ground.errors import NotWritable
from anamnesis.index import held, refresh, rows, schema, supersession, vocabulary
from anamnesis.index.database import Database, IndexBroken
from anamnesis.notes import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


_ABANDONED_SECONDS = 3600.0  # nothing takes so long to write
_CONTESTED = """
SELECT path FROM files WHERE note_id IN (
  SELECT note_id FROM files WHERE note_id IS NOT NULL GROUP BY note_id HAVING count(*) > 1
) ORDER BY path
"""
_BOOT = "/proc/sys/kernel/random/boot_id"


def rebuild(
    root: str,
    path: str,
    *,
    lock: Callable[[], AbstractContextManager[None]],
    progress: refresh.Progress | None = None,
) -> None:
    """Replace the index at `path` by a fresh one; readers and writers go on meanwhile.

    Files are read without the lock. Under it only what changed since then is read, and the
    finished database is put in place. What a killed rebuild had done is gone on with. One
    process at a time may be here.
    """
    _sweep(root)
    beside = f"{path}.building"
    db = _begun(beside)
    try:
        _load(db, root, progress)
        with lock():
            _catch_up(db, root)
            db.close()
            _put_in_place(beside, path)
    except Exception:
        _discard(beside, db)
        raise
    _discard(beside, db)


def _begun(beside: str) -> sqlite3.Connection:
    """The database that a killed rebuild of this machine's run began, or an empty one.

    It is written without waiting for disks: after a power cut nobody knows what it holds.
    """
    boot = _boot_id()
    if boot and os.path.exists(beside):
        db = schema.connect(beside)
        with suppress(sqlite3.Error):
            if db.execute("SELECT boot FROM building").fetchone()[0] == boot:
                return _unhurried(db)
        _discard(beside, db)
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError as error:
        raise NotWritable(beside, reason=(error.strerror or "").lower()) from error
    db = _unhurried(schema.connect(beside))
    schema.create(db)
    db.execute("CREATE TABLE building (boot TEXT)")
    db.execute("INSERT INTO building VALUES (?)", (boot,))
    return db


def _unhurried(db: sqlite3.Connection) -> sqlite3.Connection:
    for pragma in ("journal_mode=WAL", "synchronous=OFF", "cache_size=-65536"):
        db.execute(f"PRAGMA {pragma}")
    return db


def _boot_id() -> str:
    """What differs each time that the machine is started; nothing where that is not known."""
    try:
        with open(_BOOT, encoding="ascii") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def _discard(path: str, db: sqlite3.Connection) -> None:
    db.close()
    for suffix in ("", "-wal", "-shm", "-journal"):
        _unlink(path + suffix)


def in_memory(root: str) -> Database:
    """An index of the files that is gone with the process, for a store that we cannot write."""
    db = schema.connect(":memory:")
    schema.create(db)
    _load(db, root)
    return Database("", connection=db)


def _load(db: sqlite3.Connection, root: str, progress: refresh.Progress | None = None) -> None:
    """Fill a database with the files that it lacks: in bulk first, then what bulk cannot settle."""
    schema.expect_bulk(db)
    listing = tree.scan(root)
    missing = refresh.diff(db, listing).added
    taken = {row[0] for row in db.execute("SELECT id FROM memories")}
    done = len(listing.files) - len(missing)
    for asked, readings in refresh.batches(root, missing, listing.problems):
        fresh = []
        for reading in readings:
            note = reading.note
            if note is None or note.id in taken:
                continue
            taken.add(note.id)
            fresh.append((len(taken), note, reading.path.partition("/")[2]))
        db.execute("BEGIN")
        refresh.record_files(db, readings)
        rows.insert_all(db, fresh)
        held.record(db, root, (note for _, note, _ in fresh))
        db.execute("COMMIT")
        done += len(asked)
        if progress is not None:
            progress(done, len(listing.files))
    schema.end_bulk(db)
    schema.create_indexes(db)
    vocabulary.build(db)
    _settle(db, root)


def _settle(db: sqlite3.Connection, root: str) -> None:
    """Decide between files with one id, and hide what other notes replace."""
    contested = [row[0] for row in db.execute(_CONTESTED)]
    linked = [row[0] for row in db.execute("SELECT DISTINCT memory_id FROM supersessions")]
    db.execute("BEGIN")
    for path in contested:
        db.execute("UPDATE files SET hash = NULL WHERE path = ?", (path,))
    for asked, readings in refresh.batches(root, contested):
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
    db.execute("DROP TABLE building")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
