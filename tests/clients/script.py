"""A model that does what the prompt says: `[[Tool {json}]] … [[say text]]`, one step a turn."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(r"\[\[(\S+?)(?:\s+(.*?))?\]\]", re.DOTALL)
UNSCRIPTED = "A summary of what was said, long enough to be kept as the outcome of the session."


@dataclass(frozen=True)
class Step:
    """One turn of the model: a call of a tool, or words."""

    tool: str = ""
    arguments: dict[str, Any] | None = None
    words: str = ""


def steps(prompt: str) -> list[Step]:
    """The turns that a prompt asks for."""
    found = []
    for name, rest in _STEP.findall(prompt):
        if name == "say":
            found.append(Step(words=rest))
        else:
            found.append(Step(tool=name, arguments=json.loads(rest or "{}")))
    return found


def next_step(turns: list[tuple[str, str]]) -> Step:
    """What to do after these turns, each `("user", text)` or `("result", text)`."""
    last = max(
        (n for n, turn in enumerate(turns) if turn[0] == "user" and "[[" in turn[1]), default=-1
    )
    if last < 0:
        return Step(words=UNSCRIPTED)
    script = steps(turns[last][1])
    done = sum(1 for kind, _ in turns[last + 1 :] if kind == "result")
    return script[done] if done < len(script) else Step(words=UNSCRIPTED)
