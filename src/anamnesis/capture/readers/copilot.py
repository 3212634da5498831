"""Copilot CLI: `events.jsonl`, events of a dotted `type` and their `data`."""

from __future__ import annotations

import re

from anamnesis.archive import turns
from anamnesis.capture.lines import mapping, mappings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.recorder import Recorder

AGENT = "copilot"
_EVENTS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.")
_LEFT = "user_exit"  # an interactive session; a run that a script started ends as "complete"
_FAILED = re.compile(r"exit(?:ed with)? code:? ([1-9]\d{0,9})", re.IGNORECASE)
_WANTED = re.compile(
    rb'"type": ?"(?:session\.start|user\.message|assistant\.message'
    rb'|tool\.execution_(?:start|complete))"|"hookType": ?"sessionEnd"'
)


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line is a Copilot event."""
    kind = entry.get("type")
    return (
        isinstance(kind, str) and kind.startswith(_EVENTS) and isinstance(entry.get("data"), dict)
    )


def is_wanted(line: bytes) -> bool:
    """Whether a line may say something about the session."""
    return _WANTED.search(line) is not None


def take(entry: dict[str, Any], recorder: Recorder) -> None:
    """Read one event."""
    kind, data = entry.get("type"), mapping(entry.get("data"))
    recorder.see_time(entry.get("timestamp"))
    if kind == "session.start":
        place = mapping(data.get("context"))
        session_id, branch = data.get("sessionId"), place.get("branch")
        recorder.identify(session_id=session_id, cwd=place.get("cwd"), branch=branch)
        recorder.start(data.get("startTime"))
    elif kind == "user.message":
        recorder.ask(str(data.get("content") or ""))  # `transformedContent` holds what hooks added
    elif kind == "assistant.message":
        recorder.say(turns.AGENT, str(data.get("content") or ""))
    elif kind == "tool.execution_start":
        arguments = mapping(data.get("arguments"))
        recorder.call(data.get("toolName"), arguments, call=data.get("toolCallId"))
    elif kind == "tool.execution_complete":
        _take_result(data, recorder)
    elif kind == "hook.start" and mapping(data.get("input")).get("reason") == _LEFT:
        recorder.is_interactive = True


def _take_result(data: dict[str, Any], recorder: Recorder) -> None:
    output = mapping(data.get("result")).get("content")
    text = output if isinstance(output, str) else ""
    status = int(found[1]) if (found := _FAILED.search(text)) else None
    failed = data.get("success") is not True or status is not None
    recorder.result(data.get("toolCallId"), text, failed=failed, exit=status)
    if data.get("success") is True:
        for change in mappings(data.get("fileEdits")):
            recorder.edit(change.get("path"), call=data.get("toolCallId"))
