"""Which summariser this machine uses."""

from __future__ import annotations

from anamnesis.capture.summarize import HeuristicSummarizer
from anamnesis.llm.settings import HEURISTIC, provider_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.summarize import Summarizer


def resolve_summarizer() -> Summarizer:
    """The summariser that ANAMNESIS_REFLECTION_PROVIDER names; the heuristic one by default."""
    provider = provider_name()
    if provider == HEURISTIC:
        return HeuristicSummarizer()
    from anamnesis.capture.model_summary import ModelSummarizer

    return ModelSummarizer(provider)
