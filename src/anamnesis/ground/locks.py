"""Locks between processes: with a time limit, and the holder's name in the error."""

from __future__ import annotations

import os
import time

from anamnesis.ground import atomic, clock
from anamnesis.ground.errors import NotWritable, StoreBusy, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

_POLL_SECONDS = 0.005  # a note is written in a few milliseconds; longer sleeps would be noticeable


def held(path: str, *, name: str, timeout: float) -> AbstractContextManager[None]:
    """Hold the lock at `path` in a `with` block; it is released if the process dies.

    Raises StoreBusy when time is up, and NotWritable if the lock file cannot be created.
    """
    return _Held(path, name, timeout)


class _Held:
    def __init__(self, path: str, name: str, timeout: float) -> None:
        self._path, self._name, self._timeout = path, name, timeout

    def __enter__(self) -> None:
        atomic.make_directory(os.path.dirname(self._path))
        try:
            release = _acquire(self._path, self._timeout)
        except OSError as error:
            raise NotWritable(self._path, reason=reason_of(error)) from error
        if release is None:
            raise StoreBusy(self._name, holder=holder_of(self._path), waited=self._timeout)
        self._release = release
        try:
            _sign(self._path)
        except BaseException:
            release()
            raise

    def __exit__(self, *_: object) -> None:
        self._release()


def is_held(path: str) -> bool:
    """Whether a living process holds the lock at `path` right now."""
    if not os.path.exists(path):
        return False
    try:
        release = _acquire(path, 0)
    except OSError:
        return False
    if release is None:
        return True
    release()
    return False


def _acquire(path: str, timeout: float) -> Callable[[], None] | None:
    """Take the lock; returns a function that releases it, or None when time is up."""
    if os.name == "nt":
        return _acquire_on_windows(path, timeout)
    deadline = time.monotonic() + timeout
    try:
        # Only one process at a time waits for the lock itself, so that one which takes it again
        # and again cannot overtake those that wait. They queue on the file that names the holder.
        turn = _flock(_holder_file(path), deadline)
    except OSError:  # a full disk, or another user's file: do without a queue
        turn = -1
    if turn is None:
        return None
    try:
        descriptor = _flock(path, deadline)
    finally:
        if turn >= 0:
            _release(turn)
    return None if descriptor is None else lambda: _release(descriptor)


def _flock(path: str, deadline: float) -> int | None:
    """The descriptor of a file that is locked now; None when time is up."""
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                return None
            time.sleep(_POLL_SECONDS)
        except BaseException:
            os.close(descriptor)
            raise
        else:
            return descriptor


def _release(descriptor: int) -> None:
    import fcntl

    # A program that another thread is starting has a copy of the descriptor until it runs: with
    # close alone, it would keep the lock.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _acquire_on_windows(path: str, timeout: float) -> Callable[[], None] | None:
    # Only here: loading filelock costs four times what starting Python does.
    from filelock import FileLock, Timeout

    lock = FileLock(path, timeout=timeout)
    try:
        lock.acquire(poll_interval=_POLL_SECONDS)
    except Timeout:
        return None
    release: Callable[[], None] = lock.release
    return release


def holder_of(path: str) -> str:
    """Who took this lock last, for example `process 4711 (anamnesis sync) since 2026-…`."""
    try:
        with open(_holder_file(path), encoding="utf-8", errors="replace") as stream:
            return stream.readline(200).strip()
    except OSError:
        return ""


def _holder_file(path: str) -> str:
    return f"{path}.holder"


def _sign(path: str) -> None:
    import sys

    command = " ".join(["anamnesis", *sys.argv[1:2]])
    try:
        with open(_holder_file(path), "w", encoding="utf-8", opener=_privately) as stream:
            stream.write(f"process {os.getpid()} ({command}) since {clock.utcnow()}\n")
    except OSError:
        return  # only the holder's name in a message is lost


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
