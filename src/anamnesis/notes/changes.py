"""Files of notes before and after a change, and how several of them are changed safely."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground import atomic
from anamnesis.ground.errors import FileInTheWay, NoteChangedOnDisk
from anamnesis.notes import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_FILE = b"\0"  # stands for a link, pipe or folder: nothing that Anamnesis ever wrote


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None where there is none. The path is relative to the root."""

    path: str
    before: bytes | None
    after: bytes | None


def carry_out(root: str, changes: Sequence[FileChange]) -> None:
    """Write the changes, the store's lock being held.

    Raises NoteChangedOnDisk or FileInTheWay, and writes nothing, if a file is no longer what it
    was. What is new is written first: killed in between, a note is there twice and not lost.
    """
    for change in changes:
        found = current(root, change.path)
        if found != change.before:
            raise (FileInTheWay if change.before is None else NoteChangedOnDisk)(change.path)
    new = {os.path.join(root, each.path): each.after for each in changes if each.after is not None}
    atomic.write_all(new)
    for change in changes:
        if change.after is None:
            atomic.remove(os.path.join(root, change.path))


def current(root: str, path: str) -> bytes | None:
    """What a file says; None if there is none."""
    absolute = os.path.join(root, path)
    data = tree.bytes_at(absolute)
    return _NO_FILE if data is None and os.path.lexists(absolute) else data
