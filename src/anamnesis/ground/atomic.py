"""The one way a file is written: whole, durable, or not at all."""

from __future__ import annotations

import errno
import os
import sys

from anamnesis.ground.errors import NotWritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TEMP_PREFIX = ".tmp-"  # never ends in .md, so that no scan takes half a file for a note
_FEW = 8
_WRITERS = 8
_DISK_TROUBLE = (errno.EIO, errno.ENOSPC, errno.EDQUOT)


def make_directory(path: str) -> None:
    """Create a directory and its parents, readable by their owner only."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        make_directory(parent)  # not `makedirs`, which gives the parents the usual mode
    try:
        os.mkdir(path, mode=0o700)
    except FileExistsError:
        if os.path.isdir(path):
            return  # somebody else was faster
        raise NotWritable(path, reason="a file of that name is in the way") from None
    except OSError as error:
        raise NotWritable(path, reason=_reason(error)) from error


def write_bytes(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file's content; when this returns it survives a power cut."""
    directory = os.path.dirname(path)
    make_directory(directory)
    _replace(path, data, mode)
    _sync_directory(directory)


def write_all(files: Mapping[str, bytes], *, mode: int = 0o600) -> None:
    """Replace several files, each whole or not at all; faster than one by one.

    Most of the time is waiting for the disk, and the disk takes several files at once.
    """
    if len(files) < _FEW:
        for path, data in files.items():
            write_bytes(path, data, mode=mode)
        return
    from concurrent.futures import ThreadPoolExecutor

    folders = {os.path.dirname(path) for path in files}
    for folder in folders:
        make_directory(folder)
    with ThreadPoolExecutor(_WRITERS) as writers:
        waiting = [writers.submit(_replace, path, data, mode) for path, data in files.items()]
        for one in waiting:
            one.result()
    for folder in folders:
        _sync_directory(folder)


def write_text(path: str, text: str, *, mode: int = 0o600) -> None:
    """Replace a file's content with text, as UTF-8 and without touching its line ends."""
    write_bytes(path, text.encode(), mode=mode)


def rename(path: str, new: str) -> None:
    """Give a file or a folder another name, at once or not at all, and for good."""
    try:
        os.replace(path, new)
    except OSError as error:
        raise NotWritable(new, reason=_reason(error)) from error
    for folder in {os.path.dirname(path), os.path.dirname(new)}:
        _sync_directory(folder)


def remove(path: str) -> None:
    """Delete a file for good; one that is already gone is fine."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotWritable(path, reason=_reason(error)) from error
    _sync_directory(os.path.dirname(path))


def _replace(path: str, data: bytes, mode: int) -> None:
    name = f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    temporary = os.path.join(os.path.dirname(path), name)
    try:
        _write_durably(temporary, data, mode)
        os.replace(temporary, path)
    except OSError as error:
        _discard(temporary)
        raise NotWritable(path, reason=_reason(error)) from error
    except BaseException:
        _discard(temporary)
        raise


def _write_durably(path: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, mode), "wb") as stream:
        stream.write(data)
        stream.flush()
        _flush(stream.fileno())


def _flush(descriptor: int) -> None:
    """Let everything reach the disk itself, not only its cache."""
    if sys.platform == "darwin":  # where fsync stops at the disk's door
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(descriptor)  # a file system that cannot do more
        return
    os.fsync(descriptor)


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
        _flush(descriptor)
    except OSError as error:
        if error.errno in _DISK_TROUBLE:
            raise NotWritable(path, reason=_reason(error)) from error
        return  # some network file systems refuse to sync a directory
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
