"""Building a new index from the files and replacing the old one with it."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from anamnesis.ground.atomic import TEMP_PREFIX
from anamnesis.ground.errors import NotWritable, reason_of
from anamnesis.index import database, refresh, rows, vocabulary
from anamnesis.index.database import Database, IndexBroken
from anamnesis.notes import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from anamnesis.config import Home


_ABANDONED_SECONDS = 3600.0  # no write takes this long
_CONTESTED = """
SELECT path FROM files WHERE note_id IN (
  SELECT note_id FROM files WHERE note_id IS NOT NULL GROUP BY note_id HAVING count(*) > 1
) ORDER BY path
"""
_KNOWN_MEANINGS = """
INSERT OR IGNORE INTO main.meanings
SELECT now.rowid, known.vector FROM old.meanings known
JOIN old.memories note ON note.rowid = known.rowid
JOIN main.memories now ON now.id = note.id AND now.scope = note.scope
  AND now.body_path = note.body_path
JOIN old.files before ON before.note_id = note.id
  AND substr(before.path, instr(before.path, '/') + 1) = note.body_path
JOIN main.files file ON file.path = before.path AND file.hash = before.hash
"""
# What FTS5 collects before it writes a segment, and how many segments it leaves unmerged.
_USUAL = {"hashsize": 1 << 20, "automerge": 4, "crisismerge": 16}
_BULK = {"hashsize": 1 << 24, "automerge": 0, "crisismerge": 1000}
_BUILDING, _SUFFIXES = ".building", ("", "-wal", "-shm", "-journal")
_BOOT = "/proc/sys/kernel/random/boot_id"


def rebuild(
    home: Home,
    *,
    lock: Callable[[], AbstractContextManager[None]],
    progress: refresh.Progress | None = None,
) -> None:
    """Replace the index of a store with a fresh one; readers and writers continue meanwhile.

    Files are read without the lock. Under it, only what changed since then is read, and the
    finished database is put in place. A killed rebuild is continued where it stopped. Only one
    process at a time may run this. Raises NotWritable.
    """
    path = home.index_db
    beside = f"{path}{_BUILDING}"
    db = _begun(beside)
    build = _Build(db, home)
    try:
        build.load(progress)
        _carry_over(db, path)
        with lock():
            build.catch_up()
            db.close()
            _put_in_place(beside, path)
    except Exception:
        _discard(beside, db)
        raise
    _discard(beside, db)


def _begun(beside: str) -> sqlite3.Connection:
    """The database that a rebuild killed since the last boot left behind, or an empty one.

    It is written without waiting for the disk: after a power cut its content is unknown.
    """
    boot = _boot_id()
    if boot and os.path.exists(beside):
        db = database.connect(beside)
        with suppress(sqlite3.Error):
            if db.execute("SELECT boot FROM building").fetchone()[0] == boot:
                return _unhurried(db)
        _discard(beside, db)
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError as error:
        raise NotWritable(beside, reason=reason_of(error)) from error
    db = _unhurried(database.connect(beside))
    database.create(db)
    db.execute("CREATE TABLE building (boot TEXT)")
    db.execute("INSERT INTO building VALUES (?)", (boot,))
    return db


def _unhurried(db: sqlite3.Connection) -> sqlite3.Connection:
    for pragma in ("journal_mode=WAL", "synchronous=OFF", "cache_size=-65536"):
        db.execute(f"PRAGMA {pragma}")
    return db


def _boot_id() -> str:
    """An id of the current boot; empty where the system has none."""
    try:
        with open(_BOOT, encoding="ascii") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def _discard(path: str, db: sqlite3.Connection) -> None:
    db.close()
    for suffix in _SUFFIXES:
        _unlink(path + suffix)


def in_memory(home: Home) -> Database:
    """An index in memory, for a store that cannot be written."""
    db = database.connect(":memory:")
    database.create(db)
    _Build(db, home).load()
    return Database("", connection=db)


class _Build:
    """A database that is being filled with the notes of one store."""

    def __init__(self, db: sqlite3.Connection, home: Home) -> None:
        self._db, self._home, self._files = db, home, refresh.Files(home)

    def load(self, progress: refresh.Progress | None = None) -> None:
        """Add the files that are missing: in bulk first, then what bulk cannot decide."""
        db = self._db
        _expect_bulk(db)
        listing = tree.scan(self._home)
        _sweep(self._home, listing.folders)
        missing = refresh.diff(db, listing).added
        seen_ids = {row[0] for row in db.execute("SELECT id FROM memories")}
        done = len(listing.files) - len(missing)
        for batch, readings in self._files.batches(missing, listing.problems):
            fresh = []
            for reading in readings:
                note = reading.note
                if note is None or note.id in seen_ids:
                    continue
                seen_ids.add(note.id)
                fresh.append((len(seen_ids), note, reading.path.partition("/")[2]))
            db.execute("BEGIN")
            refresh.record_files(db, readings)
            rows.insert_all(db, fresh)
            rows.flag_secrets(db, [note for _, note, _ in fresh])
            db.execute("COMMIT")
            done += len(batch)
            if progress is not None:
                progress(done, len(listing.files))
        refresh.remember_newest(self._home, listing.files)
        _end_bulk(db)
        database.create_indexes(db)
        vocabulary.build_vocabulary(db)
        self._resolve_contested()

    def catch_up(self) -> None:
        """Index what changed on disk while the rest was being read."""
        db = self._db
        listing = tree.scan(self._home)
        changes = refresh.diff(db, listing)
        paths = (*changes.added, *changes.changed, *changes.gone)
        db.execute("BEGIN")
        for batch, readings in self._files.batches(paths, listing.problems):
            self._files.apply(db, batch, readings)
        refresh.record_folders(db, listing, tree.TREES)
        db.execute("COMMIT")
        db.execute("DROP TABLE building")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _resolve_contested(self) -> None:
        """Choose between files with the same id, and hide the notes that others replace."""
        db = self._db
        contested = [row[0] for row in db.execute(_CONTESTED)]
        linked = [row[0] for row in db.execute("SELECT DISTINCT memory_id FROM supersessions")]
        db.execute("BEGIN")
        for path in contested:
            db.execute("UPDATE files SET hash = NULL WHERE path = ?", (path,))
        for batch, readings in self._files.batches(contested):
            self._files.apply(db, batch, readings)
        rows.mark_superseded(db, linked, released=rows.superseded_by(db, linked))
        db.execute("COMMIT")


def _expect_bulk(db: sqlite3.Connection) -> None:
    """Let the text index collect more before it writes; it is merged once, at the end."""
    for option, value in _BULK.items():
        _set_up_text(db, option, value)


def _end_bulk(db: sqlite3.Connection) -> None:
    """Leave the text index as one segment of a high level.

    A bulk load leaves many large ones. At sixteen, FTS5 merges all of them at once: one of the
    next writes would take a second longer, with the store locked.
    """
    _merge_text(db)
    for option, value in _USUAL.items():
        _set_up_text(db, option, value)


def _set_up_text(db: sqlite3.Connection, option: str, value: int) -> None:
    db.execute("INSERT INTO memories_fts(memories_fts, rank) VALUES (?, ?)", (option, value))


def scrub(db: sqlite3.Connection) -> None:
    """Drop what only removed notes had: words, tags and counts."""
    _merge_text(db)
    vocabulary.build_vocabulary(db)
    for table in ("tags", "cells"):
        db.execute(f"DELETE FROM {table} WHERE notes <= 0")  # noqa: S608  fixed names


def discard_unfinished(home: Home) -> None:
    """Delete the half of an index that a killed rebuild left; no rebuild is running."""
    for suffix in _SUFFIXES:
        _unlink(f"{home.index_db}{_BUILDING}{suffix}")


def _merge_text(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")


def _carry_over(db: sqlite3.Connection, path: str) -> None:
    """Keep what this version computed from files that have not changed."""
    if not os.path.exists(path):
        return
    with suppress(sqlite3.Error), closing(database.connect(path)) as old:
        if not database.is_current(old):
            return
    with suppress(sqlite3.Error):
        db.execute("ATTACH ? AS old", (os.fsencode(path),))
        db.execute(_KNOWN_MEANINGS)
        db.execute("DETACH old")


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
            raise NotWritable(path, reason=reason_of(error)) from error


def _sweep(home: Home, folders: Iterable[str]) -> None:
    """Remove half-written files of killed processes."""
    too_old = time.time() - _ABANDONED_SECONDS
    for folder in ("", *folders):
        with suppress(OSError), os.scandir(os.path.join(home, folder)) as entries:
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
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
