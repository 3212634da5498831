"""What a session did with the notes it was given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.archive.turns import PERSON
from anamnesis.hooks import receipts, usefulness
from anamnesis.index.naming import shared_parts
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anamnesis.archive.turns import Turn
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

_READABLE = 120  # units; a note shown with less does not count as ignored
_SHORTEST_COMMAND = 8
_EDITING = re.compile(r"(?i)edit|write|patch|replace")
_QUOTED = re.compile(r"`([^`\n]{2,300})`")
_BLOCK = re.compile(r"(?ms)^```[^\n]*\n(.*?)^```")
_PATH = re.compile(r"(?<![\w@+./~-])[\w@+./~-]{1,200}\.\w{1,5}\b")


def count_uses(home: Home, session: str, turns: Sequence[Turn]) -> None:
    """Count which of its notes a session used, judging by what it did."""
    if not (given := _given_notes(home, session)):
        return
    with MemoryStore(home) as store:
        notes = [note for id in given if (note := store.get(id)) is not None]
    actions = actions_of(turns)
    used = {note.id for note in notes if is_used(note, actions)}
    ignored = {note.id for note in notes if given[note.id] and note.id not in used}
    if used or ignored:
        usefulness.count_uses(home, session, used=used, ignored=ignored)


@dataclass(frozen=True, slots=True)
class SessionActions:
    """What a session did, collected once for all its notes."""

    written: str  # the text of the agent, and its tool inputs
    ran: str
    edited: Mapping[str, Sequence[str]]  # the name of a file -> its paths


def actions_of(turns: Iterable[Turn]) -> SessionActions:
    """What a session did, judging by its turns."""
    written, ran, edited = list[str](), list[str](), dict[str, list[str]]()
    for turn in turns:
        written += [turn.input, "" if turn.who == PERSON else turn.text]
        ran.append(" ".join(turn.command.split()))
        if turn.file and _EDITING.search(turn.tool):
            paths = edited.setdefault(_name(turn.file), [])
            if turn.file not in paths:
                paths.append(turn.file)
    return SessionActions("\n".join(written), "\n".join(ran), edited)


def is_used(note: Memory, actions: SessionActions) -> bool:
    """Whether a session asked for a note, cited it, ran its command or edited a file it names."""
    if note.id in actions.written or note.id in actions.ran:
        return True
    if any(command in actions.ran for command in _commands(note.body)):
        return True
    return any(
        shared_parts(path, file)
        for path in set(_PATH.findall(note.body))
        for file in actions.edited.get(_name(path), ())
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _given_notes(home: Home, session: str) -> dict[str, bool]:
    """The notes that a session was given, and whether enough of each was shown."""
    found: dict[str, bool] = {}
    for entry in receipts.of_session(home, session):
        for note in entry["notes"]:
            shown = bool(note.get("whole")) or int(note.get("units") or 0) >= _READABLE
            found[note["id"]] = found.get(note["id"], False) or shown
    return found


def _commands(body: str) -> Iterable[str]:
    """The commands in a note's code spans and blocks: a program and an argument."""
    lines = [line for block in _BLOCK.findall(body) for line in block.splitlines()]
    for text in (*_QUOTED.findall(body), *lines):
        command = " ".join(text.removeprefix("$ ").split())
        if len(command) >= _SHORTEST_COMMAND and " " in command and command[0].isalnum():
            yield command
