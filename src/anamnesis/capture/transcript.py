"""Parsing a transcript file; its content tells which agent wrote it."""

from __future__ import annotations

import os
from itertools import islice

from anamnesis.capture.lines import beginning, document, entries
from anamnesis.capture.readers import claude_code, codex, copilot, gemini, opencode
from anamnesis.capture.recorder import Recorder
from anamnesis.capture.session import session_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from anamnesis.capture.session import ParsedSession

_LINE_READERS = (codex, copilot, gemini)  # Claude Code is what remains
_DOCUMENT_READERS = (opencode, gemini)
_LINES_THAT_TELL = 20
_MAX_SUBAGENTS = 200


def parse_transcript(path: str | os.PathLike[str], *, since: str = "") -> ParsedSession:
    """What the transcript says; empty or partial where it cannot be read, never an error."""
    session = session_of(read_transcript(path, since=since, whole=False).transcript())
    return session.leaving_raw_on_disk(os.fspath(path)) if beginning(path, 1) else session


def read_transcript(
    path: str | os.PathLike[str], *, since: str = "", whole: bool = True
) -> Recorder:
    """The turns of a session, in memory that is bounded however long the file is.

    Lines before `since` (an ISO time) belong to the session that this one was forked from. Unless
    it is taken as a `whole`, only what a note may quote is kept.
    """
    head = list(islice(entries(path, wanted=_any_line), _LINES_THAT_TELL))
    reader = next(filter(None, map(_reader_of, head)), None)
    if reader in _LINE_READERS:
        return _read_lines(path, reader, whole=whole)
    if reader is None and (found := document(path)):
        for each in _DOCUMENT_READERS:
            if each.is_document(found):
                return _read_document(found, each, whole=whole)
    return _read_claude_code(path, since=since, whole=whole)


def _reader_of(entry: dict[str, Any]) -> ModuleType | None:
    """The reader of the agent that wrote a line; None if that is unclear."""
    readers = (*_LINE_READERS, claude_code)
    return next((reader for reader in readers if reader.is_line_of(entry)), None)


def _any_line(_line: bytes) -> bool:
    return True


def _read_lines(path: str | os.PathLike[str], reader: ModuleType, *, whole: bool) -> Recorder:
    recorder = Recorder(agent=reader.AGENT, whole=whole)
    take: Callable[[dict[str, Any], Recorder], None] = reader.take
    for entry in entries(path, wanted=reader.is_wanted):
        take(entry, recorder)
    return recorder


def _read_document(found: dict[str, Any], reader: ModuleType, *, whole: bool) -> Recorder:
    recorder = Recorder(agent=reader.AGENT, whole=whole)
    reader.take_document(found, recorder)
    return recorder


def _read_claude_code(path: str | os.PathLike[str], *, since: str, whole: bool) -> Recorder:
    reader = claude_code.Reader(Recorder(agent=claude_code.AGENT, whole=whole), since=since)
    subagents = subagent_transcripts(path)
    for agent in subagents:  # first: the session may repeat what they found
        for entry in entries(agent, wanted=reader.may_read_elsewhere):
            reader.take_foreign(entry)
    for entry in entries(path, wanted=reader.is_wanted):
        reader.take(entry)
    for agent in subagents:
        for entry in entries(agent, wanted=reader.is_wanted):
            reader.take_from_subagent(entry)
    return reader.recorder


def subagent_transcripts(path: str | os.PathLike[str]) -> list[str]:
    """The files in which Claude Code keeps what the subagents of a session did."""
    folder = os.path.join(os.path.splitext(os.fspath(path))[0], "subagents")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except (OSError, ValueError):
        return []
    return [os.path.join(folder, name) for name in names[:_MAX_SUBAGENTS]]
