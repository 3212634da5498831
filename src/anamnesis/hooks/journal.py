"""A file of JSON lines that forgets its oldest half instead of growing."""

from __future__ import annotations

import json
import os

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_TAIL_BYTES = 128 * 1024  # what a hook reads back: hundreds of lines, in a millisecond


def append(path: str, entry: Mapping[str, Any], *, limit: int) -> None:
    """Add one line; several processes may do so at once."""
    line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    try:
        atomic.make_directory(os.path.dirname(path))
        # One write in append mode is not torn apart by other writers.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
            full = os.fstat(descriptor).st_size > limit
        finally:
            os.close(descriptor)
        if full:
            os.replace(path, previous(path))
    except (OSError, NotWritable):
        return


def previous(path: str) -> str:
    """The file that holds the older half."""
    return f"{path}.1"


def latest(path: str, *, containing: str = "", whole: bool = False) -> Iterator[dict[str, Any]]:
    """The lines of a journal, newest first; only recent ones unless the whole is asked for."""
    needle = json.dumps(containing, ensure_ascii=False)[1:-1].encode() if containing else b""
    for file in (path, previous(path)):
        for line in reversed(_tail(file, whole=whole).splitlines()):
            if needle in line and (entry := _parsed(line)) is not None:
                yield entry


def _tail(path: str, *, whole: bool) -> bytes:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0 if whole else max(0, size - _TAIL_BYTES))
            return file.read()
    except OSError:
        return b""


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:  # the first line of a tail is usually half of one
        return None
    return entry if isinstance(entry, dict) else None
