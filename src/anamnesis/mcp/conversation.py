"""One client's messages, in the order that they come, and the answers to them."""

from __future__ import annotations

from _thread import allocate_lock

from anamnesis.mcp import jsonrpc
from anamnesis.mcp.jsonrpc import INVALID_REQUEST, ProtocolError
from anamnesis.mcp.protocol import SLOW, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from anamnesis.mcp.binding import Binding
    from anamnesis.mcp.jsonrpc import Request
    from anamnesis.mcp.workers import Workers


class Conversation:
    """Answers quick requests at once and slow ones beside them; survives whatever is sent."""

    def __init__(self, binding: Binding, send: Callable[[object], None]) -> None:
        self._protocol = Protocol(binding)
        self._send = send
        self._workers: Workers | None = None
        self._lock = allocate_lock()
        self._running: set[object] = set()
        self._cancelled: set[object] = set()

    def take(self, line: bytes) -> None:
        """Take one line of input."""
        try:
            message = jsonrpc.parsed(line)
        except ProtocolError as error:
            self._send(jsonrpc.failure(None, error))
            return
        if isinstance(message, list):
            self._take_batch(message)
        else:
            self._take_message(message)

    def refuse(self, reason: str) -> None:
        """Tell the client that something could not even be read."""
        self._send(jsonrpc.failure(None, ProtocolError(INVALID_REQUEST, reason)))

    def finish(self, timeout: float | None) -> bool:
        """Let the calls that are under way end; gives whether they did in time."""
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
            return jsonrpc.request(message)
        except ProtocolError as error:
            self._send(jsonrpc.failure(jsonrpc.id_of(message), error))
            return None

    def _answer_batch(self, messages: list[Any]) -> None:
        answers = []
        for message in messages:
            try:
                request = jsonrpc.request(message)
            except ProtocolError as error:
                answers.append(jsonrpc.failure(jsonrpc.id_of(message), error))
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
            if jsonrpc.is_id(request_id) and request_id in self._running:
                self._cancelled.add(request_id)

    def _beside(self, job: Callable[[], None]) -> None:
        if self._workers is None:
            from anamnesis.mcp.workers import Workers

            self._workers = Workers()
        self._workers.submit(job)
