"""What Claude Code's tools were asked and answered, as far as a note may quote it."""

from __future__ import annotations

import re

from anamnesis.capture.readers.shared import mapping, mappings, text_of
from anamnesis.capture.story import AGENT, RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.session import Draft
    from anamnesis.capture.story import StoryDraft

_HELPERS = {"Task", "Agent"}
_ASIDE = {"AskUserQuestion", "ExitPlanMode", "TaskCreate"}  # their results say something
# The client's own sentences around what a person typed when refusing a call.
_REFUSED = re.compile(
    r"(?:reason for the rejection|the user said|user feedback|with the following feedback):\s*(.+)",
    re.DOTALL | re.IGNORECASE,
)
_AFTER_REASON = re.compile(r"\n+Note: The user's next message may contain.*\Z", re.DOTALL)
_CHOSEN = re.compile(r'"([^"]{1,500})"="([^"]{1,2000})"')
_LAUNCHED = "Async agent launched"
_TASK_NUMBER = re.compile(r"#(\w{1,20})")
_RESULT = re.compile(r"<result>(.*?)(?:</result>|\Z)", re.DOTALL)
_SUMMARY = re.compile(r"<summary>(.{1,500}?)</summary>", re.DOTALL)


def take_call(block: dict[str, Any], story: StoryDraft) -> None:
    """Take one call of a tool."""
    name, call, given = block.get("name"), block.get("id"), mapping(block.get("input"))
    story.called(name)
    if name == "Bash":
        story.began(RUN, given.get("command"), call=call)
    elif name in _HELPERS:
        story.began(AGENT, given.get("description") or given.get("prompt"), call=call)
    elif name == "TodoWrite":
        todos = mappings(given.get("todos"))
        story.list_todos([(each.get("content"), each.get("status")) for each in todos])
    elif name == "TaskUpdate":
        story.todo(str(given.get("taskId")), given.get("subject"), given.get("status"))
    elif name in _ASIDE:
        story.began(name, given.get("subject") or given.get("plan") or name, call=call)


def take_result(block: dict[str, Any], detail: object, draft: Draft) -> None:
    """Take the result of a call: output, a person's choice, the reason of a refusal."""
    text, failed = text_of(block.get("content")), block.get("is_error") is True
    call = block.get("tool_use_id")
    if failed and (reason := _REFUSED.search(text)):
        draft.remark(_AFTER_REASON.sub("", reason[1]))
        draft.story.ended(call, "", failed=False)
        return
    asked = draft.story.kind_of(call)
    if asked == "AskUserQuestion" and not failed:
        _take_choices(text, detail, draft)
    elif asked == "TaskCreate" and (number := _TASK_NUMBER.search(text)):
        draft.story.todo(number[1], draft.story.text_of(call), "pending")
    if asked == AGENT and text.startswith(_LAUNCHED):
        text = ""  # its report comes as a notification
    draft.story.ended(call, text, failed=failed)


def take_notification(text: str, story: StoryDraft) -> None:
    """Take what a helper in the background reported when it was done."""
    if (result := _RESULT.search(text)) and (summary := _SUMMARY.search(text)):
        story.began(AGENT, summary[1], call="notification")
        story.ended("notification", result[1], failed=False)


def _take_choices(text: str, detail: object, draft: Draft) -> None:
    chosen = mapping(mapping(detail).get("answers"))
    answers = list(chosen.items()) if chosen else _CHOSEN.findall(text)
    for question, answer in answers[:20]:
        if isinstance(question, str) and isinstance(answer, str):
            draft.remark(answer, to=question[:500])
