"""What a session is still owed: notes that the last sync brought, memory that its client dropped.

The background sync leaves `<home>/state/exchange.json` when it ends, so that a session need not
run git. A session's start waits a moment for that; what arrives later comes with the first prompt.
"""

from __future__ import annotations

import os
import time

from anamnesis import config
from anamnesis.ground import atomic, quickjson
from anamnesis.ground.errors import NotWritable
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from anamnesis.config import Home

SETTING = "start_wait"
DEFAULT_MILLISECONDS = 700
_STARTS = ("startup", "resume", "new")
_FRESH_SECONDS = 60.0  # after a success: of two sessions in a minute, only the first waits
_SPARED_SECONDS = 600.0  # after a failure: when offline, not every start waits
_REMEMBERED_SECONDS = 3_600.0
_MOST_REMEMBERED = 50
_STEP_SECONDS = 0.02


@record
class Exchange:
    """The last sync: when it ended, whether it worked, and what the latest ones brought."""

    at: float = 0.0
    worked: bool = False
    arrived: tuple[tuple[float, str], ...] = ()  # when, and the note's id


def note_exchange(home: Home, *, worked: bool, changed: Iterable[str] = ()) -> None:
    """Record the end of a sync; `changed` are files relative to the store's root."""
    now = time.time()
    ids = [path.rpartition("/")[2][:-3] for path in changed if path.endswith(".md")]
    kept = [each for each in last(home).arrived if now - each[0] < _REMEMBERED_SECONDS]
    arrived = [*kept, *((now, id) for id in ids)][-_MOST_REMEMBERED:]
    said = {"at": now, "worked": worked, "arrived": arrived}
    try:
        atomic.write_text(_path(home), quickjson.dumps(said))
    except (NotWritable, OSError, UnicodeError):
        return  # the notes are there; only the hint is lost


def last(home: Home) -> Exchange:
    """The last sync; an empty record if there was none or its file is damaged."""
    try:
        with open(_path(home), "rb") as stream:
            said = quickjson.loads(stream.read())
        arrived = tuple((float(at), str(id)) for at, id in said["arrived"])
        return Exchange(float(said["at"]), bool(said["worked"]), arrived)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Exchange()


def may_come(source: str) -> bool:
    """Whether a session that starts like this may miss notes from other machines."""
    return source in _STARTS and config.resolve_remote() is not None


def is_due(home: Home) -> bool:
    """Whether the last sync is old enough to wait for the next one."""
    latest = last(home)
    age = time.time() - latest.at
    return not 0 <= age < (_FRESH_SECONDS if latest.worked else _SPARED_SECONDS)


def wait(home: Home) -> bool:
    """Wait for the background sync; whether it ended in time."""
    return _waited(home, _stamp(home), until=time.time() + _patience())


def promise(home: Home, session: str, *, is_running: bool = False) -> None:
    """Let the first prompt of a session bring what arrives after its start.

    If a sync is running that the start did not wait for, a prompt that follows at once gives it
    the rest of that time: a client that nobody types into prompts right after its start.
    """
    if session:
        now = time.time()
        until = now + _patience() if is_running else 0.0
        atomic.write_text(home.owed("news", session), f"{now!r} {until!r} {_stamp(home)}")


def since_start(home: Home, session: str) -> list[str]:
    """The ids of the notes that arrived since a session's start; each is given once."""
    path = home.owed("news", session)
    try:
        with open(path, "rb") as stream:
            said = stream.read().split()
        started = float(said[0])
        if len(said) > 2:  # an earlier version left the time alone
            _waited(home, int(said[2]), until=float(said[1]))
    except (OSError, ValueError, IndexError):
        return []
    atomic.remove(path)
    return list(dict.fromkeys(id for at, id in last(home).arrived if at >= started))


def owe_memory(home: Home, session: str) -> None:
    """Let the next prompt of a session bring its memory back.

    Gemini and Copilot only tell that they are about to compact; Claude Code and Codex start the
    session again afterwards.
    """
    if session:
        atomic.write_text(home.owed("again", session), "")


def is_memory_owed(home: Home, session: str) -> bool:
    """Whether a session has lost its memory and not got it back."""
    return bool(session) and os.path.exists(home.owed("again", session))


def memory_given(home: Home, session: str) -> None:
    """Clear the debt."""
    atomic.remove(home.owed("again", session))


def _waited(home: Home, before: int, *, until: float) -> bool:
    """Whether another exchange than the one before has ended by then."""
    deadline = time.monotonic() + min(until - time.time(), _patience())  # clocks are set back
    while _stamp(home) == before:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(_STEP_SECONDS, left))
    return True


def _patience() -> float:
    said: Any = config.setting(SETTING) or ""
    return (int(said) if said.isdecimal() else DEFAULT_MILLISECONDS) / 1_000


def _stamp(home: Home) -> int:
    try:
        return os.stat(_path(home)).st_mtime_ns
    except OSError:
        return 0


def _path(home: Home) -> str:
    return home.state("exchange.json")
