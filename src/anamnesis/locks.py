"""Locks between processes: with a time limit, and with the holder's name when we give up."""

from __future__ import annotations

import os
from contextlib import contextmanager

from anamnesis import atomic, clock
from anamnesis.errors import NotWritable, StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_POLL_SECONDS = 0.005  # a note is written in a few milliseconds; longer naps would show


@contextmanager
def held(path: str, *, name: str, timeout: float) -> Iterator[None]:
    """Hold the lock at `path`; a process that dies gives it up by itself."""
    from filelock import FileLock, Timeout

    atomic.make_directory(os.path.dirname(path))
    lock = FileLock(path, timeout=timeout, mode=0o600)
    try:
        lock.acquire(poll_interval=_POLL_SECONDS)
    except Timeout:
        raise StoreBusy(name, holder=holder_of(path), waited=timeout) from None
    except OSError as error:
        raise NotWritable(path, reason=(error.strerror or str(error)).lower()) from error
    try:
        _sign(path)
        yield
    finally:
        lock.release()


def holder_of(path: str) -> str:
    """Who took this lock last, for example `process 4711 (anamnesis sync) since 2026-…`."""
    try:
        with open(f"{path}.holder", encoding="utf-8", errors="replace") as stream:
            return stream.readline(200).strip()
    except OSError:
        return ""


def _sign(path: str) -> None:
    import sys

    command = " ".join(["anamnesis", *sys.argv[1:2]])
    try:
        with open(f"{path}.holder", "w", encoding="utf-8") as stream:
            stream.write(f"process {os.getpid()} ({command}) since {clock.utcnow()}\n")
    except OSError:
        return  # only the name in a later message is lost
