"""Turning a session into one episodic note."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anamnesis.capture.calls import _EDIT_TOOLS
    from anamnesis.capture.episodic import write_episodic
    from anamnesis.capture.lines import text_of as _text_of
    from anamnesis.capture.model_summary import resolve_summarizer
    from anamnesis.capture.session import ParsedSession
    from anamnesis.capture.summarize import (
        _MAX_LEN,
        HeuristicSummarizer,
        Summarizer,
        SummaryResult,
    )
    from anamnesis.capture.transcript import parse_transcript
    from anamnesis.capture.triage import _TRIVIAL_OUTCOME_FLOOR, is_trivial_session

__all__ = [
    "_EDIT_TOOLS", "_MAX_LEN", "_TRIVIAL_OUTCOME_FLOOR", "HeuristicSummarizer", "ParsedSession",
    "Summarizer", "SummaryResult", "_text_of", "is_trivial_session", "parse_transcript",
    "resolve_summarizer", "write_episodic",
]  # fmt: skip

_HOMES = {
    "HeuristicSummarizer": "summarize",
    "ParsedSession": "session",
    "Summarizer": "summarize",
    "SummaryResult": "summarize",
    "_EDIT_TOOLS": "calls",
    "_MAX_LEN": "summarize",
    "_TRIVIAL_OUTCOME_FLOOR": "triage",
    "is_trivial_session": "triage",
    "parse_transcript": "transcript",
    "resolve_summarizer": "model_summary",
    "write_episodic": "episodic",
}


def __getattr__(name: str) -> object:
    """The documented names, loaded on first use: most callers want one module."""
    if name == "_text_of":
        from anamnesis.capture import lines

        return lines.text_of
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"anamnesis.capture.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
