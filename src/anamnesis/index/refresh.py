"""Keeping the index equal to the files: a diff, applied in a transaction, returned as a value."""

from __future__ import annotations

import os
import time

from anamnesis.ground.records import record
from anamnesis.index import held, rows, supersession
from anamnesis.notes import tree
from anamnesis.notes.note import UnreadableNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from anamnesis.notes.note import Memory

    Progress = Callable[[int, int], None]

# A file changed again within one tick of the file system's clock keeps its time stamp. What was
# read so soon after its last change is therefore read once more the next time.
_TICK_NS = 20_000_000
_BATCH = 1000
_MOST_WAITED_FOR = 1000  # files in a folder: looking through them takes about 10 ms


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
    """An unreadable file: why, and whether it can be searched all the same."""

    path: str
    reason: str
    indexed: bool


@record
class Reading:
    """One file as it was read: a note, or the problem that kept us from having one."""

    path: str
    stamp: tree.Stamp
    checked_ns: int
    note: Memory | None = None
    hash: str | None = None
    problem: str | None = None


def changed_folders(db: sqlite3.Connection, root: str) -> list[str]:
    """The folders that gained or lost an entry since they were last looked through.

    A look goes through all that is below a folder, so those below another one are left out.
    """
    known = dict.fromkeys(tree.TREES, tree.NEVER)
    known.update(db.execute("SELECT path, mtime_ns FROM folders").fetchall())
    found = {path for path, mtime in known.items() if tree.folder_mtime(root, path) != mtime}
    return [path for path in found if found.isdisjoint(tree.folders_around(path))]


def small_folders(db: sqlite3.Connection, folders: Iterable[str]) -> list[str]:
    """Of these folders, those that a session can wait for."""
    small = []
    for folder in folders:
        inside = db.execute(
            "SELECT 1 FROM files WHERE path >= ?1 || '/' AND path < ?1 || '0' LIMIT 1 OFFSET ?2",
            (folder, _MOST_WAITED_FOR),
        )
        if inside.fetchone() is None:
            small.append(folder)
    return small


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
            "WHERE path = ?1 OR path >= ?2 AND path < ?3",
            (folder, first, last),
        )
        for path, size, mtime, inode, checked in cursor:
            stamp = unseen.pop(path, None)
            if stamp is None:
                gone.append(path)
            elif stamp != (size, mtime, inode) or -_TICK_NS < checked - mtime < _TICK_NS:
                changed.append(path)
    return Changes(tuple(sorted(unseen)), tuple(sorted(changed)), tuple(sorted(gone)))


def read(root: str, path: str, problem: str = "") -> Reading | None:
    """One file's note or problem, or None if it is gone by now."""
    now = time.time_ns()
    try:
        if not problem:
            found = tree.read_note(root, path)
            concern = tree.concern(found.note, path) or None
            return Reading(path, found.stamp, now, found.note, found.hash, concern)
    except UnreadableNote as error:
        problem = error.reason
    except FileNotFoundError:
        return None
    try:
        status = os.stat(os.path.join(root, path), follow_symlinks=False)
    except FileNotFoundError:
        return None
    stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
    return Reading(path, stamp, now, problem=problem)


def batches(
    root: str, paths: Iterable[str], problems: dict[str, str] | None = None
) -> Iterator[tuple[list[str], list[Reading]]]:
    """Paths and what was read of them, some hundred at a time: no lock is held while reading."""
    asked: list[str] = []
    readings: list[Reading] = []
    for path in paths:
        asked.append(path)
        reading = read(root, path, (problems or {}).get(path, ""))
        if reading is not None:
            readings.append(reading)
        if len(asked) >= _BATCH:
            yield asked, readings
            asked, readings = [], []
    if asked:
        yield asked, readings


def is_current(root: str, reading: Reading) -> bool:
    """Whether a file is still the one that was read."""
    try:
        status = os.stat(os.path.join(root, reading.path), follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (status.st_size, status.st_mtime_ns, status.st_ino) == reading.stamp


def apply(
    db: sqlite3.Connection, root: str, paths: Iterable[str], readings: Iterable[Reading]
) -> set[str]:
    """Make the index say of these paths what was read; a path without a reading is gone.

    Gives the paths that turned out to hold what the index knew already.
    """
    same: set[str] = set()
    fresh = {reading.path: reading for reading in readings}
    touched: set[str] = set()
    for path in paths:
        before = db.execute("SELECT note_id, hash FROM files WHERE path = ?", (path,)).fetchone()
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
        record_files(db, [reading])
        if reading.note is not None:
            touched.add(reading.note.id)
    released = supersession.targets(db, touched)
    for note_id in sorted(touched):
        _settle(db, root, note_id, fresh)
    supersession.mark(db, touched, released=released)
    return same


def record_folders(db: sqlite3.Connection, listing: tree.Listing, below: Iterable[str]) -> None:
    """Remember when each folder was last changed, so that the next look can skip it."""
    for folder in below:
        db.execute("DELETE FROM folders WHERE path = ?1 OR path GLOB ?1 || '/*'", (folder,))
    db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", listing.folders.items())


def _record_stamp(db: sqlite3.Connection, reading: Reading) -> None:
    db.execute(
        "UPDATE files SET size = ?, mtime_ns = ?, inode = ?, checked_ns = ? WHERE path = ?",
        (*reading.stamp, reading.checked_ns, reading.path),
    )


def record_files(db: sqlite3.Connection, readings: Iterable[Reading]) -> None:
    """Remember what was read of some files."""
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


def _settle(db: sqlite3.Connection, root: str, note_id: str, fresh: dict[str, Reading]) -> None:
    """Index the one file that stands for an id; that several files have it is their problem."""
    from anamnesis.index import vocabulary  # only writing needs it; a hook reads

    rivals: list[tuple[Memory, Reading]] = []
    for (path,) in db.execute("SELECT path FROM files WHERE note_id = ?", (note_id,)).fetchall():
        reading = fresh.get(path) or read(root, path)
        if reading is not None and reading.note is not None and reading.note.id == note_id:
            rivals.append((reading.note, reading))
    if not rivals:
        rows.remove(db, note_id)
        return
    note, winner = max(rivals, key=lambda rival: _precedence(*rival))
    rows.upsert(db, note, winner.path.partition("/")[2])
    vocabulary.learn(db, note)
    held.record(db, root, [note])
    for _, reading in rivals:
        clash = f"its id is also that of {winner.path}, which counts"
        problem = reading.problem if reading is winner else clash
        db.execute("UPDATE files SET problem = ? WHERE path = ?", (problem, reading.path))


def _precedence(note: Memory, reading: Reading) -> tuple[bool, str, str]:
    """Of files with one id: the one in its proper place, then the latest, then the portable one."""
    return tree.path_of(note) == reading.path, note.updated_at, reading.path
