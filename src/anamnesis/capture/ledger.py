"""What was captured of each transcript, so that nothing is captured twice or forgotten.

One small file per session under `<home>/state/sessions/`: the transcript's size and time when it
was read, and the note that came of it with the hash of what we wrote.
"""

from __future__ import annotations

import json
import os
import re

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.ground.home import Home

_MOST_ENTRIES = 5_000
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


@record
class Entry:
    """The state of a transcript when it was last captured."""

    transcript: str
    size: int
    mtime_ns: int
    note_id: str = ""  # empty: the session was trivial
    since: str = ""  # when it went on by itself, for a copy of another session
    body: str = ""  # hash of the body that we wrote; another one was written by a person

    def is_current(self) -> bool:
        """Whether the transcript has not changed since."""
        return stamp(self.transcript) == (self.size, self.mtime_ns)


def stamp(transcript: str) -> tuple[int, int]:
    """Size and time of a transcript; zeros if it is not there."""
    try:
        status = os.stat(transcript)
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def body_hash(body: str) -> str:
    """What `Entry.body` holds for a note's body."""
    from hashlib import blake2b

    return blake2b(body.strip().encode("utf-8", "replace"), digest_size=12).hexdigest()


def read(home: Home, session: str) -> Entry | None:
    """What is known of a session, or None."""
    try:
        with open(_path(home, session), encoding="utf-8") as file:
            return Entry(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None


def write(home: Home, session: str, entry: Entry) -> None:
    """Remember the state of a session; that it cannot be remembered costs a second look later."""
    fields = {name: getattr(entry, name) for name in entry.__slots__}  # type: ignore[attr-defined]
    try:
        atomic.write_text(_path(home, session), json.dumps(fields))
    except (NotWritable, UnicodeError):
        return


def forget(home: Home, session: str) -> None:
    """Drop what is known of a session."""
    atomic.remove(_path(home, session))


def seconds_since(home: Home, session: str, *, now: float) -> float | None:
    """How long ago a session was last captured, or None."""
    try:
        return now - os.stat(_path(home, session)).st_mtime
    except OSError:
        return None


def prune(home: Home) -> None:
    """Forget the sessions that were captured longest ago, once there are very many."""
    folder = home.state("sessions")
    try:
        with os.scandir(folder) as found:
            files = [(each.stat().st_mtime, each.path) for each in found]
    except OSError:
        return
    for _, path in sorted(files)[: max(0, len(files) - _MOST_ENTRIES)]:
        atomic.remove(path)


def _path(home: Home, session: str) -> str:
    name = _NOT_IN_A_NAME.sub("-", session)[:128] or "unnamed"
    return home.state("sessions", f"{name}.json")
