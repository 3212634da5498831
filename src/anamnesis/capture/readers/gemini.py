"""Gemini CLI: a chat as lines of messages and `$set` updates, or as one document before that."""

from __future__ import annotations

import re

from anamnesis.archive import turns
from anamnesis.capture.lines import mapping, mappings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.recorder import Recorder

AGENT = "gemini"
_EXIT_CODE = re.compile(r"^Exit Code: (\d{1,10})", re.MULTILINE)
_LABEL = re.compile(r"^Output: ", re.MULTILINE)
_SPEAKERS = ("user", "gemini")


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line opens or updates a Gemini chat."""
    return "$set" in entry or ("projectHash" in entry and "messages" not in entry)


def is_document(whole: dict[str, Any]) -> bool:
    """Whether a file is a whole Gemini chat."""
    return "projectHash" in whole and isinstance(whole.get("messages"), list)


def is_wanted(line: bytes) -> bool:
    """Whether a line may say something about the session."""
    return b'"$set"' not in line or b'"messages"' in line


def take(entry: dict[str, Any], recorder: Recorder) -> None:
    """Read one line."""
    recorder.identify(session_id=entry.get("sessionId"))
    if "startTime" in entry:
        recorder.start(entry["startTime"])
    for message in mappings(mapping(entry.get("$set")).get("messages")):
        _take_message(message, recorder)
    if entry.get("type") in _SPEAKERS:
        _take_message(entry, recorder)


def take_document(whole: dict[str, Any], recorder: Recorder) -> None:
    """Read a whole chat."""
    recorder.identify(session_id=whole.get("sessionId"))
    recorder.start(whole.get("startTime"))
    for message in mappings(whole.get("messages")):
        _take_message(message, recorder)


def _take_message(message: dict[str, Any], recorder: Recorder) -> None:
    recorder.see_time(message.get("timestamp"))
    if message.get("type") == "gemini":
        recorder.say(turns.AGENT, _text(message.get("content")))
        for call in mappings(message.get("toolCalls")):
            _take_call(call, recorder)
    elif message.get("type") == "user":
        recorder.ask(_text(message.get("content")))


def _take_call(call: dict[str, Any], recorder: Recorder) -> None:
    recorder.call(call.get("name"), mapping(call.get("args")), call=call.get("id"))
    outputs = [
        mapping(mapping(each.get("functionResponse")).get("response")).get("output")
        for each in mappings(call.get("result"))
    ]
    output = "\n".join(each for each in outputs if isinstance(each, str))
    codes = [int(code) for code in _EXIT_CODE.findall(output)]
    status = next(filter(None, codes), codes[-1] if codes else None)
    failed = call.get("status") != "success" or bool(status)
    recorder.result(call.get("id"), _LABEL.sub("", output), failed=failed, exit=status)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in mappings(content))
    return "\n".join(text for text in texts if isinstance(text, str))
