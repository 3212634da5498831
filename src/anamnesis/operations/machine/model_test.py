"""Testing that the configured model answers, before a session depends on it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from anamnesis.ground.errors import AnamnesisError
from anamnesis.llm import providers
from anamnesis.llm.models import connect, json_object


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether the model answered, and how fast; never the key."""

    provider: str
    model: str
    base_url: str
    answered: bool
    detail: str
    seconds: float = 0.0


def prove_provider(provider: str | None = None) -> Proof:
    """Ask the configured model one small question."""
    name = provider or providers.provider_name()
    if name == providers.HEURISTIC:
        return Proof(name, "", "", answered=True, detail="no model is used; nothing to test")
    started = time.monotonic()
    chosen = providers.Settings(name)
    try:
        chosen = providers.resolve(name)
        model = connect(chosen)
        if model is None:
            return Proof(name, "", "", answered=False, detail=f"unknown provider {name!r}")
        answer = model.ask(
            instructions='Answer with the JSON object {"ready": true} and nothing else.',
            question="Are you ready? Answer in JSON.",
        )
        json_object(name, answer.text)
    except AnamnesisError as error:
        detail = f"{error.message} {error.hint}".strip()
        return _proof(chosen, answered=False, detail=detail, since=started)
    return _proof(chosen, answered=True, detail="the model answered in JSON", since=started)


def _proof(chosen: providers.Settings, *, answered: bool, detail: str, since: float) -> Proof:
    return Proof(
        chosen.provider, chosen.model, chosen.base_url, answered, detail,
        seconds=round(time.monotonic() - since, 2),
    )  # fmt: skip
