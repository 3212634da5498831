"""The working set without an index: the newest files, within the time a session can wait."""

from __future__ import annotations

import os

from anamnesis.aliases import names_of
from anamnesis.config import is_ephemeral
from anamnesis.index.refresh import newest_known
from anamnesis.inject.select import ALWAYS, BEFORE, KNOWN, LAID, LAST, REST, Candidate, is_laid_down
from anamnesis.notes import tree
from anamnesis.notes.fields import TYPES, UnreadableNote
from anamnesis.project import GLOBAL
from anamnesis.trust.policy import why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.carried import Checkout
    from anamnesis.config import Home
    from anamnesis.notes.fields import Memory

_MOST_READ = 60  # files; a session gets a few dozen notes at most
_MOST_LISTED = 5000  # names; beyond that, the last index says which are the newest
_SHORT = 200  # characters of a note that takes hardly more than a line
_HEAD = 1024  # bytes, in which a note names its project
NOTICE = "Anamnesis: the index is being rebuilt; until then only the newest notes are known."


def newest_notes(home: Home, *, project: str, session: str = "") -> dict[str, Memory]:
    """The latest notes of a project and of all projects, out of a bounded number of files."""
    names = (*names_of(home, project), GLOBAL)
    # An ephemeral machine has no index at its start, but its files are in the cache.
    if is_ephemeral():
        paths = _paths(home, every=True)
        notes = _read(home, [path for path in paths if _is_about(home, path, names)])
    else:
        notes = _read(home, newest_known(home)) if _are_many(home) else []
        if len(notes) < _MOST_READ:
            notes = _read(home, _paths(home))
    found = {
        note.id: note
        for note in notes
        if note.project in names and not why_not(note.origin, note.tags)
    }
    replaced = {old for note in found.values() for old in note.supersedes_ids}
    return {
        id: note
        for id, note in found.items()
        if id not in replaced and not (session and note.prov_session == session)
    }


def of_checkout(checkout: Checkout) -> dict[str, Memory]:
    """The latest notes that a repository carries, out of a bounded number of files."""
    return {note.id: note for note in _read(checkout, _paths(checkout))}


def candidates(notes: dict[str, Memory]) -> list[Candidate]:
    """The notes as a working set: always on, latest sessions, durable notes."""
    sessions = (LAST, BEFORE)
    working_set, episodes = [], 0
    for note in notes.values():
        slot = ALWAYS if note.project == GLOBAL else KNOWN
        slot = LAID if is_laid_down(note) else slot
        if note.type == "episodic" and slot == KNOWN:
            slot = sessions[episodes] if episodes < len(sessions) else REST
            episodes += 1
        is_short = len(note.body) <= _SHORT
        working_set.append(Candidate(note, "one of the newest files", slot, is_short=is_short))
    return working_set


def _is_about(home: Home, path: str, names: Iterable[str]) -> bool:
    """Whether a file seems to be a note of one of these projects, judging by its first bytes."""
    try:
        descriptor = os.open(os.path.join(home, path), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return False
    try:
        head = os.read(descriptor, _HEAD)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return any(name.encode() in head for name in names)


def _read(home: Home, paths: Iterable[str]) -> list[Memory]:
    """The notes in the first of these files, skipping files that are gone."""
    notes: list[Memory] = []
    read = 0
    for path in paths:
        try:
            notes.append(tree.read_note(home, path).note)
        except FileNotFoundError:
            continue
        except (UnreadableNote, OSError):
            pass
        read += 1
        if read == _MOST_READ:
            break
    return notes


def _are_many(home: Home) -> bool:
    """Whether there are too many files to list quickly."""
    number = 0
    for folder in _folders(home):
        try:
            with os.scandir(os.path.join(home, folder)) as entries:
                for _ in entries:
                    number += 1
                    if number > _MOST_LISTED:
                        return True
        except OSError:
            continue
    return False


def _folders(home: Home) -> list[str]:
    return [f"{name}/{type}" for name in tree.trees_of(home) for type in TYPES]


def _paths(home: Home, *, every: bool = False) -> list[str]:
    """The files with the highest names first: ids begin with their time."""
    files = []
    for folder in _folders(home):
        try:
            names = os.listdir(os.path.join(home, folder))
        except OSError:
            continue
        names = names if every else _highest(names)
        files += [(name, f"{folder}/{name}") for name in names if name.endswith(".md")]
    files.sort(reverse=True)
    return [path for _, path in files]


def _highest(names: list[str]) -> list[str]:
    """The highest names, without sorting ten thousand for sixty."""
    if len(names) <= 2 * _MOST_READ:
        return names
    step = len(names) // (2 * _MOST_READ)
    bound = sorted(names[::step], reverse=True)[_MOST_READ // 2]
    high = [name for name in names if name >= bound]
    return sorted(high if len(high) >= _MOST_READ else names, reverse=True)[:_MOST_READ]
