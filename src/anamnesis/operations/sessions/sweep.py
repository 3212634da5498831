"""Sessions that no hook captured: killed ones, and those from before there were hooks."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from glob import escape, glob
from typing import TYPE_CHECKING

from anamnesis.capture import discovery, ledger
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError
from anamnesis.hooks import runs, switches
from anamnesis.hooks.payload import Payload
from anamnesis.operations.sessions.capture import capture

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.ground.home import Home

_LOOK_BACK_SECONDS = 7 * 24 * 3600.0
_STILL_RUNNING_SECONDS = 60.0  # somebody wrote to it just now; its own hooks will come
_MOST_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Swept:
    """How many transcripts became notes."""

    looked_at: int
    written: int
    skipped: int
    failed: int


def sweep(home: Home) -> Swept:
    """Capture what ended without a hook since we are here; a few sessions at a time."""
    now = time.time()
    since = max(now - _LOOK_BACK_SECONDS, _begin(home, now))
    news = discovery.uncaptured(home, since=since)
    ended = [each for each in news if now - each.mtime > _STILL_RUNNING_SECONDS]
    swept = _capture_all(home, ended[:_MOST_AT_ONCE], source="sweep")
    ledger.prune(home)
    _clear_spool(home, now)
    return swept


def backfill(
    home: Home, *, since: float = 0.0, progress: Callable[[int, int], None] | None = None
) -> Swept:
    """Capture every transcript on this machine that is newer than `since`, oldest first."""
    news = discovery.uncaptured(home, since=since)
    return _capture_all(home, news[::-1], source="backfill", progress=progress)


def _capture_all(
    home: Home,
    found: list[discovery.Found],
    *,
    source: str,
    progress: Callable[[int, int], None] | None = None,
) -> Swept:
    written = failed = 0
    for number, each in enumerate(found, start=1):
        told = Payload(session_id=each.session, transcript_path=each.path)
        try:
            written += capture(home, told, source=source).note is not None
        except AnamnesisError as error:
            failed += 1
            runs.failed(home, "capture", error.message)
        if progress:
            progress(number, len(found))
    return Swept(len(found), written, len(found) - written - failed, failed)


def _clear_spool(home: Home, now: float) -> None:
    """Payloads whose capture never ran; the sweep has looked at their transcripts by now."""
    for path in glob(os.path.join(escape(home), "spool", "*")):
        with suppress(FileNotFoundError):  # another sweep was faster
            if now - os.stat(path).st_mtime > _LOOK_BACK_SECONDS:
                atomic.remove(path)


def _begin(home: Home, now: float) -> float:
    """When we first swept here, or a pause ended: what was before is the person's to back-fill."""
    marker = switches.sweep_marker(home)
    try:
        return os.stat(marker).st_mtime
    except OSError:
        atomic.write_text(marker, "")
        return now
