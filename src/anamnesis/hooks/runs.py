"""The journal of hook runs, since when an area has been failing, and what the last sync brought."""

from __future__ import annotations

import os
import time

from anamnesis.ground import atomic, clock, quickjson
from anamnesis.ground.errors import AnamnesisError, NotWritable
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from anamnesis.config import Home


_RUNS_LIMIT = 256 * 1024  # about 2,000 runs in each half
_REASON_LENGTH = 300
_REMEMBERED_SECONDS = 3_600.0  # what a sync brought, for the sessions that start meanwhile
_MOST_REMEMBERED = 50
_EXCHANGE = "exchange.json"
AREAS = ("inject", "recall", "capture", "summarising", "sync", "reflect", "embed")


@record
class Failing:
    """An area, such as capture or sync, whose last run failed."""

    area: str
    since: str
    reason: str
    times: int

    @property
    def sentence(self) -> str:
        """The message for the user."""
        return f"{self.area} has been failing since {self.since} ({self.reason})"


@record
class Exchange:
    """The last sync: when it ended, whether it worked, and what the latest ones brought."""

    at: float = 0.0
    worked: bool = False
    arrived: tuple[tuple[float, str], ...] = ()  # when, and the note's id


def note_run(home: Home, hook: str, *, did: str, session: str = "", failed: bool = False) -> None:
    """Write one line about a run of a hook."""
    entry = {"at": clock.utcnow(), "hook": hook, "ok": not failed, "did": did[:_REASON_LENGTH]}
    if session:
        entry["session"] = session
    append_line(home.log("hooks.jsonl"), entry, limit=_RUNS_LIMIT)


def latest_runs(home: Home) -> Iterator[dict[str, Any]]:
    """What the hooks did, newest first."""
    return latest_lines(home.log("hooks.jsonl"), whole=True)


def sessions_seen(home: Home) -> set[str]:
    """The ids of the sessions in which a hook ran, as far back as the journal goes."""
    return {str(run["session"]) for run in latest_runs(home) if run.get("session")}


def is_rotated(home: Home) -> bool:
    """Whether the journal has dropped its oldest runs."""
    return os.path.exists(_older_half(home.log("hooks.jsonl")))


def failed(home: Home, area: str, reason: str) -> None:
    """Record that an area is failing, and since when."""
    before = _read(home, area)
    now = clock.utcnow()
    state = {
        "since": before.since if before else now,
        "last": now,
        "reason": " ".join(reason.split())[:_REASON_LENGTH],
        "times": before.times + 1 if before else 1,
    }
    try:
        atomic.write_text(_state_path(home, area), quickjson.dumps(state))
    except (NotWritable, OSError, UnicodeError):
        return  # a read-only store is a separate finding


class Watched:
    """A context manager that records a failure for the next session: background runs are unseen."""

    def __init__(self, home: Home, area: str) -> None:
        self._home, self._area = home, area

    def __enter__(self) -> None:
        """Enter; there is nothing to do."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception):
            failed(self._home, self._area, reason_of(error))


def reason_of(error: BaseException) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, AnamnesisError):
        return error.message
    return f"{type(error).__name__}: {error}"


def worked(home: Home, area: str) -> None:
    """Forget that an area was failing."""
    try:
        os.unlink(_state_path(home, area))
    except OSError:
        return


def failing(home: Home) -> list[Failing]:
    """The areas whose last run failed; a system call each when all is well."""
    states = (_read(home, area) for area in AREAS)
    return [state for state in states if state is not None]


def _state_path(home: Home, area: str) -> str:
    return home.log(f"{area}.failing")


def _read(home: Home, area: str) -> Failing | None:
    try:
        with open(_state_path(home, area), encoding="utf-8") as file:
            state = quickjson.loads(file.read())
        return Failing(area, str(state["since"]), str(state["reason"]), int(state["times"]))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        return Failing(area, "an unknown time", "its log is damaged", 1)


_TAIL_BYTES = 128 * 1024  # what a hook reads: hundreds of lines, in a millisecond


def append_line(path: str, entry: Mapping[str, Any], *, limit: int) -> None:
    """Append one line; several processes may do so at once."""
    line = quickjson.dumps(entry, compact=True)
    try:
        atomic.make_directory(os.path.dirname(path))
        # One write in append mode is not torn apart by other writers.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
            full = os.fstat(descriptor).st_size > limit
        finally:
            os.close(descriptor)
        if full:
            os.replace(path, _older_half(path))
    except (OSError, NotWritable):
        return


def _older_half(path: str) -> str:
    """The file that holds the older half."""
    return f"{path}.1"


def latest_lines(
    path: str, *, containing: str = "", whole: bool = False
) -> Iterator[dict[str, Any]]:
    """The lines of a journal, newest first; only recent ones unless the whole is asked for."""
    needle = quickjson.dumps(containing)[1:-1].encode() if containing else b""
    for file in (path, _older_half(path)):
        for line in reversed(_tail(file, whole=whole).splitlines()):
            if needle in line and (entry := _parsed(line)) is not None:
                yield entry


def _tail(path: str, *, whole: bool) -> bytes:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0 if whole else max(0, size - _TAIL_BYTES))
            return file.read()
    except OSError:
        return b""


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):  # the first line of a tail is usually half of one
        return None
    try:
        entry = quickjson.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def note_exchange(home: Home, *, worked: bool, changed: Iterable[str] = ()) -> None:
    """Record the end of a sync; `changed` are files relative to the store's root."""
    now = time.time()
    ids = [path.rpartition("/")[2][:-3] for path in changed if path.endswith(".md")]
    kept = [each for each in last_exchange(home).arrived if now - each[0] < _REMEMBERED_SECONDS]
    arrived = [*kept, *((now, id) for id in ids)][-_MOST_REMEMBERED:]
    content = {"at": now, "worked": worked, "arrived": arrived}
    try:
        home.state_file(_EXCHANGE).write(content)
    except (NotWritable, OSError, UnicodeError):
        return  # the notes are there; only the hint is lost


def last_exchange(home: Home) -> Exchange:
    """The last sync; an empty record if there was none or its file is damaged."""
    content = home.state_file(_EXCHANGE).read()
    try:
        arrived = tuple((float(at), str(id)) for at, id in content["arrived"])
        return Exchange(float(content["at"]), bool(content["worked"]), arrived)
    except (ValueError, KeyError, TypeError):
        return Exchange()
