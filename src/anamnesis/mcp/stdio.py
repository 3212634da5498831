"""The server on standard input and output, with nothing but the standard library.

Standard output belongs to the protocol: it is redirected to standard error for everything else
first, so that a stray print cannot break the conversation.
"""

from __future__ import annotations

import io
import os
import signal
import sys

from anamnesis.ground.startup import allocate_lock
from anamnesis.mcp import protocol
from anamnesis.mcp.conversation import Conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import BinaryIO

    from _typeshed import WriteableBuffer

    from anamnesis.mcp.workspace import Binding

_LONGEST_MESSAGE = 4 * 1024 * 1024  # a note of 256 KB with every character escaped, and some margin
_GRACE_SECONDS = 2.0  # clients kill a server that does not exit soon after they ask


class _Stopped(BaseException):
    """The client asked the server to stop, or is gone."""


def serve(binding: Binding) -> int:
    """Serve one client until it closes its end, goes away, or asks the server to stop."""
    try:
        output = _Output(_claim_stdout())
    except OSError:
        return 0  # the client is gone
    conversation = Conversation(binding, output.send)
    try:
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        for line in _lines(_input()):
            if line is None:
                conversation.refuse(f"Invalid request: more than {_LONGEST_MESSAGE} bytes")
            else:
                conversation.take(line)
        ended = conversation.finish(None)
        _hold_signals()
    except _Stopped:
        ended = conversation.finish(_GRACE_SECONDS)
        _hold_signals()
    if ended:
        binding.close()
    return 0


class _Output:
    """The only writer to standard output: whole messages, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = allocate_lock()
        self._open = True

    def send(self, message: object) -> None:
        """Send a message; when the client is gone, end instead."""
        data = memoryview(protocol.encoded(message))
        with self._lock:
            try:
                while data and self._open:
                    data = data[self._written(data) :]
            except OSError:
                self._open = False
                os.kill(os.getpid(), signal.SIGTERM)

    def _written(self, data: memoryview) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            from select import select

            select([], [self._descriptor], [])
            return 0


class _Interruptible(io.RawIOBase):
    """Standard input whose reader wakes up for a signal, whichever thread receives it.

    Of two signals at once, the kernel may give both to another thread; Python would only note
    them and a plain `read` would sleep on.
    """

    def __init__(self) -> None:
        self._woken, alarm = os.pipe()
        os.set_blocking(alarm, False)
        signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        from select import select

        while True:
            ready, _, _ = select([0, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 64)
            if 0 in ready:
                target = memoryview(buffer)
                data = os.read(0, len(target))
                target[: len(data)] = data
                return len(data)


def _input() -> BinaryIO:
    if os.name == "nt":
        return sys.stdin.buffer  # select works on sockets only there, and signals ignore threads
    return io.BufferedReader(_Interruptible())


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream; None stands for one that is too long to be a message."""
    while line := stream.readline(_LONGEST_MESSAGE):
        if len(line) == _LONGEST_MESSAGE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST_MESSAGE)
            yield None
        elif not line.isspace():
            yield line


def _claim_stdout() -> int:
    """Take standard output for the protocol; every other print goes to standard error."""
    try:
        os.fstat(2)
    except OSError:
        os.open(os.devnull, os.O_WRONLY)  # becomes the missing descriptor 2
    descriptor = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return descriptor


def _stop(_number: int, _frame: FrameType | None) -> None:
    # Clients send SIGINT and, a moment later, SIGTERM: one of them is enough.
    signal.signal(signal.SIGTERM, _heard)
    signal.signal(signal.SIGINT, _heard)
    raise _Stopped


def _heard(_number: int, _frame: FrameType | None) -> None:
    pass


def _hold_signals() -> None:
    """Ignore late signals: Python drops its handlers at exit, and the exit would not be clean."""
    # Ignored rather than blocked: a mask holds for one thread only, and workers may still live.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
