"""Codex CLI: `rollout-*.jsonl`, envelopes of `type` and `payload`."""

from __future__ import annotations

import re

from anamnesis.capture.readers.shared import mapping, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.session import Draft

AGENT = "codex"
_ENVELOPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_WANTED = re.compile(rb'"(?:session_meta|response_item|item_completed|patch_apply_end|compacted)"')
_NOT_ASKED = re.compile(r"<(?:environment_context|user_instructions|turn_aborted|skill|subagent)")


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line is a Codex envelope."""
    return entry.get("type") in _ENVELOPES and isinstance(entry.get("payload"), dict)


def is_wanted(line: bytes) -> bool:
    """Whether a line may say something about the session."""
    return _WANTED.search(line) is not None


def take(entry: dict[str, Any], draft: Draft) -> None:
    """Take one line."""
    payload = mapping(entry.get("payload"))
    draft.saw(entry.get("timestamp"))
    if entry.get("type") == "session_meta":
        branch = mapping(payload.get("git")).get("branch")
        session_id = payload.get("id") or payload.get("session_id")
        draft.identify(session_id=session_id, cwd=payload.get("cwd"), branch=branch)
    elif entry.get("type") == "compacted":
        draft.summarise(text_of(payload.get("message")))
    elif payload.get("type") == "message":
        _take_message(payload, draft)
    elif payload.get("type") == "item_completed":
        _take_changes(mapping(payload.get("item")), draft)
    elif payload.get("type") == "patch_apply_end" and payload.get("success") is True:
        for path in mapping(payload.get("changes")):
            draft.edit(path, call=payload.get("call_id"))


def _take_message(payload: dict[str, Any], draft: Draft) -> None:
    text = text_of(payload.get("content"), kinds=("input_text", "output_text", "text"))
    if payload.get("role") == "assistant":
        draft.answer(text)
    elif payload.get("role") == "user" and not _NOT_ASKED.match(text.lstrip()):
        draft.ask(text)


def _take_changes(item: dict[str, Any], draft: Draft) -> None:
    if item.get("type") == "FileChange" and item.get("status") == "completed":
        for path in mapping(item.get("changes")):
            draft.edit(path, call=item.get("id"))
