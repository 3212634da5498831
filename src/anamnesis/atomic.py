"""The one way a file is written: whole, durable, or not at all."""

from __future__ import annotations

import os

from anamnesis.errors import NotWritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MANY = 20  # from here on one sync of the disk is cheaper than one for each file
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
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
    temporary = _temporary_beside(path)
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


def write_many(files: Sequence[tuple[str, bytes]], *, mode: int = 0o600) -> None:
    """Replace several files, each as a whole; when this returns all survive a power cut.

    Many are made durable together: waiting for the disk once instead of for each file.
    """
    if len(files) < _MANY or not hasattr(os, "sync"):
        for path, data in files:
            write_bytes(path, data, mode=mode)
        return
    temporary = [(_temporary_beside(path), path) for path, _ in files]
    try:
        for (name, path), (_, data) in zip(temporary, files, strict=True):
            make_directory(os.path.dirname(path))
            _write_new(name, data, mode)
        os.sync()  # nothing is renamed before its content is on the disk
        for name, path in temporary:
            os.replace(name, path)
    except OSError as error:
        raise NotWritable(files[0][0], reason=_reason(error)) from error
    finally:
        for name, _ in temporary:
            _discard(name)
    for directory in {os.path.dirname(path) for path, _ in files}:
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


def _temporary_beside(path: str) -> str:
    name = f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    return os.path.join(os.path.dirname(path), name)


def _write_durably(path: str, data: bytes, mode: int) -> None:
    with open(os.open(path, _NEW, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _write_new(path: str, data: bytes, mode: int) -> None:
    with open(os.open(path, _NEW, mode), "wb") as stream:
        stream.write(data)


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
