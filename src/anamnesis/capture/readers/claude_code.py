"""Claude Code: one JSON object per line, of which two to five per cent are the conversation.

The other lines hold system prompts, request logs and the memory that we injected ourselves, so a
line is taken by its own `type`, never by the role of a message inside it.
"""

from __future__ import annotations

import re

from anamnesis.archive import turns
from anamnesis.capture.lines import mapping, mappings, text_of, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.archive.turns import Turn
    from anamnesis.capture.recorder import Recorder


AGENT = "claude-code"

_LINE = re.compile(
    rb'"type": ?"(?:user|assistant|ai-title|custom-title)"|"queued_command"|"away_summary"'
)
_STARTED = re.compile(rb'"type": ?"queue-operation"')
_RESULT = re.compile(rb'"tool_use_id": ?"([^"]{1,100})"')
_FAILED = re.compile(rb'"is_error": ?true')
_THINKING = re.compile(rb'"type": ?"thinking"')
_BLOCK = re.compile(rb'"type": ?"(?:text|tool_use)"')
# Not typed, although the role is user: output of commands, notifications.
_NOT_ASKED = re.compile(r"<(?:local-command-|task-notification|bash-|user-memory-input)")
_COMMAND = re.compile(r"<command-name>\s*(/\S{1,100}?)\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.{0,2000}?)</command-args>", re.DOTALL)
_HOOK_SAID = re.compile(r"(\w{3,30}) hook feedback:\s*(?:\[[^\]\n]{0,300}\]:)?\s*")
_ABOUT_RECAPS = re.compile(r"\s*\(disable recaps in /config\)\s*$")
_CLIENTS_OWN = "<synthetic>"  # the model of what the client says in the model's place
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]{0,40}\]")
# Commands that control the client; typing one does not ask for work.
_OWN_COMMANDS = frozenset(
    """/clear /compact /config /context /cost /doctor /effort /exit /export /fast /help /hooks /ide
    /login /logout /mcp /memory /model /permissions /plugin /quit /resume /rewind /status
    /statusline /theme /usage /vim""".split()  # noqa: SIM905  readable as text
)
_SUMMARY_TAG = re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)
# What the client puts around a summary when it carries it on into the shortened conversation.
_BEFORE_SUMMARY = re.compile(r"\AThis session is being continued from[^\n]*\n+")
_AFTER_SUMMARY = re.compile(
    r"\n+If you need specific details from before compaction.*\Z", re.DOTALL
)
# The client's own sentences around what was typed when refusing a call.
_REFUSED = re.compile(
    r"(?:reason for the rejection|the user said|user feedback|with the following feedback):\s*",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user"
)
_IN_BACKGROUND = re.compile(
    r"Command (?:running|was manually moved to|is running) in|Command .{0,40}background"
)
_MOST_BEFORE_REASON = 600  # characters; further behind, an output may say anything
_AFTER_REASON = re.compile(r"\n+Note: The user's next message may contain.*\Z", re.DOTALL)
_CHOSEN = re.compile(r'"([^"]{1,500})"="([^"]{1,2000})"')
_LAUNCHED = "Async agent launched"
_EXIT_CODE = re.compile(r"\AExit code (\d{1,10})\b")
_REPORTED = re.compile(r"<result>(.*?)(?:</result>|\Z)", re.DOTALL)
_SUMMARY = re.compile(r"<summary>(.{1,500}?)</summary>", re.DOTALL)


def is_line_of(entry: dict[str, Any]) -> bool:
    """Whether a line can only be Claude Code's."""
    return "sessionId" in entry and isinstance(entry.get("type"), str)


def summary_of(text: str) -> str:
    """The summary itself, from a PostCompact payload or the line that carries it on."""
    if tagged := _SUMMARY_TAG.search(text):
        return tagged[1].strip()
    text = _AFTER_SUMMARY.sub("", _BEFORE_SUMMARY.sub("", text))
    return text.rpartition("Summary:\n")[2].strip()


class Reader:
    """Reads the lines of one transcript, and of its subagents, into turns."""

    def __init__(self, recorder: Recorder, *, since: str = "") -> None:
        self.recorder = recorder
        self._since = since
        self._has_begun = False

    def is_wanted(self, line: bytes) -> bool:
        """Whether a line is worth parsing; of results, what failed and what a note may quote."""
        if _LINE.search(line) is None:
            return not self._has_begun and _STARTED.search(line) is not None
        if b'"tool_use_id"' not in line:
            return _THINKING.search(line) is None or _BLOCK.search(line) is not None
        if _FAILED.search(line) is not None:
            return True
        calls = _RESULT.findall(line)
        return any(self.recorder.awaits(call.decode("utf-8", "replace")) for call in calls)

    def may_read_elsewhere(self, line: bytes) -> bool:
        """Whether a line of a subagent may call a tool that does, or is the result of one."""
        if b'"tool_use_id"' not in line:
            return b'"tool_use"' in line
        calls = _RESULT.findall(line)
        return any(self.recorder.foreign.awaits(call.decode("utf-8", "replace")) for call in calls)

    def take_foreign(self, entry: dict[str, Any]) -> None:
        """Read only what comes from elsewhere."""
        foreign, at = self.recorder.foreign, word(entry.get("timestamp"))
        for block in _blocks(entry, "tool_use"):
            arguments = mapping(block.get("input"))
            foreign.call(block.get("name"), arguments, call=block.get("id"), at=at)
        for block in _blocks(entry, "tool_result"):
            foreign.result(block.get("tool_use_id"), text_of(block.get("content")))

    def take(self, entry: dict[str, Any]) -> None:
        """Read a line of the session itself."""
        kind, at = entry.get("type"), entry.get("timestamp")
        if kind == "queue-operation":
            # Written when the session starts, before what it was forked from is copied in.
            if not self._since and isinstance(at, str):
                self._since = at
            return
        if kind in ("ai-title", "custom-title"):
            title = entry.get("customTitle") or entry.get("aiTitle")
            self.recorder.client_title = word(title)
        if kind not in ("user", "assistant", "attachment", "system"):
            return
        self._has_begun = True
        self._identify(entry)
        if self._is_inherited(entry):
            self.take_foreign(entry)
            return
        self.recorder.see_time(at)
        if entry.get("isSidechain") is True:
            self.take_from_subagent(entry)
        elif kind == "assistant":
            self._take_answer(entry, who=turns.AGENT)
        elif kind == "user":
            self._take_user_line(entry)
        else:
            self._take_aside(entry)

    def take_from_subagent(self, entry: dict[str, Any]) -> None:
        """Read what a subagent said and ran."""
        self.recorder.at = word(entry.get("timestamp")) or self.recorder.at
        if entry.get("type") == "assistant":
            self._take_answer(entry, who=turns.SUBAGENT)
        for block in _blocks(entry, "tool_result"):
            call, text = block.get("tool_use_id"), text_of(block.get("content"))
            self.recorder.result(call, text, failed=block.get("is_error") is True)

    def _identify(self, entry: dict[str, Any]) -> None:
        self.recorder.identify(
            session_id=entry.get("sessionId"), cwd=entry.get("cwd"), branch=entry.get("gitBranch")
        )
        if str(entry.get("entrypoint")).startswith("sdk"):
            self.recorder.is_interactive = False

    def _is_inherited(self, entry: dict[str, Any]) -> bool:
        # A fork copies its parent's lines, with their times and with its own session id.
        at = entry.get("timestamp")
        return "forkedFrom" in entry or (isinstance(at, str) and at < self._since)

    def _take_answer(self, entry: dict[str, Any], *, who: str) -> None:
        message = mapping(entry.get("message"))
        if entry.get("isApiErrorMessage") is not True and message.get("model") != _CLIENTS_OWN:
            self.recorder.say(who, text_of(message.get("content")))
        for block in _blocks(entry, "tool_use"):
            arguments = mapping(block.get("input"))
            self.recorder.call(block.get("name"), arguments, call=block.get("id"), who=who)

    def _take_aside(self, entry: dict[str, Any]) -> None:
        """What was typed while the agent worked, and the client's own recap."""
        aside = mapping(entry.get("attachment"))
        if aside.get("type") == "queued_command":
            text = text_of(aside.get("prompt"))
            if _NOT_ASKED.match(text.lstrip()):
                _take_notification(text, self.recorder)
            else:
                self.recorder.ask(text, kind=turns.REMARK)
        elif entry.get("subtype") == "away_summary":
            recap = _ABOUT_RECAPS.sub("", text_of(entry.get("content")))
            self.recorder.remark(turns.RECAP, recap)

    def _take_user_line(self, entry: dict[str, Any]) -> None:
        for block in _blocks(entry, "tool_result"):
            _take_result(block, entry.get("toolUseResult"), self.recorder)
        text = text_of(mapping(entry.get("message")).get("content"))
        if entry.get("isCompactSummary") is True:
            self.recorder.say(turns.CLIENT, summary_of(text))
        elif _NOT_ASKED.match(text.lstrip()):
            _take_notification(text, self.recorder)
        elif (feedback := _HOOK_SAID.match(text)) is not None:
            self.recorder.remark(f"{feedback[1]} hook", text[feedback.end() :], failed=True)
        elif entry.get("isMeta") is not True:
            self._take_ask(text)

    def _take_ask(self, text: str) -> None:
        if command := _COMMAND.search(text):
            arguments = _ARGUMENTS.search(text)
            asked = f"{command[1]} {arguments[1].strip() if arguments else ''}".strip()
            if command[1] not in _OWN_COMMANDS:
                self.recorder.ask(asked, kind=turns.COMMAND)
        else:
            self.recorder.ask(_INTERRUPTED.sub("", text))


def _blocks(entry: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = mapping(entry.get("message")).get("content")
    return [block for block in mappings(content) if block.get("type") == kind]


def _take_result(block: dict[str, Any], detail: object, recorder: Recorder) -> None:
    """Read the result of a call: output, a choice, or the reason for a refusal."""
    text, failed = text_of(block.get("content")), block.get("is_error") is True
    call = block.get("tool_use_id")
    if failed and (reason := _REFUSED.search(text, 0, _MOST_BEFORE_REASON)):
        recorder.result(call, "", failed=False, refused=True)
        recorder.ask(_AFTER_REASON.sub("", text[reason.end() :]), kind=turns.REMARK)
        return
    if failed and _REJECTED.match(text):
        recorder.result(call, "", failed=False, refused=True)
        return
    turn = recorder.call_of(call)
    kind = turn.kind if turn else ""
    if kind == turns.TASK and text.startswith(_LAUNCHED):
        text = ""  # its report comes as a notification
    recorder.result(call, text, failed=failed, exit=_status(text, turn, failed=failed))
    if kind == turns.QUESTION and not failed:
        _take_choices(text, detail, recorder)


def _status(text: str, turn: Turn | None, *, failed: bool) -> int | None:
    """The exit status of a command: the client names those that are not 0."""
    if failed:
        status = _EXIT_CODE.match(text)
        return int(status[1]) if status else None
    return 0 if turn and turn.command and not _IN_BACKGROUND.match(text) else None


def _take_notification(text: str, recorder: Recorder) -> None:
    """Read the report of a background subagent."""
    if (result := _REPORTED.search(text)) and (summary := _SUMMARY.search(text)):
        recorder.call("Agent", {"description": summary[1]}, call="notification")
        recorder.result("notification", result[1], failed=False)


def choices(text: str) -> list[tuple[str, str]]:
    """The questions that a result answers, each with the chosen answer."""
    return _CHOSEN.findall(text)


def _take_choices(text: str, detail: object, recorder: Recorder) -> None:
    chosen = mapping(mapping(detail).get("answers"))
    answers = list(chosen.items()) if chosen else choices(text)
    for question, answer in answers[:20]:
        if isinstance(answer, str):
            recorder.ask(answer, kind=turns.CHOICE, to=question[:500])
