"""opencode: the document that `opencode export <session>` prints."""

from __future__ import annotations

from datetime import UTC, datetime

from anamnesis.archive import turns
from anamnesis.capture.lines import mapping, mappings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.recorder import Recorder

AGENT = "opencode"


def is_document(whole: dict[str, Any]) -> bool:
    """Whether a file is an exported opencode session."""
    return "id" in mapping(whole.get("info")) and isinstance(whole.get("messages"), list)


def take_document(whole: dict[str, Any], recorder: Recorder) -> None:
    """Read a whole session."""
    info = mapping(whole.get("info"))
    recorder.identify(session_id=info.get("id"), cwd=info.get("directory"))
    # `opencode run` denies the agent's questions: there is no user to answer them.
    recorder.is_interactive = not any(
        rule.get("permission") == "question" and rule.get("action") == "deny"
        for rule in mappings(info.get("permission"))
    )
    updated = mapping(info.get("time")).get("updated")
    if isinstance(updated, int):
        recorder.see_time(datetime.fromtimestamp(updated / 1000, UTC).isoformat())
    for message in mappings(whole.get("messages")):
        _take_message(message, recorder)


def _take_message(message: dict[str, Any], recorder: Recorder) -> None:
    parts = mappings(message.get("parts"))
    # Synthetic parts are what the client added to the user's words.
    spoken = [part for part in parts if part.get("type") == "text" and not part.get("synthetic")]
    text = "\n".join(str(part.get("text") or "") for part in spoken)
    if mapping(message.get("info")).get("role") == "user":
        recorder.ask(text)
    else:
        recorder.say(turns.AGENT, text)
    for part in parts:
        if part.get("type") == "tool":
            _take_call(part, mapping(part.get("state")), recorder)


def _take_call(part: dict[str, Any], state: dict[str, Any], recorder: Recorder) -> None:
    call, status = part.get("callID"), mapping(state.get("metadata")).get("exit")
    recorder.call(part.get("tool"), mapping(state.get("input")), call=call)
    text = str(state.get("output") or state.get("error") or "")
    failed = state.get("status") == "error" or bool(status)
    recorder.result(call, text, failed=failed, exit=status)
