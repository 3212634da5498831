"""Notes that an agent wrote after its session had read the web or another server's tools.

What the session read may have told the agent what to remember, so the notes are marked.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from anamnesis.capture.lines import beginning, lines
from anamnesis.config import resolve_machine_id
from anamnesis.ground.records import replace
from anamnesis.index.queries import written_by_agents
from anamnesis.store import MemoryStore
from anamnesis.trust import policy

if TYPE_CHECKING:
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory, NoteId

_READ = re.compile(
    rb'"(?:name|tool|tool_?[nN]ame)"\s*:\s*"(?i:web_?fetch|web_?search|google_web_search|fetch'
    rb"|browser_[a-z_]{1,40}|mcp__(?![a-z0-9_-]{0,40}anamnesis)[a-z0-9_-]{1,100})\""
    rb'|"type"\s*:\s*"web_search_call"|"(?:command|cmd)"\s*:\s*(?:\[[^\]]{0,80}?)?"(?:[^"\\]|\\.){0,400}?\b(?:'
    rb"(?:curl|wget|xh)\b(?![^\"|;&]{0,200}(?:localhost|127\.0\.0\.1))|(?:lynx|w3m|aria2c|invoke-webrequest|iwr|irm)\b"
    rb"|gh (?:api|search)\b|(?:gh|glab) \w{2,10} (?:view|list|diff|download)\b|git clone\b"
    rb"|requests\.get\b|urlopen\b|httpx\.get\b)"
)
_TIME = re.compile(rb'"timestamp"\s*:\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)')
_HEAD_BYTES = 256 * 1024  # within which a transcript says when it began
_ID = re.compile(rb"(?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])")


def mark_notes(home: Home, transcript: str) -> list[str]:
    """Mark the notes that a session's agent wrote after reading elsewhere; returns their ids."""
    first = _TIME.search(beginning(transcript, _HEAD_BYTES))
    if first is None:
        return []
    with MemoryStore(home) as store:
        machine, began = resolve_machine_id(), first[1].decode()
        notes = store.ask(lambda db: written_by_agents(db, since=began, machine=machine))
        notes = [note for note in notes if _is_unmarked(note)]
        # Most sessions write no note; then the transcript is not read a second time.
        reading = _Reading(transcript) if notes else None
        marked = [note for note in notes if reading and reading.precedes(note)]
        for header in marked:
            note = store.get(header.id)
            if note is not None:
                store.put(_marked(note))
    return [note.id for note in marked]


class _Reading:
    """When a session first read elsewhere, and the ids in its transcript from then on."""

    def __init__(self, transcript: str) -> None:
        self.ids: set[NoteId] = set()
        self.began = min(filter(None, map(_first_reading, _of_subagents(transcript))), default="")
        for line in lines(transcript):
            found = _TIME.search(line)
            at = found[1].decode() if found else ""
            if at and _READ.search(line) and not (self.began and self.began <= at):
                self.began = at
            if self.began and not at < self.began:
                self.ids.update(each.decode() for each in _ID.findall(line))

    def precedes(self, note: Memory) -> bool:
        """Whether a note was written after the session had read elsewhere, and by this session."""
        return bool(self.began) and note.created_at >= self.began and note.id in self.ids


def _of_subagents(transcript: str) -> list[str]:
    """The transcripts of a session's subagents: the session learns what they read."""
    folder = os.path.join(os.path.splitext(transcript)[0], "subagents")
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []


def _first_reading(transcript: str) -> str:
    for line in lines(transcript):
        if _READ.search(line) and (found := _TIME.search(line)):
            return found[1].decode()
    return ""


def _is_unmarked(note: Memory) -> bool:
    return not note.origin.endswith(policy.AFTER_WEB)


def _marked(note: Memory) -> Memory:
    origin = f"{note.origin}{policy.AFTER_WEB}"
    return replace(note, origin=origin, tags=policy.new_tags(origin, note.tags))
