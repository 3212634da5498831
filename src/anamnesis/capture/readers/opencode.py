"""opencode: the document that `opencode export <session>` prints."""

from __future__ import annotations

from datetime import UTC, datetime

from anamnesis.capture.lines import mapping, mappings
from anamnesis.capture.story import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.session import SessionDraft

AGENT = "opencode"
_EDIT_TOOLS = ("write", "edit", "multiedit", "patch")


def is_document(whole: dict[str, Any]) -> bool:
    """Whether a file is an exported opencode session."""
    return "id" in mapping(whole.get("info")) and isinstance(whole.get("messages"), list)


def take_document(whole: dict[str, Any], draft: SessionDraft) -> None:
    """Read a whole session."""
    info = mapping(whole.get("info"))
    draft.identify(session_id=info.get("id"), cwd=info.get("directory"))
    # `opencode run` denies the agent's questions: there is no user to answer them.
    draft.story.is_interactive = not any(
        rule.get("permission") == "question" and rule.get("action") == "deny"
        for rule in mappings(info.get("permission"))
    )
    updated = mapping(info.get("time")).get("updated")
    if isinstance(updated, int):
        draft.see_time(datetime.fromtimestamp(updated / 1000, UTC).isoformat())
    for message in mappings(whole.get("messages")):
        _take_message(message, draft)


def _take_message(message: dict[str, Any], draft: SessionDraft) -> None:
    parts = mappings(message.get("parts"))
    # Synthetic parts are what the client added to the user's words.
    spoken = [part for part in parts if part.get("type") == "text" and not part.get("synthetic")]
    text = "\n".join(str(part.get("text") or "") for part in spoken)
    if mapping(message.get("info")).get("role") == "user":
        draft.ask(text)
    else:
        draft.answer(text)
    for part in parts:
        state = mapping(part.get("state"))
        if part.get("type") == "tool":
            _take_call(part, state, draft)
        if part.get("tool") in _EDIT_TOOLS and state.get("status") == "completed":
            draft.edit(mapping(state.get("input")).get("filePath"), call=part.get("callID"))


def _take_call(part: dict[str, Any], state: dict[str, Any], draft: SessionDraft) -> None:
    story, given, call = draft.story, mapping(state.get("input")), part.get("callID")
    draft.add_call(part.get("tool"), given, call=call)
    if part.get("tool") == "bash":
        story.start_call(RUN, given.get("command"), call=call)
    failed = state.get("status") == "error" or bool(mapping(state.get("metadata")).get("exit"))
    draft.finish_call(call, str(state.get("output") or state.get("error") or ""), failed=failed)
    if part.get("tool") == "todowrite":
        todos = mappings(given.get("todos"))
        story.replace_todos([(each.get("content"), each.get("status")) for each in todos])
