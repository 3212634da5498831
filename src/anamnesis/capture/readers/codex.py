"""Codex CLI: `rollout-*.jsonl`, envelopes of `type` and `payload`."""

from __future__ import annotations

import json
import re

from anamnesis.archive import turns
from anamnesis.capture.lines import mapping, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from anamnesis.capture.recorder import Recorder

AGENT = "codex"
_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_WANTED = re.compile(rb'"(?:session_meta|response_item|item_completed|patch_apply_end|compacted)"')
_NOT_ASKED = re.compile(
    r"<(?:environment_context|user_instructions|turn_aborted|skill|subagent|permissions )"
    r"|# AGENTS\.md instructions"
)
_WEB_SEARCH = "web_search_call"
_EXIT_CODE = re.compile(r"(?:exited with code|[Ee]xit code:) (-?\d{1,10})")
_OUTPUT = re.compile(
    r"\A(?:[A-Z][^\n:]{0,40}: ?[^\n]*\n|(?:Process|Script|Wall time) [^\n]*\n){1,8}Output:\n\n?"
)
_SANDBOX = re.compile(r"\A[^\n]{0,60}failed in sandbox [^\n]{0,200}?stdout: ?\n?")
_ABORTED = re.compile(r"\Aaborted by user\b")
_FAILED = "Script failed"
_TEXTS = ("input_text", "output_text", "text")
# A tool that runs scripts, which call the other tools: the commands are in its input.
_NESTED = re.compile(r"\btools\.(\w{1,80})\(")
_COMMAND = re.compile(r"[\"']?\bcmd[\"']?\s*:\s*(?=[\"'`])")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`", re.DOTALL)
# A command that still runs; later calls that ask for more of its output name this number.
_RUNNING = re.compile(r"(?:Script running with cell|Process running with session) ID (\w+)")


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line is a Codex envelope."""
    return entry.get("type") in _ENVELOPES and isinstance(entry.get("payload"), dict)


def is_wanted(line: bytes) -> bool:
    """Whether a line may say something about the session."""
    return _WANTED.search(line) is not None


def take(entry: dict[str, Any], recorder: Recorder) -> None:
    """Read one line."""
    payload = mapping(entry.get("payload"))
    recorder.see_time(entry.get("timestamp"))
    if entry.get("type") == "session_meta":
        branch = mapping(payload.get("git")).get("branch")
        session_id = payload.get("id") or payload.get("session_id")
        recorder.identify(session_id=session_id, cwd=payload.get("cwd"), branch=branch)
        recorder.is_interactive = payload.get("source") != "exec"
    elif entry.get("type") == "compacted":
        recorder.say(turns.CLIENT, text_of(payload.get("message")))
    elif payload.get("type") == "message":
        _take_message(payload, recorder)
    elif payload.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
        _take_call(payload, recorder)
    elif payload.get("type") in ("function_call_output", "custom_tool_call_output"):
        _take_output(payload, recorder)
    elif payload.get("type") == _WEB_SEARCH:  # what it found is not in the transcript
        recorder.foreign.call(_WEB_SEARCH, {}, call=payload.get("id"), at=recorder.at)
    elif payload.get("type") == "item_completed":
        _take_changes(mapping(payload.get("item")), recorder)
    elif payload.get("type") == "patch_apply_end" and payload.get("success") is True:
        for path in mapping(payload.get("changes")):
            recorder.edit(path, call=payload.get("call_id"))


def _take_message(payload: dict[str, Any], recorder: Recorder) -> None:
    text = text_of(payload.get("content"), kinds=_TEXTS)
    if payload.get("role") == "assistant":
        recorder.say(turns.AGENT, text)
    elif payload.get("role") == "user" and not _NOT_ASKED.match(text.lstrip()):
        recorder.ask(text)


def _take_changes(item: dict[str, Any], recorder: Recorder) -> None:
    if item.get("type") == "FileChange" and item.get("status") == "completed":
        for path in mapping(item.get("changes")):
            recorder.edit(path, call=item.get("id"))


def _take_call(payload: dict[str, Any], recorder: Recorder) -> None:
    given = _arguments(payload.get("arguments") or payload.get("action"))
    call, script = payload.get("call_id"), payload.get("input")
    tool = payload.get("name") or str(payload.get("type")).removesuffix("_call")
    asked = str(given.get("cell_id") or given.get("session_id") or "")
    if not given.get("chars") and recorder.asks_again(asked, call=call):
        return
    if isinstance(script, str) and (nested := _NESTED.findall(script)):
        for name in nested:
            recorder.foreign.call(name, {}, call=call, at=recorder.at)
        if commands := list(_commands(script)):
            given, tool = {"cmd": "\n".join(commands)}, "exec_command"
    recorder.call(tool, given or {"input": script}, call=call)


def _commands(script: str) -> Iterator[str]:
    """The commands that a script runs."""
    for found in _COMMAND.finditer(script):
        try:
            command, _ = json.JSONDecoder().raw_decode(script, found.end())
        except (ValueError, RecursionError):
            quoted = _QUOTED.match(script, found.end())
            command = (quoted[1] or quoted[2]) if quoted else ""
        if isinstance(command, str) and command:
            yield command


def _take_output(payload: dict[str, Any], recorder: Recorder) -> None:
    output = payload.get("output")
    whole = _arguments(output)
    text = str(whole.get("output") or "") if whole else text_of(output, kinds=_TEXTS)
    code = mapping(whole.get("metadata")).get("exit_code")
    if code is None and (found := _EXIT_CODE.search(text[:500])):
        code = int(found[1])
    running = _RUNNING.search(text[:500])
    failed = code not in (None, 0) or text.startswith(_FAILED)
    recorder.result(
        payload.get("call_id"),
        _SANDBOX.sub("", _OUTPUT.sub("", text)),
        failed=failed,
        refused=_ABORTED.match(text) is not None,
        exit=code,
        goes_on_as=running[1] if running else "",
    )


def _arguments(value: object) -> dict[str, Any]:
    """What a call was given: an object, or the text of one."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return mapping(json.loads(value))
        except (ValueError, RecursionError):
            return {}
    return mapping(value)
