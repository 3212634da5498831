"""Which notes are in Claude Code's own memory here, so that it does not get them twice."""

from __future__ import annotations

import json

from anamnesis.config import Home  # noqa: TC001  a hook does without typing
from anamnesis.ground import atomic

_STATE = "native-notes.json"


def by_file(home: Home) -> dict[str, str]:
    """The id of the note that each topic file of this machine is."""
    return _stored(home).get("files", {})


def with_client(home: Home) -> set[str]:
    """The ids of notes that say what a topic file of this machine says."""
    kept = _stored(home)
    return {*kept.get("files", {}).values()} - {*kept.get("edited", {})}


def remember(home: Home, files: dict[str, str], *, edited: list[str]) -> None:
    """Keep both for the next session. Raises NotWritable."""
    kept = {"files": files, "edited": dict.fromkeys(edited, "")}
    atomic.write_text(home.state(_STATE), json.dumps(kept))


def _stored(home: Home) -> dict[str, dict[str, str]]:
    try:
        with open(home.state(_STATE), encoding="utf-8") as stream:
            kept = json.load(stream)
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
