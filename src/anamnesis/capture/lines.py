"""A transcript's lines, in constant memory, and careful access to the JSON in them."""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, Any

# The longest line that may hold something worth reading: a message with a pasted file. Longer ones
# are images and tool output; they are skipped in pieces of this size.
MAX_LINE = 8 * 1024 * 1024
# A transcript that is one document instead of lines (opencode) is read whole, so it is limited.
MAX_DOCUMENT = 64 * 1024 * 1024
# Codex compresses the sessions that it has not touched for a while.
PACKED = ".zst"
_BUFFER = 256 * 1024  # a third of the time that the usual 8 KiB takes, at two KB a line


def entries(
    path: str | os.PathLike[str], *, wanted: Callable[[bytes], bool]
) -> Iterator[dict[str, Any]]:
    """The JSON objects of the wanted lines; unreadable lines are skipped."""
    for line in lines(path):
        if wanted(line) and (entry := _parsed(line)) is not None:
            yield entry


def lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a file except those that are too long; none if it cannot be read."""
    try:
        with _opened(path) as file:
            while line := file.readline(MAX_LINE):
                if not line.endswith(b"\n") and len(line) == MAX_LINE:
                    _skip_rest_of_line(file.readline)
                else:
                    yield line
    except (OSError, ValueError):  # unreadable, gone, or a path that no system accepts
        return


def beginning(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    try:
        with _opened(path) as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""


def text(path: str | os.PathLike[str]) -> str:
    """The text of a file, as much of it as may be held; empty if it cannot be read."""
    return beginning(path, MAX_DOCUMENT).decode("utf-8", "replace")


def document(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The one JSON object that the file is, or None."""
    try:
        with _opened(path) as file:
            whole = file.read(MAX_DOCUMENT + 1)
    except (OSError, ValueError):
        return None
    return _parsed(whole) if len(whole) <= MAX_DOCUMENT else None


def can_unpack() -> bool:
    """Whether compressed files can be read: by the program `zstd`, which Python 3.11 lacks."""
    from shutil import which

    return which("zstd") is not None


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    with _regular_file(path) as file:
        if not os.fspath(path).endswith(PACKED):
            yield file
            return
        from anamnesis.ground.process import piped

        with piped(["zstd", "--decompress", "--stdout", "--quiet"], file) as unpacked:
            yield unpacked


def _regular_file(path: str | os.PathLike[str]) -> IO[bytes]:
    # The path comes from a payload: whatever is there, it must not block.
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{os.fspath(path)} is not a regular file")
    return open(descriptor, "rb", buffering=_BUFFER)


def _skip_rest_of_line(readline: Callable[[int], bytes]) -> None:
    while (piece := readline(MAX_LINE)) and not piece.endswith(b"\n"):
        pass


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(value: object) -> str:
    """`value` if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def text_of(content: object, *, kinds: tuple[str, ...] = ("text",)) -> str:
    """The text of a message: a plain string, or its text blocks, one per line."""
    if isinstance(content, str):
        return content
    texts = (block.get("text") for block in mappings(content) if block.get("type") in kinds)
    return "\n".join(text for text in texts if isinstance(text, str))
