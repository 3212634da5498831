"""What a client passes to a hook on standard input."""

from __future__ import annotations

import os
import sys

from anamnesis.ground import quickjson
from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_BYTES = 16 * 1024 * 1024
_LONGEST_PATH = 4096  # what systems accept; no client works in a longer one
# Clients write at once and close; a hook run by hand with an open pipe would block.
_PATIENCE_SECONDS = 2.0


@record
class Payload:
    """The fields of a hook's payload that are used; all empty if there was none."""

    event: str = ""
    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    source: str = ""
    prompt: str = ""
    compact_summary: str = ""
    last_message: str = ""
    error: str = ""  # what a command that failed printed
    is_interrupt: bool = False
    file_path: str = ""  # of a tool that read or wrote a file


def read() -> Payload:
    """The payload on standard input; an empty one for anything that is not a payload."""
    return parse(read_bytes())


def parse(data: bytes) -> Payload:
    """The payload in some bytes, with the field names of all clients."""
    try:
        fields = quickjson.loads(data) if data.strip() else {}
    except (ValueError, RecursionError):
        return Payload()
    if not isinstance(fields, dict):
        return Payload()
    return Payload(
        event=_text(fields, "hook_event_name", "hookEventName"),
        session_id=_text(fields, "session_id", "sessionId", "conversation_id"),
        transcript_path=_path(fields, "transcript_path", "transcriptPath"),
        cwd=_path(fields, "cwd"),
        source=_text(fields, "source"),
        prompt=_text(fields, "prompt"),
        compact_summary=_text(fields, "compact_summary"),
        last_message=_text(fields, "last_assistant_message", "prompt_response"),
        error=_text(fields, "error", "tool_response"),
        is_interrupt=fields.get("is_interrupt") is True,
        file_path=_path(_part(fields, "tool_input"), "file_path", "path"),
    )


def from_environment() -> Payload:
    """The payload from Claude Code's environment, for when it exits before it writes.

    Version 2.1.197 does so when a SessionEnd hook is asynchronous.
    """
    return Payload(
        session_id=os.environ.get("CLAUDE_CODE_SESSION_ID", ""),
        cwd=os.environ.get("CLAUDE_PROJECT_DIR", ""),
    )


def _text(fields: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str)), "")


def _part(fields: dict[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _path(fields: dict[str, Any], *names: str) -> str:
    path = _text(fields, *names)
    return path if len(path) <= _LONGEST_PATH and "\0" not in path else ""


def read_bytes() -> bytes:
    """The bytes on standard input; none if it is a terminal or closed."""
    if sys.stdin is None:  # the client closed it
        return b""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # not a file: the caller passed a text
        return _text_stream()
    try:
        return b"" if os.isatty(descriptor) else _read_all(descriptor)
    except OSError:
        return b""


def _text_stream() -> bytes:
    try:
        return sys.stdin.read(_MOST_BYTES).encode("utf-8", "replace")
    except (OSError, ValueError):
        return b""


def _read_all(descriptor: int) -> bytes:
    # Not through sys.stdin: its encoding is the terminal's, and a payload is UTF-8.
    pieces, size = [], 0
    while size < _MOST_BYTES and _is_ready(descriptor):
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _is_ready(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True  # select knows only sockets there
    from select import select

    return bool(select([descriptor], [], [], _PATIENCE_SECONDS)[0])
