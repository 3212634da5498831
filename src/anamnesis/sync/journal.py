"""What this machine remembers between two syncs: under .git, so that it never travels."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.ground import atomic

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Landing:
    """A result that is being written to the working tree; finished by whoever finds it."""

    before: str | None  # the commit that the files stood on
    after: str
    main: str | None  # where the branch was


@dataclass(frozen=True, slots=True)
class Remembered:
    """How the last syncs went, and which files are left out of the working tree on purpose."""

    last_success: str | None = None
    last_error: str | None = None
    offline_since: str | None = None  # the first of the syncs in a row that got no answer
    offline_reason: str | None = None
    absent: dict[str, str] = field(default_factory=dict)  # path -> reason


_FIELDS = ("last_success", "last_error", "offline_since", "offline_reason", "absent")


def load(own: str) -> Remembered:
    """What was remembered; nothing if the file is missing or broken."""
    found = _read(os.path.join(own, "state.json"))
    absent = found.get("absent")
    error = _text(found.get("last_error")) or ""
    # 1.0.0 kept being offline among the errors.
    since, was_offline, reason = error.partition(": offline: ")
    return Remembered(
        last_success=_text(found.get("last_success")),
        last_error=None if was_offline else error or None,
        offline_since=_text(found.get("offline_since")) or (since if was_offline else None),
        offline_reason=_text(found.get("offline_reason")) or reason or None,
        absent=absent if isinstance(absent, dict) else {},
    )


def save(own: str, remembered: Remembered) -> None:
    """Remember, if that is news."""
    if load(own) == remembered:
        return
    fields = {name: getattr(remembered, name) for name in _FIELDS}
    _write(os.path.join(own, "state.json"), fields)


def begin(own: str, landing: Landing) -> None:
    """Note what is about to be written to the working tree."""
    fields = {"before": landing.before, "after": landing.after, "main": landing.main}
    _write(os.path.join(own, "landing.json"), fields)


def unfinished(own: str) -> Landing | None:
    """A result that a killed sync left half written."""
    found = _read(os.path.join(own, "landing.json"))
    after = _text(found.get("after"))
    if after is None:
        return None
    return Landing(_text(found.get("before")), after, _text(found.get("main")))


def finish(own: str) -> None:
    """The working tree has it all."""
    atomic.remove(os.path.join(own, "landing.json"))


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: str, fields: dict[str, Any]) -> None:
    atomic.write_text(path, json.dumps(fields, ensure_ascii=False, indent=1))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
