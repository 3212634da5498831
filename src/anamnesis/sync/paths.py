"""Which paths travel: a remote may name anything, and we write only what this module allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anamnesis.notes.ids import is_valid_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MACHINES = ".machines"  # one small JSON file per machine, written only by that machine
TOMBSTONES = ".tombstones"  # one JSON file per forgotten note, all with the same bytes
_MAX_DEPTH = 8
_MAX_PART_BYTES = 255  # what common file systems take
# Control characters and what Windows refuses or reads as a path of its own.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\\ud800-\udfff]')


def travels(path: str) -> bool:
    """Whether a path, relative to the tree of portable notes, may be sent or written."""
    parts = path.split("/")
    if len(parts) == 2 and parts[0] in (MACHINES, TOMBSTONES):
        return parts[1].endswith(".json") and is_valid_id(parts[1].removesuffix(".json"))
    if not path.endswith(".md") or len(parts) > _MAX_DEPTH:
        return False
    return all(_is_safe(part) for part in parts)


def why_not(path: str) -> str:
    """Why what looks like a note of a person's does not travel; nothing for other files."""
    if path.endswith("/"):
        return "it is a git repository of its own"
    parts = path.split("/")
    if not is_note(path) or any(part.startswith(".") for part in parts):
        return ""
    if len(parts) > _MAX_DEPTH:
        return f"it is more than {_MAX_DEPTH - 1} folders deep"
    return "its name is not possible on every system; rename it"


def is_note(path: str) -> bool:
    """Whether a path that travels holds a note."""
    return path.endswith(".md")


def by_folded_name(paths: Iterable[str]) -> dict[str, str]:
    """The paths by what a file system that ignores case takes them for."""
    return {path.casefold(): path for path in paths}


def collides(path: str, present: Mapping[str, str]) -> bool:
    """Whether such a file system would take this path for another one that is there."""
    return present.get(path.casefold(), path) != path


def _is_safe(part: str) -> bool:
    """Whether one part of a path is an ordinary visible name on every system."""
    if not part or part.startswith((".", "-")) or part.endswith((".", " ")):
        return False
    return not _UNSAFE.search(part) and len(part.encode()) <= _MAX_PART_BYTES
