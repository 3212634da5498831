"""Keeping the index equal to the files: a diff, applied in a transaction, returned as a value."""

from __future__ import annotations

import os
import time

from anamnesis.ground.atomic import TICK_NS
from anamnesis.ground.records import record
from anamnesis.index import rows
from anamnesis.notes import tree
from anamnesis.notes.fields import UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

    Progress = Callable[[int, int], None]

# A file that changes twice within TICK_NS, a tick of the disk's clock, keeps its time stamp. A file
# read that soon after its last change is therefore read once more next time.
_SECOND_NS = 1_000_000_000
_COARSE_TICK_NS = 2 * _SECOND_NS  # of file systems whose stamps are whole seconds, such as FAT
BATCH = 1000
_NEWEST = "newest-notes.txt"  # in state/: the files with the highest names, as far as is known
_MOST_NEWEST = 200  # paths; a session without an index reads 60 of them
_LONGEST_NEWEST = 32_768  # bytes, until the paths that are no longer among the newest go


@record
class Changes:
    """What a refresh found different on disk."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.added) + len(self.changed) + len(self.gone)

    def __str__(self) -> str:
        return f"{len(self.added)} added, {len(self.changed)} changed, {len(self.gone)} gone"


@record
class Unreadable:
    """An unreadable file: why, and whether it can be searched anyway."""

    path: str
    reason: str
    indexed: bool


@record
class Reading:
    """One file as it was read: a note, or the problem that prevented one."""

    path: str
    stamp: tree.Stamp
    checked_ns: int
    note: Memory | None = None
    hash: str | None = None
    problem: str | None = None


def reading_of(path: str, stamp: tree.Stamp, checked_ns: int, note: Memory, hash: str) -> Reading:
    """A file that holds a note, as it was read or written."""
    return Reading(path, stamp, checked_ns, note, hash, tree.concern(note, path) or None)


class Files:
    """The files of one store as the index reads them.

    Where several batches bring many notes, the words of all of them are listed once, at the end.
    """

    def __init__(self, home: Home, *, several: bool = False) -> None:
        self._home = home
        self._several = several
        self.owes_words = False

    def read(self, path: str, problem: str = "") -> Reading | None:
        """One file's note or problem; None if it is gone by now."""
        now = time.time_ns()
        if not problem and not path.endswith(".md"):
            return None  # a folder whose problem is solved by now
        try:
            if not problem:
                file = tree.read_note(self._home, path)
                return reading_of(path, file.stamp, now, file.note, file.hash)
        except UnreadableNote as error:
            problem = error.reason
        except FileNotFoundError:
            return None
        try:
            status = os.stat(os.path.join(self._home, path), follow_symlinks=False)
        except FileNotFoundError:
            return None
        stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
        return Reading(path, stamp, now, problem=problem)

    def batches(
        self,
        paths: Iterable[str],
        problems: Mapping[str, str] | None = None,
        *,
        known: Mapping[str, Reading] | None = None,
    ) -> Iterator[tuple[list[str], list[Reading]]]:
        """Paths and what was read from them, a batch at a time, without holding a lock.

        Files that are known already are not read.
        """
        problems, known = problems or {}, known or {}
        batch: list[str] = []
        readings: list[Reading] = []
        for path in paths:
            batch.append(path)
            reading = known.get(path) or self.read(path, problems.get(path, ""))
            if reading is not None:
                readings.append(reading)
            if len(batch) >= BATCH:
                yield batch, readings
                batch, readings = [], []
        if batch:
            yield batch, readings

    def is_current(self, reading: Reading) -> bool:
        """Whether a file is still the one that was read."""
        try:
            status = os.stat(os.path.join(self._home, reading.path), follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (status.st_size, status.st_mtime_ns, status.st_ino) == reading.stamp

    def apply(
        self, db: sqlite3.Connection, paths: Iterable[str], readings: Iterable[Reading]
    ) -> set[str]:
        """Update the index for these paths; a path without a reading is gone.

        Returns the paths whose content turned out to be what the index has already.
        """
        same: set[str] = set()
        fresh = {reading.path: reading for reading in readings}
        touched: set[str] = set()
        changed: list[Reading] = []
        for path in paths:
            before = db.execute(
                "SELECT note_id, hash FROM files WHERE path = ?", (path,)
            ).fetchone()
            reading = fresh.get(path)
            if before is not None and reading and reading.note and reading.hash == before["hash"]:
                same.add(path)
                _record_stamp(db, reading)
                continue
            if before is not None and before["note_id"] is not None:
                touched.add(before["note_id"])
            if reading is None:
                db.execute("DELETE FROM files WHERE path = ?", (path,))
                continue
            changed.append(reading)
            if reading.note is not None:
                touched.add(reading.note.id)
        record_files(db, changed)
        remember_newest(self._home, [reading.path for reading in changed if reading.note])
        released = rows.superseded_by(db, touched)
        for note_id in sorted(touched.difference(self._index_new(db, changed))):
            self._choose(db, note_id, fresh)
        rows.mark_superseded(db, touched, released=released)
        return same

    def _index_new(self, db: sqlite3.Connection, readings: Iterable[Reading]) -> set[str]:
        """Index all at once the notes that the index does not have and no other file claims."""
        known = "SELECT 1 FROM memories WHERE id = ?"
        claimed = "SELECT 1 FROM files WHERE note_id = ? AND path != ?"
        new = [
            (reading.note, reading.path)
            for reading in readings
            if reading.note is not None
            and not db.execute(
                f"{known} UNION ALL {claimed}", (reading.note.id, reading.note.id, reading.path)
            ).fetchone()
        ]
        if not new:
            return set()
        last = db.execute("SELECT max(rowid) FROM memories").fetchone()[0] or 0
        numbered = enumerate(new, start=last + 1)
        rows.insert_all(db, [(at, note, path.partition("/")[2]) for at, (note, path) in numbered])
        notes = [note for note, _ in new]
        self._learn_words(db, notes)
        rows.flag_secrets(db, notes)
        return {note.id for note in notes}

    def _learn_words(self, db: sqlite3.Connection, notes: list[Memory]) -> None:
        from anamnesis.index import vocabulary  # only writing needs it; a hook reads

        if self._several and len(notes) >= vocabulary.MANY and not self.owes_words:
            # If this process is killed, the next one that needs the table makes it again.
            vocabulary.drop_vocabulary(db)
            self.owes_words = True
        if not self.owes_words:
            vocabulary.learn_words(db, notes)

    def finish(self, db: sqlite3.Connection) -> None:
        """List the words that the batches left to be listed."""
        from anamnesis.index import vocabulary

        vocabulary.build_vocabulary(db)
        self.owes_words = False

    def _choose(self, db: sqlite3.Connection, note_id: str, fresh: dict[str, Reading]) -> None:
        """Index the one file that represents an id; the other files get a problem."""
        rivals: list[tuple[Memory, Reading]] = []
        for (path,) in db.execute(
            "SELECT path FROM files WHERE note_id = ?", (note_id,)
        ).fetchall():
            reading = fresh.get(path) or self.read(path)
            if reading is not None and reading.note is not None and reading.note.id == note_id:
                rivals.append((reading.note, reading))
        if not rivals:
            rows.remove(db, note_id)
            return
        note, winner = max(rivals, key=lambda rival: _precedence(*rival))
        rows.upsert(db, note, winner.path.partition("/")[2])
        self._learn_words(db, [note])
        rows.flag_secrets(db, [note])
        for _, reading in rivals:
            clash = f"its id is also that of {winner.path}, which counts"
            problem = reading.problem if reading is winner else clash
            db.execute("UPDATE files SET problem = ? WHERE path = ?", (problem, reading.path))


def diff(db: sqlite3.Connection, listing: tree.Listing, below: Iterable[str] = ("",)) -> Changes:
    """What differs between a listing and what the index knows below the same folders."""
    unseen = listing.files.copy()
    changed, gone = [], []
    for folder in below:
        first, last = (f"{folder}/", f"{folder}0") if folder else ("", "~")  # "0" follows "/"
        cursor = db.cursor()
        cursor.row_factory = None
        cursor.execute(
            "SELECT path, size, mtime_ns, inode, checked_ns FROM files "
            "WHERE path = ? OR path >= ? AND path < ?",
            (folder, first, last),
        )
        for path, size, mtime, inode, checked in cursor:
            stamp = unseen.pop(path, None)
            if stamp is None:
                gone.append(path)
            elif stamp != (size, mtime, inode) or _may_hide_an_edit(mtime, checked):
                changed.append(path)
    return Changes(tuple(sorted(unseen)), tuple(sorted(changed)), tuple(sorted(gone)))


def _may_hide_an_edit(mtime: int, checked: int) -> bool:
    """Whether a file may have changed after it was read and still have its old time stamp.

    A stamp of whole seconds in the future comes from a clock that was set back: it will recur.
    """
    if checked - mtime >= _COARSE_TICK_NS:
        return False
    return abs(checked - mtime) < TICK_NS or mtime % _SECOND_NS == 0


def record_folders(db: sqlite3.Connection, listing: tree.Listing, below: Iterable[str]) -> None:
    """Remember when each folder was last changed, so that the next scan can skip it.

    Known values are not written again: every write looks like a change to watchers.
    """
    if _folders(db, below) == listing.folders:
        return
    for folder in below:
        db.execute("DELETE FROM folders WHERE path = ? OR path GLOB ? || '/*'", (folder, folder))
    db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", listing.folders.items())


def _folders(db: sqlite3.Connection, below: Iterable[str]) -> dict[str, int]:
    """The folders that the index knows below these, each with its time stamp."""
    sql = "SELECT path, mtime_ns FROM folders WHERE path = ? OR path GLOB ? || '/*'"
    return {path: mtime for folder in below for path, mtime in db.execute(sql, (folder, folder))}


def _record_stamp(db: sqlite3.Connection, reading: Reading) -> None:
    db.execute(
        "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, checked_ns = ? WHERE path = ?",
        (*reading.stamp, reading.checked_ns, reading.path),
    )


def record_files(db: sqlite3.Connection, readings: Iterable[Reading]) -> None:
    """Record what was read from some files."""
    db.executemany(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(reading.path, *reading.stamp, reading.checked_ns, reading.hash),
                *(reading.note.id if reading.note else None, reading.problem),
            )
            for reading in readings
        ],
    )


def remember_newest(home: Home, paths: Iterable[str]) -> None:
    """Keep the paths of the newest notes outside the index, for a hook that finds none.

    Where the store cannot be written, the list is missing or out of date.
    """
    lines = "".join([f"{path}\n" for path in _newest(paths)])
    if not lines:
        return
    name = home.state(_NEWEST)
    try:
        os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
        descriptor = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.fstat(descriptor).st_size > _LONGEST_NEWEST:
                lines = "".join([f"{path}\n" for path in _newest([*newest_known(home), *paths])])
                os.truncate(name, 0)
            os.write(descriptor, lines.encode("utf-8", "surrogateescape"))
        finally:
            os.close(descriptor)
    except OSError:
        return


def forget_newest(home: Home) -> None:
    """Drop the paths of files that are gone: their names can say what was in them."""
    from anamnesis.ground import atomic

    known = newest_known(home)
    kept = [path for path in known if os.path.exists(os.path.join(home, path))]
    if len(kept) < len(known):
        lines = "".join([f"{path}\n" for path in kept])
        atomic.write_bytes(home.state(_NEWEST), lines.encode("utf-8", "surrogateescape"))


def newest_known(home: Home) -> list[str]:
    """The paths that were kept, those with the highest names first."""
    try:
        with open(home.state(_NEWEST), encoding="utf-8", errors="surrogateescape") as file:
            return _newest(file.read().split("\n")[:-1])
    except OSError:
        return []


def _newest(paths: Iterable[str]) -> list[str]:
    """The highest names first: ids begin with their time."""
    highest = sorted(set(paths), key=lambda path: path.rpartition("/")[2], reverse=True)
    return highest[:_MOST_NEWEST]


def _precedence(note: Memory, reading: Reading) -> tuple[bool, str, str]:
    """Of files with one id: the one in its proper place, then the latest, then the portable one."""
    return tree.path_of(note) == reading.path, note.updated_at, reading.path
