"""How each client wants context to be handed over."""

from __future__ import annotations

import json

FORMATS = ("claude", "codex", "gemini", "copilot", "text")
# Codex takes 2,500 tokens of a hook; three characters a token is on the safe side for prose.
LIMITS = {"codex": 7_000}


def wrapped(text: str, *, format: str, event: str) -> str:
    """A block of context as the client reads it from standard output; nothing stays nothing."""
    if not text:
        return ""
    if format == "gemini":
        return _json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    if format == "copilot":
        return _json({"additionalContext": text})
    return text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
