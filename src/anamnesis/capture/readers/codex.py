"""Codex CLI: `rollout-*.jsonl`, envelopes of `type` and `payload`."""

from __future__ import annotations

import json
import os
import re

from anamnesis.capture.lines import mapping, mappings, text_of
from anamnesis.capture.story import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.session import SessionDraft

AGENT = "codex"
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_WANTED = re.compile(rb'"(?:session_meta|response_item|item_completed|patch_apply_end|compacted)"')
_NOT_ASKED = re.compile(
    r"<(?:environment_context|user_instructions|turn_aborted|skill|subagent|permissions )"
    r"|# AGENTS\.md instructions"
)
_SHELLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
_WEB_SEARCH = "web_search_call"
_EXIT_CODE = re.compile(r"(?:exited with code|Exit code:) (-?\d{1,10})")
_OUTPUT = re.compile(r"\A(?:[A-Z][^\n:]{0,40}: ?[^\n]*\n|Process exited[^\n]*\n){1,8}Output:\n")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.{1,500})$", re.MULTILINE)


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line is a Codex envelope."""
    return entry.get("type") in _ENVELOPES and isinstance(entry.get("payload"), dict)


def is_wanted(line: bytes) -> bool:
    """Whether a line may say something about the session."""
    return _WANTED.search(line) is not None


def take(entry: dict[str, Any], draft: SessionDraft) -> None:
    """Read one line."""
    payload = mapping(entry.get("payload"))
    draft.see_time(entry.get("timestamp"))
    if entry.get("type") == "session_meta":
        branch = mapping(payload.get("git")).get("branch")
        session_id = payload.get("id") or payload.get("session_id")
        draft.identify(session_id=session_id, cwd=payload.get("cwd"), branch=branch)
        draft.story.is_interactive = payload.get("source") != "exec"
    elif entry.get("type") == "compacted":
        draft.summarise(text_of(payload.get("message")))
    elif payload.get("type") == "message":
        _take_message(payload, draft)
    elif payload.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
        _take_call(payload, draft)
    elif payload.get("type") in ("function_call_output", "custom_tool_call_output"):
        _take_output(payload, draft)
    elif payload.get("type") == _WEB_SEARCH:  # what it found is not in the transcript
        draft.foreign.call(_WEB_SEARCH, {}, call=payload.get("id"), at=draft.story.at)
    elif payload.get("type") == "item_completed":
        _take_changes(mapping(payload.get("item")), draft)
    elif payload.get("type") == "patch_apply_end" and payload.get("success") is True:
        for path in mapping(payload.get("changes")):
            draft.edit(path, call=payload.get("call_id"))


def _take_message(payload: dict[str, Any], draft: SessionDraft) -> None:
    text = text_of(payload.get("content"), kinds=("input_text", "output_text", "text"))
    if payload.get("role") == "assistant":
        draft.answer(text)
    elif payload.get("role") == "user" and not _NOT_ASKED.match(text.lstrip()):
        draft.ask(text)


def _take_changes(item: dict[str, Any], draft: SessionDraft) -> None:
    if item.get("type") == "FileChange" and item.get("status") == "completed":
        for path in mapping(item.get("changes")):
            draft.edit(path, call=item.get("id"))


def _take_call(payload: dict[str, Any], draft: SessionDraft) -> None:
    name, call = payload.get("name"), payload.get("call_id")
    given = _arguments(payload.get("arguments") or payload.get("action"))
    draft.add_call(name, given or {"input": payload.get("input")}, call=call)
    if name == "update_plan":
        plan = mappings(given.get("plan"))
        draft.story.replace_todos([(step.get("step"), step.get("status")) for step in plan])
        return
    command = given.get("command") or given.get("cmd") or payload.get("input")
    if isinstance(command, list):
        command = str(command[-1]) if command else ""
    if not isinstance(command, str):
        return
    for path in _PATCHED.findall(command):
        draft.edit(os.path.join(draft.cwd, path.strip()), call=call)
    if name in _SHELLS and "*** Begin Patch" not in command:
        draft.story.start_call(RUN, command, call=call)


def _take_output(payload: dict[str, Any], draft: SessionDraft) -> None:
    output = payload.get("output")
    whole = _arguments(output)
    text = str(whole.get("output") or "") if whole else text_of(output)
    code = mapping(whole.get("metadata")).get("exit_code")
    if code is None and (found := _EXIT_CODE.search(text[:500])):
        code = int(found[1])
    failed = code not in (None, 0)
    if failed:
        draft.refuse(payload.get("call_id"))
    draft.finish_call(payload.get("call_id"), _OUTPUT.sub("", text), failed=failed)


def _arguments(value: object) -> dict[str, Any]:
    """What a call was given: an object, or the text of one."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return mapping(json.loads(value))
        except (ValueError, RecursionError):
            return {}
    return mapping(value)
