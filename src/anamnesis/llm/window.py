"""How much of a text a model gets to see: its beginning and its end, whole lines of both."""

from __future__ import annotations

from dataclasses import dataclass

from anamnesis import config
from anamnesis.redact import redact
from anamnesis.redact.allowed import allow_list

_CUT = "\n[… {left} characters left out …]\n"

MOST_CHARACTERS = 120_000  # about 30,000 tokens: fits every model that is worth asking


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said, and which one it was."""

    text: str
    model: str


def windowed(text: str, limit: int) -> str:
    """The text, or its first third and its last two thirds within a limit."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    start = text.rfind("\n", 0, head) + 1 or head
    end = text.find("\n", len(text) - tail) + 1 or len(text) - tail
    return text[:start] + _CUT.format(left=end - start) + text[end:]


def outgoing(text: str) -> str:
    """A text as it may leave this machine: without secrets, and not longer than allowed."""
    return windowed(redact(text, allow=allow_list(config.home_directory())), MOST_CHARACTERS)
