"""A note of another program before it is imported, and how such files are read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.notes.fields import MemoryType

_LARGEST = 64 * 1024 * 1024  # of an export; a single note has its own, smaller limit
_LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class ImportDraft:
    """A note to import. `key` identifies it within its source: importing twice updates it."""

    key: str
    title: str
    body: str
    type: MemoryType = "semantic"
    project: str = ""  # empty: the one given to the import
    tags: list[str] = field(default_factory=list)
    at: str = ""  # when it was written, if that is known
    session: str = ""
    id: str = ""  # of the note, where it is not derived from the key alone


def read_text(path: str, *, most: int = -1) -> str:
    """The text of a file, or its first characters.

    Raises InvalidInput if it cannot be read or is too large to be read whole.
    """
    try:
        if most < 0 and os.path.getsize(path) > _LARGEST:
            raise InvalidInput(f"{path} is larger than {_LARGEST >> 20} MB.")
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as stream:
            return stream.read(most)
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {reason_of(error)}.") from error


def markdown_files(directory: str) -> Iterator[str]:
    """The markdown files below a directory, in order; links and hidden entries are skipped."""
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".md") and not name.startswith(".") and not os.path.islink(path):
                yield path


def title_of(text: str) -> str:
    """The first line that is not empty, as a title."""
    lines = (line.strip("#*->_ \t\r") for line in text.splitlines())
    line = next((line for line in lines if line), "Untitled")
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 2].rstrip() + " …"


def timestamp(value: object) -> str:
    """Another program's time in the form that notes use; empty if it is not a time."""
    try:
        if isinstance(value, int | float):
            seconds = value / 1000 if value > 1e11 else value  # JavaScript counts milliseconds
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
        moment = datetime.fromisoformat(str(value).strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
