"""One client's messages, in the order they arrive, and the answers to them."""

from __future__ import annotations

from anamnesis.ground.startup import allocate_lock
from anamnesis.mcp import protocol
from anamnesis.mcp.protocol import INVALID_REQUEST, SLOW, Protocol, ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from queue import SimpleQueue
    from threading import Thread
    from typing import Any

    from anamnesis.mcp.protocol import Request
    from anamnesis.mcp.workspace import Binding

_MOST_WORKERS = 4  # agents send a few calls at once; the store has one connection anyway


class Conversation:
    """Answers quick requests at once and slow ones in threads; survives any input."""

    def __init__(self, binding: Binding, send: Callable[[object], None]) -> None:
        self._protocol = Protocol(binding)
        self._send = send
        self._workers: _Workers | None = None
        self._lock = allocate_lock()
        self._running: set[object] = set()
        self._cancelled: set[object] = set()

    def take(self, line: bytes) -> None:
        """Handle one line of input."""
        try:
            message = protocol.parsed(line)
        except ProtocolError as error:
            self._send(protocol.failure(None, error))
            return
        if isinstance(message, list):
            self._take_batch(message)
        else:
            self._take_message(message)

    def refuse(self, reason: str) -> None:
        """Tell the client that a message could not be read."""
        self._send(protocol.failure(None, ProtocolError(INVALID_REQUEST, reason)))

    def finish(self, timeout: float | None) -> bool:
        """Wait for the calls in progress; whether they ended in time."""
        return self._workers.finish(timeout) if self._workers else True

    def _take_message(self, message: object) -> None:
        request = self._request(message)
        if request is None:
            return
        if request.method == "notifications/cancelled":
            self._cancel(request.params.get("requestId"))
        elif request.id is not None and request.method in SLOW:
            with self._lock:
                self._running.add(request.id)
            self._beside(lambda: self._answer_unless_cancelled(request))
        elif answer := self._protocol.answer(request):
            self._send(answer)

    def _take_batch(self, messages: list[Any]) -> None:
        if not messages:
            self.refuse("Invalid request: empty batch")
        elif self._protocol.takes_batches:
            self._beside(lambda: self._answer_batch(messages))
        else:
            self.refuse("Invalid request: batches are not part of this protocol version")

    def _request(self, message: object) -> Request | None:
        try:
            return protocol.request(message)
        except ProtocolError as error:
            self._send(protocol.failure(protocol.id_of(message), error))
            return None

    def _answer_batch(self, messages: list[Any]) -> None:
        answers = []
        for message in messages:
            try:
                request = protocol.request(message)
            except ProtocolError as error:
                answers.append(protocol.failure(protocol.id_of(message), error))
                continue
            answer = self._protocol.answer(request) if request else None
            if answer:
                answers.append(answer)
        if answers:
            self._send(answers)

    def _answer_unless_cancelled(self, request: Request) -> None:
        answer = None if self._is_cancelled(request) else self._protocol.answer(request)
        if answer and not self._is_cancelled(request):
            self._send(answer)
        with self._lock:
            self._running.discard(request.id)
            self._cancelled.discard(request.id)

    def _is_cancelled(self, request: Request) -> bool:
        with self._lock:
            return request.id in self._cancelled

    def _cancel(self, request_id: object) -> None:
        with self._lock:
            if protocol.is_id(request_id) and request_id in self._running:
                self._cancelled.add(request_id)

    def _beside(self, job: Callable[[], None]) -> None:
        if self._workers is None:
            self._workers = _Workers()
        self._workers.submit(job)


class _Workers:
    """Threads for slow calls, started when needed; jobs must not raise."""

    def __init__(self) -> None:
        # Most sessions start a server that they never call: those pay for no threads.
        from queue import SimpleQueue

        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = allocate_lock()
        self._open = 0
        self._threads: list[Thread] = []

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job as soon as a thread is free."""
        with self._lock:
            self._open += 1
            if self._open > len(self._threads) and len(self._threads) < _MOST_WORKERS:
                from threading import Thread

                # A daemon: a call that hangs must not keep the process after its client is gone.
                thread = Thread(target=self._work, daemon=True)
                self._threads.append(thread)
                thread.start()
        self._jobs.put(job)

    def finish(self, timeout: float | None) -> bool:
        """Wait for every submitted job; whether they ended in time."""
        from time import monotonic

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
