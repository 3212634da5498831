"""A few threads for calls that take a while, started as they are needed."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 4  # agents ask for a handful of things at once; the store has one connection anyway


class Workers:
    """Runs jobs beside the reader of requests; jobs must not raise."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._open = 0
        self._threads: list[Thread] = []

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job as soon as a thread is free."""
        with self._lock:
            self._open += 1
            if self._open > len(self._threads) and len(self._threads) < _MOST:
                # A daemon: a call that hangs must not keep the process after its client is gone.
                thread = Thread(target=self._work, daemon=True)
                self._threads.append(thread)
                thread.start()
        self._jobs.put(job)

    def finish(self, timeout: float | None) -> bool:
        """Let everything that was submitted end; gives whether it did in time."""
        for _ in self._threads:
            self._jobs.put(None)
        deadline = None if timeout is None else monotonic() + timeout
        for thread in self._threads:
            thread.join(None if deadline is None else max(0.0, deadline - monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()
            with self._lock:
                self._open -= 1
