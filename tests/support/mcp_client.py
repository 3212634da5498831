"""A real server process, and a raw line-by-line client for it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_RUN = "import sys; from anamnesis.cli import main; sys.exit(main(sys.argv[1:]))"
SERVE = [sys.executable, "-c", _RUN, "serve"]
PATIENCE = 30.0  # seconds; other suites share this machine
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Server:
    """`anamnesis serve` in a process of its own, spoken to in lines."""

    def __init__(self, home: Path, *, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            SERVE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "ANAMNESIS_HOME": str(home), **(env or {})},
            cwd=home.parent,
        )
        self._received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._waiting: dict[object, Any] = {}
        self._next = 0
        self.talk: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read_answers),
            threading.Thread(target=self._read_talk),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request and wait for the message that answers it."""
        return self.answer_to(self.start(method, params))

    def start(self, method: str, params: object = None) -> int:
        """Send a request and give its id."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(line(message if params is None else {**message, "params": params}))
        return self._next

    def tell(self, method: str, params: object = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.send(line(message if params is None else {**message, "params": params}))

    def answer_to(self, request_id: object) -> dict[str, Any]:
        while request_id not in self._waiting:
            message = self.receive()
            self._waiting[message.get("id")] = message
        found: dict[str, Any] = self._waiting.pop(request_id)
        return found

    def receive(self) -> Any:
        """The next message, whatever it answers."""
        data = self._received.get(timeout=PATIENCE)
        assert data, f"the server ended: {b''.join(self.talk).decode()}"
        return json.loads(data)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})[
            "result"
        ]
        return found

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        found: dict[str, Any] = self.ask("initialize", {**INITIALIZE, "protocolVersion": version})
        self.tell("notifications/initialized")
        return found

    def end(self) -> int:
        """Close the server's input and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def _read_answers(self) -> None:
        assert self.process.stdout is not None
        for answer in self.process.stdout:
            self._received.put(answer)
        self._received.put(b"")

    def _read_talk(self) -> None:
        assert self.process.stderr is not None
        self.talk.extend(self.process.stderr)


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"
