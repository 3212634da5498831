"""Gemini CLI: a chat as lines of messages and `$set` updates, or as one document before that."""

from __future__ import annotations

import re

from anamnesis.capture.lines import mapping, mappings
from anamnesis.capture.story import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.session import SessionDraft

AGENT = "gemini"
_EDIT_TOOLS = ("write_file", "replace", "edit")
_FAILED = re.compile(r"^Exit Code: [1-9]", re.MULTILINE)
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


def take(entry: dict[str, Any], draft: SessionDraft) -> None:
    """Read one line."""
    draft.identify(session_id=entry.get("sessionId"))
    if "startTime" in entry:
        draft.start(entry["startTime"])
    for message in mappings(mapping(entry.get("$set")).get("messages")):
        _take_message(message, draft)
    if entry.get("type") in _SPEAKERS:
        _take_message(entry, draft)


def take_document(whole: dict[str, Any], draft: SessionDraft) -> None:
    """Read a whole chat."""
    draft.identify(session_id=whole.get("sessionId"))
    draft.start(whole.get("startTime"))
    for message in mappings(whole.get("messages")):
        _take_message(message, draft)


def _take_message(message: dict[str, Any], draft: SessionDraft) -> None:
    draft.see_time(message.get("timestamp"))
    if message.get("type") == "gemini":
        draft.answer(_text(message.get("content")))
        for call in mappings(message.get("toolCalls")):
            _take_call(call, draft)
            if call.get("name") in _EDIT_TOOLS and call.get("status") == "success":
                draft.edit(mapping(call.get("args")).get("file_path"), call=call.get("id"))
    elif message.get("type") == "user":
        draft.ask(_text(message.get("content")))


def _take_call(call: dict[str, Any], draft: SessionDraft) -> None:
    story, given = draft.story, mapping(call.get("args"))
    draft.add_call(call.get("name"), given, call=call.get("id"))
    if call.get("name") == "run_shell_command":
        story.start_call(RUN, given.get("command"), call=call.get("id"))
    outputs = [
        mapping(mapping(each.get("functionResponse")).get("response")).get("output")
        for each in mappings(call.get("result"))
    ]
    output = "\n".join(each for each in outputs if isinstance(each, str))
    failed = call.get("status") != "success" or _FAILED.search(output) is not None
    output = _LABEL.sub("", output)
    draft.finish_call(call.get("id"), output, failed=failed)
    if call.get("name") == "write_todos":
        todos = mappings(given.get("todos"))
        story.replace_todos([(each.get("description"), each.get("status")) for each in todos])


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in mappings(content))
    return "\n".join(text for text in texts if isinstance(text, str))
