"""Other processes: children that outlive their caller, and programs that write to a file."""

from __future__ import annotations

import os

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
        refused = _is_open_for_writing(own)  # on some network disks every file looks like that
        os.unlink(own)
    except OSError:
        return True
    return not refused


def _is_open_for_writing(path: str) -> bool:
    """Whether a lease is refused because a program writes to a file; False without leases."""
    try:
        from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, F_UNLCK, fcntl
        from signal import SIGURG  # is ignored; the usual signal would end this process

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
