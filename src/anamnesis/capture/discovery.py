"""Where agents keep their transcripts, and which have not been captured."""

from __future__ import annotations

import glob
import os
import re

from anamnesis.capture import ledger
from anamnesis.capture.lines import PACKED, beginning, can_unpack
from anamnesis.ground.records import record
from anamnesis.hooks import runs, switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home

# `~` is the user's home; a variable may move the agent's folder.
_PLACES = (
    ("CLAUDE_CONFIG_DIR", "~/.claude", "projects/*/*.jsonl"),
    ("CODEX_HOME", "~/.codex", "sessions/*/*/*/rollout-*.jsonl"),
    ("CODEX_HOME", "~/.codex", f"sessions/*/*/*/rollout-*.jsonl{PACKED}"),
    ("", "~/.gemini", "tmp/*/chats/*.json*"),
    ("COPILOT_HOME", "~/.copilot", "session-state/*/events.jsonl"),
)

LOOK_BACK_SECONDS = 7 * 24 * 3600.0
_STILL_RUNNING_SECONDS = 60.0  # still being written; its own hooks will capture it
_HEAD_BYTES = 64 * 1024
_ID = re.compile(rb'"(?:sessionId|session_id|id)": ?"([\w-]{8,64})"')
_BEGUN = re.compile(rb'"(?:timestamp|startTime)": ?"([0-9T:.Z+-]{19,40})"')

_NAMED_BY_SESSION = ("projects/*/*.jsonl", "session-state/*/events.jsonl")


@record
class FoundTranscript:
    """A transcript on disk."""

    path: str
    session: str  # judging by its name
    mtime: float


def transcripts(*, since: float = 0.0) -> list[FoundTranscript]:
    """Every transcript of a session changed after `since`, newest first."""
    changed = [each for each in _all() if each.mtime > since]
    if any(map(_is_packed, changed)) and not can_unpack():
        changed = [each for each in changed if not _is_packed(each)]
    return sorted(changed, key=lambda each: each.mtime, reverse=True)


def unreadable(home: Home) -> int:
    """How many sessions cannot be captured because nothing here unpacks them."""
    packed = [each for each in _all() if _is_packed(each) and _is_news(home, each)]
    return 0 if can_unpack() else len(packed)


def uncaptured(home: Home, *, since: float) -> list[FoundTranscript]:
    """The transcripts that changed after they were last captured, or never were."""
    return [each for each in transcripts(since=since) if _is_news(home, each)]


def ended(home: Home, *, since: float, now: float) -> list[FoundTranscript]:
    """The uncaptured transcripts of the last week that changed after `since` and have ended."""
    news = uncaptured(home, since=max(since, now - LOOK_BACK_SECONDS))
    return [each for each in news if now - each.mtime > _STILL_RUNNING_SECONDS]


def count_without_hooks(home: Home, *, now: float) -> int:
    """How many sessions of the last week began and ended without a hook and were not captured."""
    since = _set_up(home)
    return len(without_hooks(home, ended(home, since=since, now=now))) if since else 0


def without_hooks(home: Home, candidates: list[FoundTranscript]) -> list[FoundTranscript]:
    """The transcripts of sessions that began after the set-up and in which no hook ran.

    Their hooks were switched off; they are captured only on request.
    """
    set_up, seen = _set_up(home), runs.sessions_seen(home)
    if not set_up:
        return []
    if runs.is_rotated(home):  # older sessions left no trace to look up
        times = [str(run.get("at")) for run in runs.latest_runs(home)]
        set_up = max(set_up, _seconds(min(times, default="")))
    return [each for each in candidates if not _ran_hooks(home, each, seen, set_up)]


def _set_up(home: Home) -> float:
    """The start of the sweep for sessions without a hook; 0 if there is none."""
    try:
        return os.stat(switches.sweep_marker(home)).st_mtime
    except OSError:
        return 0.0


def _ran_hooks(home: Home, transcript: FoundTranscript, seen: set[str], set_up: float) -> bool:
    if transcript.session in seen or ledger.read(home, transcript.session) is not None:
        return True
    head = beginning(transcript.path, _HEAD_BYTES)
    begun = _BEGUN.search(head)
    if begun is not None and 0 < _seconds(begun[1].decode()) < set_up:
        return True
    return any(identity.decode() in seen for identity in _ID.findall(head)[:20])


def _seconds(timestamp: str) -> float:
    from datetime import UTC, datetime

    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        return 0.0
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def transcript_of(session: str) -> str:
    """The path of a session's transcript, for hooks that do not give it; empty if unknown."""
    name = glob.escape(os.path.basename(session))
    for root, pattern in _places():
        if pattern.endswith(_NAMED_BY_SESSION) and name:
            own = pattern.replace("*/events", f"{name}/events").replace(
                "/*.jsonl", f"/{name}.jsonl"
            )
            for path in glob.iglob(os.path.join(root, own)):
                return path
    return ""


def _is_news(home: Home, transcript: FoundTranscript) -> bool:
    entry = ledger.read(home, transcript.session)
    if entry is None:
        return True
    if transcript.path == entry.transcript + PACKED:  # packed since, perhaps after it went on
        return transcript.mtime > entry.mtime_ns / 1e9
    return not entry.is_current()


def _is_packed(transcript: FoundTranscript) -> bool:
    return transcript.path.endswith(PACKED)


def _all() -> Iterator[FoundTranscript]:
    for root, pattern in _places():
        for path in glob.iglob(os.path.join(root, pattern)):
            name = os.path.basename(path)
            if name.startswith("agent-"):  # subagents, as older clients stored them
                continue
            if name.endswith(PACKED) and os.path.exists(path.removesuffix(PACKED)):
                continue  # about to be packed, or taken up again
            try:
                yield FoundTranscript(path, _session_of(path, name), os.stat(path).st_mtime)
            except OSError:
                continue


def _places() -> Iterator[tuple[str, str]]:
    for variable, usual, pattern in _PLACES:
        yield glob.escape(os.path.expanduser(os.environ.get(variable) or usual)), pattern


def _session_of(path: str, name: str) -> str:
    stem = os.path.splitext(name.removesuffix(PACKED))[0]
    if stem == "events":
        return os.path.basename(os.path.dirname(path))
    return stem[-36:] if stem.startswith("rollout-") else stem
