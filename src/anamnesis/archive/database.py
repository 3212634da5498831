"""`sessions.db`: the turns of the archive as full text, derived and disposable.

It is updated after each capture and before a search.
"""

from __future__ import annotations

import os
import sqlite3
from binascii import crc32
from contextlib import closing, contextmanager

from anamnesis.archive.turns import AGENT, CLIENT, PERSON, Header
from anamnesis.ground import atomic, locks
from anamnesis.ground.errors import AnamnesisError
from anamnesis.index.database import compact
from anamnesis.text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from anamnesis.archive.files import ArchiveFile
    from anamnesis.archive.turns import Turn
    from anamnesis.config import Home

PROMPT, ANSWER, COMMAND, TOOL, SUMMARY = "prompt", "answer", "command", "tool", "summary"
SPOKEN = (PROMPT, ANSWER, COMMAND, SUMMARY)
_VERSION = 3
_BUSY_SECONDS = 5.0
_LOCK_SECONDS = 600.0
_LONGEST = 4_000  # characters of one turn that can be searched
_LONGEST_ERROR = 1_500
_PRINTED = "\x1f"  # between a command and its output
_LONGEST_OUTPUT = 400  # the end of what a command printed: its verdict

_SCHEMA = """
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  agent TEXT NOT NULL, project TEXT NOT NULL, machine TEXT NOT NULL, cwd TEXT NOT NULL,
  branch TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, title TEXT NOT NULL,
  note TEXT NOT NULL, turns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_time ON sessions(ended DESC);
CREATE INDEX by_note ON sessions(note);
CREATE TABLE turns (
  rowid INTEGER PRIMARY KEY, session TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
  who TEXT NOT NULL, at TEXT NOT NULL, failed INTEGER NOT NULL, command INTEGER,
  length INTEGER NOT NULL
);
CREATE INDEX by_command ON turns(command, failed, at) WHERE command IS NOT NULL;
CREATE INDEX by_session ON turns(session, number);
CREATE VIRTUAL TABLE turns_fts USING fts5(text, parts, tokenize='porter unicode61');
"""


@contextmanager
def opened(home: Home) -> Iterator[sqlite3.Connection]:
    """The database as it is; a missing, foreign or damaged one is recreated empty.

    Raises AnamnesisError if it can be neither read nor created.
    """
    path = home.sessions_db
    connection = _usable(path)
    if connection is None:
        with locks.held(home.lock("archive"), name="the session index", timeout=_LOCK_SECONDS):
            connection = _usable(path) or _laid_out(path)
    with closing(connection):
        try:
            yield connection
        except sqlite3.Error as error:
            raise AnamnesisError(
                f"The index of sessions cannot be used: {error}.",
                hint="Build it again with:  anamnesis reindex --sessions",
            ) from error


def readable(home: Home) -> sqlite3.Connection | None:
    """The database for a hook, to be closed; None if it is not there or not as it should be."""
    return _usable(home.sessions_db)


def clear(home: Home) -> None:
    """Start over with an empty database."""
    with locks.held(home.lock("archive"), name="the session index", timeout=_LOCK_SECONDS):
        _laid_out(home.sessions_db).close()


def refresh(
    home: Home, *, most: int | None = None, progress: Callable[[int, int], None] | None = None
) -> int:
    """Read what changed in the archive into the database; returns how many files are left.

    With `most`, at most that many are read, and none while another process is reading, so that a
    question is not kept waiting.
    """
    with opened(home) as db:
        if not (changed := _changed(home, db)):
            return 0
        lock = home.lock("archive")
        if most is not None and locks.is_held(lock):
            return 0
        with locks.held(lock, name="the session index", timeout=_LOCK_SECONDS):
            changed = _changed(home, db)
            for number, file in enumerate(changed[:most], start=1):
                _read_in(db, file)
                if progress:
                    progress(number, len(changed))
            return max(0, len(changed) - (len(changed) if most is None else most))


def forget(home: Home, is_forgotten: Callable[[str, str], bool], *, thorough: bool = False) -> bool:
    """Delete the sessions of which this is true of their id and their note's id.

    The files come last, so that a retry finds them. `thorough` also leaves nothing of what was
    deleted before. False if another process keeps the log of the index open.
    """
    if not os.path.exists(home.sessions_db) and not os.path.isdir(home.sessions):
        return True
    refresh(home)
    lock = locks.held(home.lock("archive"), name="the session index", timeout=_LOCK_SECONDS)
    with opened(home) as db, lock:
        rows = db.execute("SELECT id, path, note FROM sessions").fetchall()
        gone = [row for row in rows if is_forgotten(row["id"], row["note"])]
        for row in gone:
            with _transaction(db):
                _drop(db, row["id"])
        is_clean = _scrub(db) if gone or thorough else True
        for row in gone:
            atomic.remove(row["path"])
    return is_clean


def _scrub(db: sqlite3.Connection) -> bool:
    """Leave nothing of deleted turns; full text keeps their words until it is merged."""
    db.execute("INSERT INTO turns_fts(turns_fts) VALUES ('optimize')")
    return compact(db)


def kind_of(turn: Turn) -> str:
    """What sort of turn this is, as a search may be narrowed to it."""
    if turn.tool:
        return COMMAND if turn.command else TOOL
    return {PERSON: PROMPT, CLIENT: SUMMARY}.get(turn.who, ANSWER)


def command_key(command: str) -> int | None:
    """A number that identifies a command, whatever its spacing."""
    return crc32(" ".join(command.split()).encode("utf-8", "replace")) if command else None


def text_of(turn: Turn) -> str:
    """What a turn can be found by: words, commands and errors, but not file contents.

    Nor what was read elsewhere, and what repeats it.
    """
    turn = turn.own()
    if not turn.tool:
        return turn.text[:_LONGEST]
    call = turn.command or " ".join(filter(None, (turn.tool, turn.file)))
    longest = _LONGEST_ERROR if turn.failed else _LONGEST_OUTPUT if turn.command else 0
    printed = turn.result[-longest:] if longest else ""
    return f"{call[:_LONGEST]}\n{_PRINTED}{printed}" if printed else call[:_LONGEST]


def split(text: str) -> tuple[str, str]:
    """What `text_of` joined: what was said or run, and what was printed."""
    said, _, printed = text.partition(_PRINTED)
    return said.rstrip("\n"), printed


def _usable(path: str) -> sqlite3.Connection | None:
    if not os.path.exists(path):
        return None
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error:
        return None
    try:
        _configure(connection)
        if connection.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
            connection.execute("SELECT count(*) FROM turns_fts WHERE turns_fts MATCH 'x'")
            return connection
    except sqlite3.DatabaseError:
        pass  # not a database of Anamnesis
    connection.close()
    return None


def _laid_out(path: str) -> sqlite3.Connection:
    for ending in ("", "-wal", "-shm"):
        atomic.remove(path + ending)
    atomic.make_directory(os.path.dirname(path))
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        _configure(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={_VERSION}; COMMIT;")
    except sqlite3.Error as error:
        connection.close()
        raise AnamnesisError(f"The index of sessions cannot be written: {error}.") from error
    return connection


def _configure(connection: sqlite3.Connection) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")
    connection.execute("PRAGMA synchronous=NORMAL")


def _changed(home: Home, db: sqlite3.Connection) -> list[ArchiveFile]:
    """The files that are new or changed since they were read; rows without a file are dropped."""
    from anamnesis.archive import files  # late, for hooks: it unpacks and redacts

    unseen = {
        row["path"]: row for row in db.execute("SELECT id, path, size, mtime_ns FROM sessions")
    }
    changed = []
    for file in files.listed(home):
        row = unseen.pop(file.path, None)
        if row is None or (row["size"], row["mtime_ns"]) != (file.size, file.mtime_ns):
            changed.append(file)
    for row in unseen.values():
        with _transaction(db):
            _drop(db, row["id"])
    return changed


def _read_in(db: sqlite3.Connection, file: ArchiveFile) -> None:
    from anamnesis.archive import files

    # One that cannot be read is remembered by its name: it is not tried at every question.
    header = files.read_header(file.path) or Header(session=os.path.basename(file.path))
    with _transaction(db):
        for row in db.execute("SELECT id FROM sessions WHERE path = ?", (file.path,)).fetchall():
            _drop(db, row["id"])
        _drop(db, header.session)
        _insert(db, file, header, files.turns_in(file.path))


def _insert(db: sqlite3.Connection, file: ArchiveFile, head: Header, turns: Iterable[Turn]) -> None:
    count = 0
    for number, turn in enumerate(turns):
        text = text_of(turn)
        row = db.execute(
            "INSERT INTO turns(session, number, kind, who, at, failed, command, length) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                head.session,
                number,
                kind_of(turn),
                turn.who or AGENT,
                turn.at,
                turn.failed,
                command_key(turn.command),
                len(text),
            ),
        )
        db.execute(
            "INSERT INTO turns_fts(rowid, text, parts) VALUES (?, ?, ?)",
            (row.lastrowid, text, words.parts(text)),
        )
        count += 1
    db.execute(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (head.session, file.path, file.size, file.mtime_ns, head.agent, head.project, head.machine,
         head.cwd, head.branch, head.started, head.ended, head.title, head.note, count),
    )  # fmt: skip


def _drop(db: sqlite3.Connection, session: str) -> None:
    db.execute(
        "DELETE FROM turns_fts WHERE rowid IN (SELECT rowid FROM turns WHERE session = ?)",
        (session,),
    )
    db.execute("DELETE FROM turns WHERE session = ?", (session,))
    db.execute("DELETE FROM sessions WHERE id = ?", (session,))


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
