"""Where the agents keep their transcripts, and which of them have not been captured."""

from __future__ import annotations

import glob
import os

from anamnesis.capture import ledger
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.ground.home import Home

# `~` is the person's home; a variable may move the agent's folder.
_PLACES = (
    ("CLAUDE_CONFIG_DIR", "~/.claude", "projects/*/*.jsonl"),
    ("CODEX_HOME", "~/.codex", "sessions/*/*/*/rollout-*.jsonl"),
    ("", "~/.gemini", "tmp/*/chats/*.json*"),
    ("COPILOT_HOME", "~/.copilot", "session-state/*/events.jsonl"),
)

_NAMED_BY_SESSION = ("projects/*/*.jsonl", "session-state/*/events.jsonl")


@record
class Found:
    """A transcript on disk."""

    path: str
    session: str  # as far as its name tells
    mtime: float


def transcripts(*, since: float = 0.0) -> list[Found]:
    """Every transcript of a session changed after `since`, newest first."""
    found = [each for each in _all() if each.mtime > since]
    return sorted(found, key=lambda each: each.mtime, reverse=True)


def uncaptured(home: Home, *, since: float) -> list[Found]:
    """The transcripts that changed after they were last captured, or never were."""
    return [each for each in transcripts(since=since) if _is_news(home, each)]


def transcript_of(session: str) -> str:
    """Where a session's transcript is, for hooks that do not say; empty if nobody knows."""
    name = glob.escape(os.path.basename(session))
    for root, pattern in _places():
        if pattern.endswith(_NAMED_BY_SESSION) and name:
            own = pattern.replace("*/events", f"{name}/events").replace(
                "/*.jsonl", f"/{name}.jsonl"
            )
            for path in glob.iglob(os.path.join(root, own)):
                return path
    return ""


def _is_news(home: Home, found: Found) -> bool:
    known = ledger.read(home, found.session)
    return known is None or not known.is_current()


def _all() -> Iterator[Found]:
    for root, pattern in _places():
        for path in glob.iglob(os.path.join(root, pattern)):
            name = os.path.basename(path)
            if name.startswith("agent-"):  # subagents, as older clients kept them
                continue
            try:
                yield Found(path, _session_of(path, name), os.stat(path).st_mtime)
            except OSError:
                continue


def _places() -> Iterator[tuple[str, str]]:
    for variable, usual, pattern in _PLACES:
        yield glob.escape(os.path.expanduser(os.environ.get(variable) or usual)), pattern


def _session_of(path: str, name: str) -> str:
    stem = os.path.splitext(name)[0]
    if stem == "events":
        return os.path.basename(os.path.dirname(path))
    return stem[-36:] if stem.startswith("rollout-") else stem
