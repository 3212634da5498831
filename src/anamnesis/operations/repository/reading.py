"""The notes of a repository, read from their files: without a store, an index or a home."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis import carried
from anamnesis.git.config import find_repository
from anamnesis.ground.errors import InvalidInput
from anamnesis.notes import tree
from anamnesis.notes.fields import UnreadableNote

if TYPE_CHECKING:
    from anamnesis.notes.fields import Memory


@dataclass(frozen=True, slots=True)
class CarriedNote:
    """A note of a repository and its file, relative to the repository."""

    path: str
    note: Memory
    data: bytes

    @property
    def text(self) -> str:
        """The file as text."""
        return self.data.decode("utf-8", "replace")


@dataclass(slots=True)
class CarriedNotes:
    """What a repository carries, by the time that the ids tell, and what could not be read."""

    top: str
    notes: list[CarriedNote] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)  # path -> reason


def top_of(directory: str) -> str:
    """The top of the repository that a directory is in, or the directory. Raises InvalidInput."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"There is no directory {directory}.")
    repository = find_repository(os.path.abspath(directory))
    return repository.top if repository else os.path.abspath(directory)


def read_carried(directory: str) -> CarriedNotes:
    """The notes of the repository of a directory, or of the directory itself without one.

    Raises InvalidInput.
    """
    found = CarriedNotes(top_of(directory))
    root = os.path.join(found.top, carried.FOLDER)
    for folder in (root, os.path.join(root, "memory")):
        if os.path.islink(folder):
            name = os.path.relpath(folder, found.top)
            found.unreadable[name] = "it is a symbolic link, which is not followed"
            return found
    if carried.is_own_store(root):
        return found
    listing = tree.scan(root, ["memory"])
    for path in sorted(listing.files, key=lambda path: path.rpartition("/")[2]):
        shown = f"{carried.FOLDER}/{path}"
        try:
            problem = listing.problems.get(path, "")
            read = None if problem else tree.read_note(root, path)
        except UnreadableNote as error:
            problem, read = error.reason, None
        except FileNotFoundError:
            continue
        if read is not None:
            problem = tree.concern(read.note, path).partition(";")[0]
        if problem or read is None:
            found.unreadable[shown] = problem
        else:
            found.notes.append(CarriedNote(shown, read.note, read.data))
    return found
