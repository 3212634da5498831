"""System features that Python does not offer.

Children that outlive their parent, whether a file is being written to, swapping two names,
flushing one disk, whether a disk is read-only.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_AT_FDCWD, _EXCHANGE = -100, 2  # of Linux: renameat2(2)
_let_go: list[int] = []  # a long-running server must not collect zombies


def let_go(child: int) -> None:
    """Do not wait for this child; earlier ones that have ended are reaped."""
    if os.name != "nt":
        _let_go[:] = [*filter(_is_running, _let_go), child]


def _is_running(child: int) -> bool:
    try:
        return os.waitpid(child, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False  # something else waited for it


def is_being_written(displaced: str) -> bool:
    """Whether a program that opened a file before it was displaced may still write to it."""
    if not _is_open_for_writing(displaced):
        return False
    own = f"{displaced}-own"
    try:
        os.close(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        refused = _is_open_for_writing(own)  # some network disks refuse every lease
        os.unlink(own)
    except OSError:
        return True
    return not refused


def is_read_only(path: str) -> bool:
    """Whether the disk of a path is mounted read-only."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except (OSError, AttributeError):  # Windows has no such call
        return False


def _is_open_for_writing(path: str) -> bool:
    """Whether a lease is refused because a program writes to a file; False without leases."""
    try:
        from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, F_UNLCK, fcntl
        from signal import SIGURG  # ignored by default; the usual signal would end this process

        descriptor = os.open(path, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl(descriptor, F_SETSIG, SIGURG)
        fcntl(descriptor, F_SETLEASE, F_RDLCK)
        fcntl(descriptor, F_SETLEASE, F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def name_exchanger() -> Callable[[str, str], bool] | None:
    """A function that swaps the names of two files, or None where the system has none."""
    rename = system_call("renameat2")
    if rename is None:
        return None

    def exchange_names(one: str, two: str) -> bool:
        names = os.fsencode(one), os.fsencode(two)
        return rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0

    return exchange_names


def flush_disk(folder: str, flush: Callable[..., int]) -> None:
    """Flush the disk that a folder is on, with `syncfs`. Raises OSError."""
    import ctypes

    descriptor = os.open(folder, os.O_RDONLY)
    failed = flush(descriptor)
    code = ctypes.get_errno()
    os.close(descriptor)
    if failed:
        raise OSError(code, os.strerror(code))


def system_call(name: str) -> Callable[..., int] | None:
    """A call that Python does not offer, or None where the system has none."""
    try:
        import ctypes

        call: Callable[..., int] = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (ImportError, OSError, AttributeError, TypeError):
        return None
    return call
