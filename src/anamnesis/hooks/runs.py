"""One line per hook run, and since when an area has been failing."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager

from anamnesis.ground import atomic, clock
from anamnesis.ground.errors import AnamnesisError, NotWritable
from anamnesis.ground.records import record
from anamnesis.hooks import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from anamnesis.ground.home import Home

_RUNS_LIMIT = 256 * 1024  # about 2,000 runs in each half
_REASON_LENGTH = 300
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
        """What a person is told."""
        return f"{self.area} has been failing since {self.since} ({self.reason})"


def note_run(home: Home, hook: str, *, did: str, session: str = "", failed: bool = False) -> None:
    """Leave one line about a run of a hook."""
    entry = {"at": clock.utcnow(), "hook": hook, "ok": not failed, "did": did[:_REASON_LENGTH]}
    if session:
        entry["session"] = session
    journal.append(home.log("hooks.jsonl"), entry, limit=_RUNS_LIMIT)


def latest_runs(home: Home) -> Iterator[dict[str, Any]]:
    """What the hooks did, newest first."""
    return journal.latest(home.log("hooks.jsonl"), whole=True)


def failed(home: Home, area: str, reason: str) -> None:
    """Remember that an area fails, and since when."""
    before = _read(home, area)
    now = clock.utcnow()
    state = {
        "since": before.since if before else now,
        "last": now,
        "reason": " ".join(reason.split())[:_REASON_LENGTH],
        "times": before.times + 1 if before else 1,
    }
    try:
        atomic.write_text(_state_path(home, area), json.dumps(state, ensure_ascii=False))
    except (NotWritable, OSError, UnicodeError):
        return  # a store that cannot be written shows that by itself


@contextmanager
def watched(home: Home, area: str) -> Iterator[None]:
    """Remember a failure where the next session is told of it: nobody sees a background run."""
    try:
        yield
    except Exception as error:
        failed(home, area, reason_of(error))
        raise


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
            state = json.load(file)
        return Failing(area, str(state["since"]), str(state["reason"]), int(state["times"]))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        return Failing(area, "an unknown time", "its log is damaged", 1)
