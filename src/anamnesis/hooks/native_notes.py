"""Which notes are in Claude Code's own memory here, so that it does not get them twice."""

from __future__ import annotations

from anamnesis.config import Home  # noqa: TC001  a hook does without typing

_STATE = "native-notes.json"


def by_file(home: Home) -> dict[str, str]:
    """The id of the note that each topic file of this machine is."""
    return _stored(home).get("files", {})


def with_client(home: Home) -> set[str]:
    """The ids of notes that say what a topic file of this machine says."""
    stored = _stored(home)
    return {*stored.get("files", {}).values()} - {*stored.get("edited", {})}


def remember(home: Home, files: dict[str, str], *, edited: list[str]) -> None:
    """Keep the ids by file, and those edited since, for the next session. Raises NotWritable."""
    content = {"files": files, "edited": dict.fromkeys(edited, "")}
    home.state_file(_STATE).write(content)


def _stored(home: Home) -> dict[str, dict[str, str]]:
    return home.state_file(_STATE).record()
