"""Writing files: completely and durably, or not at all.

Between a comparison and a rename there is always a moment in which an editor may save. So
`exchange` swaps the names of the old and the new file, which keeps the displaced version until it
has been compared; a save that came in between is put back.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from anamnesis.ground.errors import NotWritable, reason_of
from anamnesis.ground.system import flush_disk, is_being_written, name_exchanger, system_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TEMP_PREFIX = ".tmp-"  # never ends in .md, so that no scan reads half a file as a note
_IS_WINDOWS = os.name == "nt"
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # seconds; Anamnesis itself keeps a file open for less
TICK_NS = 20_000_000  # two changes of a file this close may have the same time stamp
_FEW = 8
_WRITERS = 8
_DISK_TROUBLE = (errno.EIO, errno.ENOSPC, errno.EDQUOT)

Replacement = tuple[str, "bytes | None", "bytes | None"]  # path, before, after; None: no file
# A new file's size, time and inode, and a moment before anyone else could change it.
Written = tuple[tuple[int, int, int], int]


def make_directory(path: str) -> None:
    """Create a directory and its parents durably, readable by the owner only.

    Raises NotWritable.
    """
    if os.path.isdir(path or os.curdir):
        return
    parent = os.path.dirname(path)
    if parent != path:
        make_directory(parent)  # not `makedirs`, which gives the parents the default mode
    try:
        os.mkdir(path, mode=0o700)
    except FileExistsError:
        if os.path.isdir(path):
            return  # another process was faster
        raise NotWritable(path, reason="a file of that name is in the way") from None
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
    sync_directory(parent)


def write_bytes(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Replace a file's content; when this returns it survives a power cut."""
    directory = os.path.dirname(path)
    make_directory(directory)
    _replace(path, data, mode)
    sync_directory(directory)


def write_text(path: str, text: str, *, mode: int = 0o600) -> None:
    """Replace a file's content with text, as UTF-8 and without touching its line ends."""
    write_bytes(path, text.encode(), mode=mode)


def rename(path: str, new: str) -> None:
    """Rename a file or folder atomically and durably.

    Raises NotWritable.
    """
    try:
        _give_name(path, new)
    except OSError as error:
        raise NotWritable(new, reason=reason_of(error)) from error
    for folder in {os.path.dirname(path), os.path.dirname(new)}:
        sync_directory(folder)


def remove(path: str) -> None:
    """Delete a file durably; one that is already gone is fine. Raises NotWritable."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
    sync_directory(os.path.dirname(path))


def _replace(path: str, data: bytes, mode: int) -> None:
    temporary = temporary_beside(path)
    try:
        write_durably(temporary, data, mode)
        _give_name(temporary, path)
    except OSError as error:
        discard(temporary)
        raise NotWritable(path, reason=reason_of(error)) from error
    except BaseException:
        discard(temporary)
        raise


def _give_name(path: str, new: str) -> None:
    """Rename over an existing file; on Windows, wait until readers have closed it."""
    for pause in _PAUSES if _IS_WINDOWS else ():
        try:
            os.replace(path, new)
        except PermissionError:  # another process has the file open, an indexer or a scanner
            time.sleep(pause)
        else:
            return
    os.replace(path, new)


def temporary_beside(path: str) -> str:
    """An unused name in the folder of another file."""
    name = f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    return os.path.join(os.path.dirname(path), name)


def write_durably(path: str, data: bytes, mode: int = 0o600) -> None:
    """Create a file whose content is on the disk when this returns; raises OSError."""
    _write(path, data, mode, then=_flush)


def _write(
    path: str, data: bytes, mode: int = 0o600, *, then: Callable[[int], None] | None = None
) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    try:
        unwritten = memoryview(data)
        while unwritten:
            unwritten = unwritten[os.write(descriptor, unwritten) :]
        if then is not None:
            then(descriptor)
    finally:
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    """Flush to the disk itself, not only to its cache."""
    if sys.platform == "darwin":  # where fsync does not flush the disk's cache
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(descriptor)  # the file system does not support it
        return
    os.fsync(descriptor)


def discard(path: str) -> None:
    """Remove an unimportant file if possible."""
    try:
        os.unlink(path)
    except OSError:
        return  # the first error is the one to report; a left-over is swept by reindex


def sync_directory(path: str) -> None:
    """Make creations, renames and removals in a folder durable.

    Raises NotWritable.
    """
    if os.name == "nt":
        return  # Windows cannot open a directory; its rename is journalled
    try:
        descriptor = os.open(path or os.curdir, os.O_RDONLY)
    except PermissionError:
        return  # a folder above the store, such as /home, that we may not open
    try:
        _flush(descriptor)
    except OSError as error:
        if error.errno in _DISK_TROUBLE:
            raise NotWritable(path, reason=reason_of(error)) from error
        return  # some network file systems refuse to sync a directory
    finally:
        os.close(descriptor)


def fill_directory(path: str, files: Iterable[tuple[str, bytes]], *, aside: str) -> bool:
    """Create a folder with these files atomically; False if that is not possible.

    It is built at `aside` first, on the same disk. It survives a kill, but not a power cut.
    """
    import shutil

    shutil.rmtree(aside, ignore_errors=True)  # left behind by a killed run
    try:
        os.mkdir(aside, mode=0o700)
        for name, data in files:
            _write(os.path.join(aside, name), data)
        os.rename(aside, path)
    except OSError:  # this disk folds two names into one, or the folder exists by now
        shutil.rmtree(aside, ignore_errors=True)
        return False
    return True


def exchange(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Replace a file's content; False, and it is left alone, if it has changed meanwhile.

    When this returns True, the new content survives a power cut. Raises NotWritable.
    """
    return not exchange_all([(path, before, after)])


def exchange_all(
    replacements: Sequence[Replacement],
    *,
    for_good: bool = False,
    durable: bool = True,
    written: dict[str, Written] | None = None,
) -> list[str]:
    """Replace the content of several files; returns the paths of those that changed meanwhile.

    New content is written before anything is removed: a kill in between leaves a note twice, never
    not at all. With `for_good`, a removed file is never kept under another name, not even briefly.
    Unless `durable`, changes survive a kill but not a power cut. Where many files are written,
    `written` gets the state of each, so that none has to be read back. Raises NotWritable.
    """
    writes = [(path, before, data) for path, before, data in replacements if data is not None]
    folders = {os.path.dirname(path) for path, _, _ in writes}
    for folder in folders:
        make_directory(folder)
    moved_on = _exchange_each(writes, durable=durable, written=written)
    for folder in folders if durable else ():
        sync_directory(folder)
    removals = [
        (path, before) for path, before, data in replacements if data is None and before is not None
    ]
    remove = _remove_for_good if for_good else _remove
    moved_on += [path for path, before in removals if not remove(path, before)]
    for folder in {os.path.dirname(path) for path, _ in removals}:
        if os.path.isdir(folder):
            sync_directory(folder)
    return moved_on


def _exchange_each(
    writes: Sequence[tuple[str, bytes | None, bytes]],
    *,
    durable: bool,
    written: dict[str, Written] | None,
) -> list[str]:
    """Write some files: many with one flush of their disk, or in parallel without `syncfs`."""
    if len(writes) < _FEW or not durable:
        replaced = [_exchange_one(*each, durable=durable) for each in writes]
    elif flush := system_call("syncfs"):
        replaced = _exchange_together(writes, flush, {} if written is None else written)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_WRITERS) as writers:
            replaced = list(writers.map(lambda each: _exchange_one(*each), writes))
    return [each[0] for each, is_replaced in zip(writes, replaced, strict=True) if not is_replaced]


def _exchange_together(
    writes: Sequence[tuple[str, bytes | None, bytes]],
    flush: Callable[..., int],
    written: dict[str, Written],
) -> list[bool]:
    """Write all files under temporary names, flush their disk, and then give each its name.

    Flushing a thousand files one by one takes as long as the rest of an import.
    """
    waiting = {path: temporary_beside(path) for path, _, _ in writes}
    stamps: list[tuple[int, int, int]] = []

    def remember_stamp(descriptor: int) -> None:
        status = os.fstat(descriptor)
        stamps.append((status.st_size, status.st_mtime_ns, status.st_ino))

    path = writes[0][0]
    try:
        for path, _, after in writes:
            _write(waiting[path], after, then=remember_stamp)
        for folder in {os.path.dirname(path) for path in waiting}:
            flush_disk(folder, flush)
        _wait_for_tick(max(stamp[1] for stamp in stamps))
        replaced = []
        for (path, before, after), stamp in zip(writes, stamps, strict=True):
            now = time.time_ns()
            replaced.append(_put(waiting[path], path, before, after))
            if replaced[-1]:
                written[path] = (stamp, now)
            discard(waiting.pop(path))
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
    finally:
        for fresh in waiting.values():
            discard(fresh)
    return replaced


def _wait_for_tick(since_ns: int) -> None:
    """Wait until a change made now gets a later time stamp than the ones before."""
    remaining_ns = since_ns + TICK_NS - time.time_ns()
    if 0 < remaining_ns <= TICK_NS:
        time.sleep(remaining_ns / 1e9)


def _exchange_one(path: str, before: bytes | None, after: bytes, *, durable: bool = True) -> bool:
    fresh = temporary_beside(path)
    try:
        _write(fresh, after, then=_flush if durable else None)
        return _put(fresh, path, before, after)
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
    finally:
        discard(fresh)


def _put(fresh: str, path: str, before: bytes | None, after: bytes) -> bool:
    """Give a file its name; False if an unexpected file has it by now."""
    if before is None:
        return _put_new(fresh, path)
    if _read(path) != before:
        return False
    exchange_names = name_exchanger()
    if exchange_names is None or not exchange_names(fresh, path):
        _give_name(fresh, path)
        return True
    return _is_displaced(fresh, path, before, after, exchange_names)


def _put_new(fresh: str, path: str) -> bool:
    """Give a file its name, unless the name is taken by now."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        _give_name(fresh, path)
    return True


def _is_displaced(
    fresh: str, path: str, before: bytes, after: bytes, exchange_names: Callable[[str, str], bool]
) -> bool:
    """Whether the displaced version is the expected one; any other is put back."""
    if not is_being_written(fresh) and _read(fresh) == before:
        return True
    ours = after
    while True:
        newer = _read(fresh)
        if not exchange_names(fresh, path) or _read(fresh) == ours:
            return False
        # Another save while the last one was put back: keep the latest.
        ours = newer or b""


def _remove(path: str, before: bytes) -> bool:
    if _read(path) != before:
        return False
    aside = temporary_beside(path)
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise NotWritable(path, reason=reason_of(error)) from error
    if not is_being_written(aside) and _read(aside) == before:
        discard(aside)
        return True
    _put_new(aside, path)
    discard(aside)
    return False


def _remove_for_good(path: str, before: bytes) -> bool:
    if _read(path) != before:
        return False
    remove(path)
    return True


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
