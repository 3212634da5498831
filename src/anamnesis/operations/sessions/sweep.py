"""Sessions that no hook captured: killed ones, and those from before the hooks."""

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
from anamnesis.operations.machine import upgrade
from anamnesis.operations.sessions import archive
from anamnesis.operations.sessions.capture import capture

if TYPE_CHECKING:
    from collections.abc import Callable

    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

_FORGOTTEN_SECONDS = 90 * 24 * 3600.0  # clients delete transcripts after 30 days
_MOST_AT_ONCE = 20
_NEWEST = 3
_ARCHIVED = "archived-all"


@dataclass(frozen=True, slots=True)
class Swept:
    """How many transcripts became notes, and the newest of them."""

    looked_at: int
    written: int
    skipped: int
    failed: int
    newest: tuple[Memory, ...] = ()


def sweep(home: Home) -> Swept:
    """Capture sessions that ended without a hook since the set-up, a few at a time.

    Sessions that also began without one had the hooks switched off; `status` counts them.
    """
    now = time.time()
    ended = discovery.ended(home, since=_begin(home, now), now=now)
    switched_off = set(discovery.without_hooks(home, ended))
    ended = [each for each in ended if each not in switched_off]
    swept = _capture_all(home, ended[:_MOST_AT_ONCE], source="sweep")
    _archive_once(home)
    ledger.prune(home)
    _clear_spool(home, now)
    if cleaned := upgrade.clean_up(home):
        runs.note_run(home, "upgrade", did=cleaned)
    return swept


def uncaptured(home: Home) -> int:
    """How many transcripts on this machine could become notes."""
    return len(discovery.uncaptured(home, since=0.0))


def backfill(
    home: Home, *, since: float = 0.0, progress: Callable[[int, int], None] | None = None
) -> Swept:
    """Capture every transcript on this machine that is newer than `since`, oldest first.

    The rules in them are not proposed: what still holds will be said again, and a heap of old
    ones to review would be the first thing that you see.
    """
    news = discovery.uncaptured(home, since=since)
    swept = _capture_all(home, news[::-1], source="backfill", progress=progress)
    _archive_the_rest(home, since=since, progress=progress)
    return swept


def _archive_once(home: Home) -> None:
    """Archive what earlier versions captured and did not archive, if the client still has it."""
    marker = home.state(_ARCHIVED)
    if archive.is_on() and not os.path.exists(marker):
        _archive_the_rest(home)
        atomic.write_text(marker, "")


def _archive_the_rest(
    home: Home, *, since: float = 0.0, progress: Callable[[int, int], None] | None = None
) -> None:
    """Archive sessions that were captured and are not in the archive."""
    if not archive.is_on():
        return
    entries = [
        (each, ledger.read(home, each.session)) for each in discovery.transcripts(since=since)
    ]
    missing = [
        (each, known) for each, known in entries if known and not archive.has(home, each.session)
    ]
    for number, (each, known) in enumerate(missing, start=1):
        archive.keep_transcript(
            home, each.path, session=each.session, since=known.since, note_id=known.note_id
        )
        if progress:
            progress(number, len(missing))


def _capture_all(
    home: Home,
    found: list[discovery.FoundTranscript],
    *,
    source: str,
    progress: Callable[[int, int], None] | None = None,
) -> Swept:
    written = failed = 0
    newest: list[Memory] = []
    for number, each in enumerate(found, start=1):
        payload = Payload(session_id=each.session, transcript_path=each.path)
        try:
            if note := capture(home, payload, source=source).note:
                written += 1
                newest = sorted([*newest, note], key=lambda one: one.updated_at)[-_NEWEST:]
        except AnamnesisError as error:
            failed += 1
            runs.failed(home, "capture", error.message)
        if progress:
            progress(number, len(found))
    return Swept(len(found), written, len(found) - written - failed, failed, tuple(newest))


def _clear_spool(home: Home, now: float) -> None:
    """Remove payloads whose capture never ran, and marks of sessions too old to sweep."""
    for folder, most in (("spool", discovery.LOOK_BACK_SECONDS), ("state/off", _FORGOTTEN_SECONDS)):
        for path in glob(os.path.join(escape(home), folder, "*")):
            with suppress(FileNotFoundError):  # another process removed it first
                if now - os.stat(path).st_mtime > most:
                    atomic.remove(path)


def _begin(home: Home, now: float) -> float:
    """When the first sweep ran or a pause ended; older sessions are left to `--backfill`."""
    marker = switches.sweep_marker(home)
    try:
        return os.stat(marker).st_mtime
    except OSError:
        atomic.write_text(marker, "")
        return now
