"""The person's own Claude Code in print mode: no key needed, nothing of theirs touched."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING

from anamnesis.ground import process
from anamnesis.ground.errors import ToolMissing
from anamnesis.llm.errors import ModelNotSetUp, ModelUnavailable
from anamnesis.llm.window import ModelAnswer, outgoing

if TYPE_CHECKING:
    from anamnesis.llm.settings import Settings

NESTED = "ANAMNESIS_NESTED"  # set in the child: our own hooks must not capture this session
# A session without tools, servers, skills, hooks or a transcript: it only answers. Not --bare,
# which does not know the person's login.
_OPTIONS = (
    "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config",
    "--disable-slash-commands", "--no-session-persistence",
    "--settings", '{"disableAllHooks": true}',
)  # fmt: skip
_MOST_BYTES = 2 * 1024 * 1024


class ClaudeCli:
    """Answers of `claude -p`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"claude-cli/{settings.model}" if settings.model else "claude-cli"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer."""
        model = ["--model", self._settings.model] if self._settings.model else []
        argv = ["claude", *_OPTIONS, *model, "--system-prompt", outgoing(instructions)]
        try:
            # An empty directory: neither a CLAUDE.md nor a project's settings reach the session.
            with tempfile.TemporaryDirectory(prefix="anamnesis-") as empty:
                finished = process.run(
                    argv,
                    cwd=empty,
                    env=_environment(),
                    input=outgoing(question).encode(),
                    timeout=self._settings.timeout,
                )
        except ToolMissing as missing:
            raise ModelNotSetUp(
                "claude-cli",
                "claude is not on PATH",
                hint="Install Claude Code, or choose another provider.",
            ) from missing
        return ModelAnswer(_text(finished), self.label)


def _environment() -> dict[str, str]:
    # With CLAUDECODE set, a nested claude refuses to start.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDECODE")}
    return {**kept, NESTED: "1"}


def _text(finished: process.Finished) -> str:
    if finished.timed_out:
        raise ModelUnavailable("claude-cli", "no answer within the time limit")
    if len(finished.out) > _MOST_BYTES:
        raise ModelUnavailable("claude-cli", "the answer is too large")
    try:
        found = json.loads(finished.out)
    except (ValueError, RecursionError):
        found = None
    if finished.code != 0 or not isinstance(found, dict) or found.get("is_error"):
        raise ModelUnavailable(
            "claude-cli",
            f"claude ended with exit code {finished.code} and no usable answer",
            hint="Nothing was changed. Try it by hand:  claude -p hello",
        )
    text = found.get("result")
    if not isinstance(text, str) or not text.strip():
        raise ModelUnavailable("claude-cli", "the answer holds no text")
    return text
