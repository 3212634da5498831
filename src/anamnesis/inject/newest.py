"""The working set without an index: the newest files, as far as a session can wait for them."""

from __future__ import annotations

import os

from anamnesis.inject.select import Candidate
from anamnesis.notes import tree
from anamnesis.notes.note import TYPES, UnreadableNote
from anamnesis.project import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.ground.home import Home
    from anamnesis.notes.note import Memory

_MOST_READ = 60  # files; a session gets a few dozen notes at the most
NOTICE = "Anamnesis: the index is being rebuilt; until then only the newest notes are known."


def newest_notes(home: Home, *, project: str, session: str = "") -> dict[str, Memory]:
    """The latest notes of a project and of all projects, out of a bounded number of files."""
    found = {note.id: note for note in _read(home) if note.project in (project, GLOBAL)}
    found = {id: note for id, note in found.items() if not _why_not(home, note)}
    replaced = {old for note in found.values() for old in note.supersedes_ids}
    return {
        id: note
        for id, note in found.items()
        if id not in replaced and not (session and note.prov_session == session)
    }


def candidates(notes: dict[str, Memory]) -> list[Candidate]:
    """These notes as a working set: what is always on first, sessions last."""
    ordered = sorted(
        notes.values(), key=lambda note: (note.project != GLOBAL, note.type == "episodic")
    )
    return [Candidate(note, "one of the newest files") for note in ordered]


def _why_not(home: Home, note: Memory) -> str:
    """Why a note is kept from an agent; there is no index that knows what is in it."""
    from anamnesis.trust import policy
    from anamnesis.trust.verdict import verdict

    if reason := policy.why_not(note.origin, note.tags):
        return reason
    found = verdict(home, title=note.title, body=note.body, tags=note.tags)
    return found.reason if found else ""


def _read(home: Home) -> Iterator[Memory]:
    for path in _paths(home):
        try:
            yield tree.read_note(home, path).note
        except (UnreadableNote, OSError):
            continue


def _paths(home: Home) -> list[str]:
    """The files with the highest names: ids begin with the time that they were made."""
    found = []
    for folder in (f"{name}/{type}" for name in tree.TREES for type in TYPES):
        try:
            names = os.listdir(os.path.join(home, folder))
        except OSError:
            continue
        found += [(name, f"{folder}/{name}") for name in names if name.endswith(".md")]
    found.sort(reverse=True)
    return [path for _, path in found[:_MOST_READ]]
