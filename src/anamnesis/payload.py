"""What a client tells a hook on standard input, whichever client it is."""

from __future__ import annotations

import json
import os
import sys

from anamnesis.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_BYTES = 16 * 1024 * 1024
# A client writes at once and closes; whoever runs a hook by hand with an open pipe does neither.
_PATIENCE_SECONDS = 2.0


@record
class Payload:
    """The fields of a hook's payload that we use; all empty when there was none."""

    event: str = ""
    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    compact_summary: str = ""
    last_message: str = ""


def read() -> Payload:
    """The payload on standard input; an empty one for anything that is not a payload."""
    return parse(_stdin())


def parse(data: bytes) -> Payload:
    """The payload in some bytes, tolerant of what other clients call things."""
    try:
        found = json.loads(data) if data.strip() else {}
    except (ValueError, RecursionError):
        return Payload()
    if not isinstance(found, dict):
        return Payload()
    return Payload(
        event=_text(found, "hook_event_name", "hookEventName"),
        session_id=_text(found, "session_id", "sessionId", "conversation_id"),
        transcript_path=_text(found, "transcript_path", "transcriptPath"),
        cwd=_text(found, "cwd"),
        source=_text(found, "source"),
        prompt=_text(found, "prompt"),
        compact_summary=_text(found, "compact_summary"),
        last_message=_text(found, "last_assistant_message", "prompt_response"),
    )


def _text(found: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := found.get(name), str)), "")


def _stdin() -> bytes:
    # The descriptor itself: sys.stdin may be None, closed, or bound to another encoding.
    try:
        if os.isatty(0):
            return b""
        return _read_all()
    except (OSError, ValueError):
        return b""


def _read_all() -> bytes:
    pieces, size = [], 0
    while size < _MOST_BYTES and _is_ready() and (piece := os.read(0, 1 << 20)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _is_ready() -> bool:
    if sys.platform == "win32":
        return True  # select knows only sockets there
    from select import select

    return bool(select([0], [], [], _PATIENCE_SECONDS)[0])
