"""Asking a model one question. What leaves here is redacted and bounded, whoever asks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from anamnesis.llm.errors import ModelUnavailable
from anamnesis.llm.settings import HEURISTIC, Settings, resolve
from anamnesis.llm.window import ModelAnswer, outgoing

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


def connect(settings: Settings | None = None) -> Model | None:
    """The configured model, or None for the heuristic."""
    chosen = settings or resolve()
    if chosen.provider == HEURISTIC:
        return None
    if chosen.provider == "claude-cli":
        from anamnesis.llm.claude_cli import ClaudeCli

        return ClaudeCli(chosen)
    return Anthropic(chosen) if chosen.provider == "anthropic" else OpenAICompatible(chosen)


class OpenAICompatible:
    """OpenAI, DeepSeek, and every local server that speaks their protocol."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"{settings.provider}/{settings.model}"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer."""
        from anamnesis.llm.transport import post_json

        settings = self._settings
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        answer = post_json(
            f"{settings.base_url}/chat/completions",
            self._payload(outgoing(instructions), outgoing(question)),
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
        # OpenAI's newer models refuse the old name of the limit; the others know only that one.
        limit = "max_completion_tokens" if self._settings.provider == "openai" else "max_tokens"
        payload[limit] = self._settings.max_tokens
        if self._settings.provider != "local":
            payload["response_format"] = {"type": "json_object"}
        return payload


class Anthropic:
    """Anthropic's Messages API."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.label = f"{settings.provider}/{settings.model}"

    def ask(self, *, instructions: str, question: str) -> ModelAnswer:
        """One complete answer."""
        from anamnesis.llm.transport import post_json

        settings = self._settings
        answer = post_json(
            f"{settings.base_url}/v1/messages",
            {
                "model": settings.model,
                "max_tokens": settings.max_tokens,
                "system": outgoing(instructions),
                "messages": [{"role": "user", "content": outgoing(question)}],
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
    """The one JSON object that an answer consists of, a code fence around it being tolerated."""
    stripped = text.strip()
    if stripped.startswith("```"):
        stripped = stripped.partition("\n")[2].rpartition("```")[0]
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelUnavailable(provider, "the answer is not the JSON object that was asked for")
    return found


def _dig(value: Any, *path: str | int) -> Any:
    """A value inside of JSON, or None where the shape is another."""
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
            hint="Nothing was changed. Allow more with:  ANAMNESIS_REFLECTION_MAX_TOKENS=8192",
        )
    if reason in ("content_filter", "refusal"):
        raise ModelUnavailable(provider, "the model refused to answer")


def _require_text(provider: str, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ModelUnavailable(provider, "the answer holds no text")
    return text
