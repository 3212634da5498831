"""Which summariser this machine uses."""

from __future__ import annotations

from anamnesis.capture.summarize import HeuristicSummarizer
from anamnesis.llm.settings import HEURISTIC, provider_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.summarize import Summarizer


def resolve_summarizer(without_model: Summarizer | None = None) -> Summarizer:
    """The summariser that ANAMNESIS_REFLECTION_PROVIDER names.

    By default, and whenever a model does not manage, it is `without_model` or the heuristic one.
    """
    provider, plain = provider_name(), without_model or HeuristicSummarizer()
    if provider == HEURISTIC:
        return plain
    from anamnesis.capture.model_summary import ModelSummarizer

    return ModelSummarizer(provider, without_model=plain)
