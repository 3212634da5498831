"""Asking a model one question, over HTTP or through your Claude Code; redacted and bounded."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING

from anamnesis.ground import process
from anamnesis.ground.errors import ToolMissing
from anamnesis.ground.records import replace
from anamnesis.llm.providers import (
    ANTHROPIC,
    CLAUDE_CLI,
    HEURISTIC,
    PROVIDERS,
    ModelNotSetUp,
    Settings,
    resolve,
)
from anamnesis.llm.transport import ModelAnswer, ModelUnavailable, outgoing

if TYPE_CHECKING:
    from typing import Any, Protocol

    class Model(Protocol):
        """Anything that answers a question under instructions."""

        @property
        def label(self) -> str:
            """Provider and model, for a note's `prov_model`."""
            ...

        def ask(self, *, instructions: str, question: str) -> ModelAnswer:
            """One complete answer, or ModelUnavailable."""
            ...


_ANTHROPIC_VERSION = "2023-06-01"
NESTED = "ANAMNESIS_NESTED"  # set in the child: our own hooks must not capture this session
# A session without tools, servers, skills, hooks or a transcript: it only answers. Not --bare,
# which does not have your login.
_OPTIONS = (
    "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config",
    "--disable-slash-commands", "--no-session-persistence",
    "--settings", '{"disableAllHooks": true}',
)  # fmt: skip
_MOST_BYTES = 2 * 1024 * 1024


def connect(settings: Settings | None = None, *, home: str = "") -> Model | None:
    """The configured model, or None for the heuristic; `home` is the store that asks."""
    chosen = replace(settings or resolve(), home=home)
    if chosen.provider == HEURISTIC:
        return None
    protocol = PROVIDERS[chosen.provider].protocol
    if protocol == CLAUDE_CLI:
        return ClaudeCli(chosen)
    return Anthropic(chosen) if protocol == ANTHROPIC else OpenAICompatible(chosen)


def fitting(question: str, most: int) -> str:
    """A question clipped to a limit: its beginning and its end say the most."""
    if len(question) <= most:
        return question
    end = most * 2 // 5
    return f"{question[: most - end]}\n[…]\n{question[len(question) - end :]}"


class OpenAICompatible:
    """OpenAI, DeepSeek, and every local server that speaks their protocol."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"{settings.provider}/{settings.model}"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer. Raises ModelUnavailable."""
        from anamnesis.llm.transport import post_json

        settings = self._settings
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        answer = post_json(
            f"{settings.base_url}/chat/completions",
            self._payload(
                outgoing(instructions, home=settings.home),
                fitting(outgoing(question, home=settings.home), settings.most),
            ),
            provider=settings.provider,
            headers=headers,
            timeout=settings.timeout,
        )
        choice = _dig(answer, "choices", 0)
        _require_complete(settings.provider, _dig(choice, "finish_reason"), cut="length")
        text = _dig(choice, "message", "content")
        return ModelAnswer(_require_text(settings.provider, text), self.label)

    def _payload(self, instructions: str, question: str) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": self._settings.model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": question},
            ],
        }
        provider = PROVIDERS[self._settings.provider]
        payload[provider.limit] = self._settings.max_tokens
        if provider.answers_in_json:
            payload["response_format"] = {"type": "json_object"}
        return payload


class Anthropic:
    """Anthropic's Messages API."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"{settings.provider}/{settings.model}"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer. Raises ModelUnavailable."""
        from anamnesis.llm.transport import post_json

        settings = self._settings
        answer = post_json(
            f"{settings.base_url}/v1/messages",
            {
                "model": settings.model,
                "max_tokens": settings.max_tokens,
                "system": outgoing(instructions, home=settings.home),
                "messages": [
                    {
                        "role": "user",
                        "content": fitting(outgoing(question, home=settings.home), settings.most),
                    }
                ],
            },
            provider=settings.provider,
            headers={"x-api-key": settings.api_key, "anthropic-version": _ANTHROPIC_VERSION},
            timeout=settings.timeout,
        )
        _require_complete(settings.provider, _dig(answer, "stop_reason"), cut="max_tokens")
        blocks = _dig(answer, "content")
        texts = [_dig(block, "text") for block in blocks] if isinstance(blocks, list) else []
        text = "".join(text for text in texts if isinstance(text, str))
        return ModelAnswer(_require_text(settings.provider, text), self.label)


def json_object(provider: str, text: str) -> dict[str, Any]:
    """The one JSON object that an answer consists of; a code fence around it is fine.

    Raises ModelUnavailable.
    """
    stripped = text.strip()
    if stripped.startswith("```"):
        stripped = stripped.partition("\n")[2].rpartition("```")[0]
    try:
        parsed = json.loads(stripped)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelUnavailable(provider, "the answer is not the JSON object that was asked for")
    return parsed


def _dig(value: Any, *path: str | int) -> Any:
    """A value in nested JSON, or None where the shape differs."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _require_complete(provider: str, reason: object, *, cut: str) -> None:
    if reason == cut:
        raise ModelUnavailable(
            provider,
            "the answer was cut at the limit of tokens",
            hint="Nothing was changed. Allow more with:  ANAMNESIS_REFLECTION_ANSWER_TOKENS=8192",
        )
    if reason in ("content_filter", "refusal"):
        raise ModelUnavailable(provider, "the model refused to answer")


def _require_text(provider: str, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ModelUnavailable(provider, "the answer holds no text")
    return text


class ClaudeCli:
    """Answers of `claude -p`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"claude-cli/{settings.model}" if settings.model else "claude-cli"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer. Raises ModelNotSetUp or ModelUnavailable."""
        home = self._settings.home
        model = ["--model", self._settings.model] if self._settings.model else []
        argv = ["claude", *_OPTIONS, *model, "--system-prompt", outgoing(instructions, home=home)]
        try:
            # An empty directory: neither a CLAUDE.md nor a project's settings reach the session.
            with tempfile.TemporaryDirectory(prefix="anamnesis-") as empty:
                finished = process.run(
                    argv,
                    cwd=empty,
                    env=_environment(),
                    input=outgoing(question, home=home).encode(),
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
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("CLAUDECODE")
    }
    return {**inherited, NESTED: "1"}


def _text(finished: process.Finished) -> str:
    if finished.timed_out:
        raise ModelUnavailable("claude-cli", "no answer within the time limit")
    if len(finished.out) > _MOST_BYTES:
        raise ModelUnavailable("claude-cli", "the answer is too large")
    try:
        reply = json.loads(finished.out)
    except (ValueError, RecursionError):
        reply = None
    if finished.code != 0 or not isinstance(reply, dict) or reply.get("is_error"):
        raise ModelUnavailable(
            "claude-cli",
            f"claude ended with exit code {finished.code} and no usable answer",
            hint="Nothing was changed. Try it by hand:  claude -p hello",
        )
    return _require_text("claude-cli", reply.get("result"))
