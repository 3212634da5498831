"""The one way a file is written: whole, durable, or not at all."""

from __future__ import annotations

import os

from anamnesis.errors import NotWritable

TEMP_PREFIX = ".tmp-"  # never ends in .md, so that no scan takes half a file for a note


def make_directory(path: str) -> None:
    """Create a directory and its parents, readable by their owner only."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise NotWritable(path, reason=_reason(error)) from error


def write_bytes(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file's content; when this returns it survives a power cut."""
    directory = os.path.dirname(path)
    temporary = os.path.join(directory, f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}")
    make_directory(directory)
    try:
        _write_durably(temporary, data, mode)
        os.replace(temporary, path)
    except OSError as error:
        _discard(temporary)
        raise NotWritable(path, reason=_reason(error)) from error
    except BaseException:
        _discard(temporary)
        raise
    _sync_directory(directory)


def write_text(path: str, text: str, *, mode: int = 0o600) -> None:
    """Replace a file's content with text, as UTF-8 and without touching its line ends."""
    write_bytes(path, text.encode(), mode=mode)


def remove(path: str) -> None:
    """Delete a file for good; one that is already gone is fine."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotWritable(path, reason=_reason(error)) from error
    _sync_directory(os.path.dirname(path))


def _write_durably(path: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # the first error is the one to report; a left-over is swept by reindex


def _sync_directory(path: str) -> None:
    if os.name == "nt":
        return  # Windows cannot open a directory; its rename is journalled
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        return  # some network file systems refuse to sync a directory
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
