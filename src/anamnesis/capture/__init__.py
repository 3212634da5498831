"""Turning a session into one episodic note."""

from __future__ import annotations

from anamnesis.capture.episodic import write_episodic
from anamnesis.capture.lines import text_of as _text_of
from anamnesis.capture.model_summary import resolve_summarizer
from anamnesis.capture.readers.claude_code import _EDIT_TOOLS
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
