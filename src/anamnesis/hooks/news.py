"""What a session is still owed: notes that arrived by sync, memory that its client dropped.

The background sync leaves a record when it ends (`hooks/runs`), so that a session need not run
git. A session's start waits briefly for that; what arrives later comes with the first prompt.
"""

from __future__ import annotations

import os
import time

from anamnesis import config
from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable
from anamnesis.hooks.runs import last_exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.config import Home

SETTING = "start_wait"
DEFAULT_MILLISECONDS = 700
_STARTS = ("startup", "resume", "new")
_FRESH_SECONDS = 60.0  # after a success: of two sessions in a minute, only the first waits
_SPARED_SECONDS = 600.0  # after a failure: when offline, not every start waits
_STEP_SECONDS = 0.02


def may_come(source: str) -> bool:
    """Whether a session that starts like this may miss notes from other machines."""
    return source in _STARTS and config.resolve_remote() is not None


def is_due(home: Home) -> bool:
    """Whether the last sync is old enough to wait for the next one."""
    latest = last_exchange(home)
    age = time.time() - latest.at
    return not 0 <= age < (_FRESH_SECONDS if latest.worked else _SPARED_SECONDS)


def wait(home: Home) -> bool:
    """Wait for the background sync; whether it ended in time."""
    return _waited(home, _stamp(home), until=time.time() + _patience())


def promise(home: Home, session: str, *, is_running: bool = False) -> None:
    """Let the first prompt of a session bring what arrives after its start.

    If a sync is running that the start did not wait for, an immediate prompt waits for the rest of
    that time: a scripted client prompts right after its start.
    """
    if session:
        now = time.time()
        until = now + _patience() if is_running else 0.0
        _leave(home.owed("news", session), f"{now!r} {until!r} {_stamp(home)}")


def since_start(home: Home, session: str) -> list[str]:
    """The ids of the notes that arrived since a session's start; each is given once."""
    path = home.owed("news", session)
    try:
        with open(path, "rb") as stream:
            parts = stream.read().split()
        started = float(parts[0])
        if len(parts) > 2:  # an earlier version left the time alone
            _waited(home, int(parts[2]), until=float(parts[1]))
    except (OSError, ValueError, IndexError):
        return []
    try:
        atomic.remove(path)
    except NotWritable:
        return []  # nothing arrives in a read-only store
    return list(dict.fromkeys(id for at, id in last_exchange(home).arrived if at >= started))


def owe_memory(home: Home, session: str) -> None:
    """Let the next prompt of a session bring its memory back.

    Gemini and Copilot only announce that they are about to compact; Claude Code and Codex start
    the session again afterwards.
    """
    if session:
        _leave(home.owed("again", session), "")


def is_memory_owed(home: Home, session: str) -> bool:
    """Whether a session has lost its memory and not got it back."""
    return bool(session) and os.path.exists(home.owed("again", session))


def memory_given(home: Home, session: str) -> None:
    """Clear the debt."""
    try:
        atomic.remove(home.owed("again", session))
    except NotWritable:
        return


def _leave(path: str, text: str) -> None:
    try:
        atomic.write_text(path, text)
    except NotWritable:
        return  # a session in a read-only store starts all the same


def _waited(home: Home, before: int, *, until: float) -> bool:
    """Whether a new exchange has ended by then."""
    deadline = time.monotonic() + min(until - time.time(), _patience())  # the clock may be set back
    while _stamp(home) == before:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(_STEP_SECONDS, remaining))
    return True


def _patience() -> float:
    wait: Any = config.setting(SETTING) or ""
    return (int(wait) if wait.isdecimal() else DEFAULT_MILLISECONDS) / 1_000


def _stamp(home: Home) -> int:
    try:
        return os.stat(home.state("exchange.json")).st_mtime_ns
    except OSError:
        return 0
