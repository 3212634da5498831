"""A scripted model on loopback: it speaks both protocols and misbehaves on request."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Records each request and lets the next behaviour of the script answer it."""

    server: Model

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length))
        self.server.requests.append((self.path, dict(self.headers), body))
        script = self.server.script
        behave = script.pop(0) if len(script) > 1 else script[0]
        behave(self)

    def log_message(self, *_: object) -> None:
        return

    def reply(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Model(ThreadingHTTPServer):
    """The server; `script` holds what to do next, the last item for ever."""

    daemon_threads = True

    def __init__(self, *script: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        return  # a client that hangs up is part of the play


@contextmanager
def serving(*script: Behaviour) -> Iterator[Model]:
    """A model that follows a script."""
    model = Model(*script)
    thread = threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        thread.join()
        model.server_close()


def says(text: str, *, stop: str = "stop") -> Behaviour:
    """Answer with a text, in the shape of the protocol that was spoken."""

    def behave(handler: Handler) -> None:
        if handler.path.endswith("/messages"):
            reason = {"stop": "end_turn", "length": "max_tokens"}.get(stop, stop)
            blocks = [{"type": "text", "text": text}]
            answer: dict[str, Any] = {"content": blocks, "stop_reason": reason}
        else:
            answer = {"choices": [{"message": {"content": text}, "finish_reason": stop}]}
        handler.reply(200, json.dumps(answer).encode())

    return behave


def proposes(*operations: Mapping[str, object]) -> Behaviour:
    """Answer with a proposal."""
    return says(json.dumps({"operations": list(operations)}))


def refuses(status: int, **headers: str) -> Behaviour:
    """Answer with an error."""
    return lambda handler: handler.reply(status, b'{"error": {"message": "no"}}', **headers)


def replies(data: bytes) -> Behaviour:
    """Answer with bytes as they are."""
    return lambda handler: handler.reply(200, data)


def redirects(url: str) -> Behaviour:
    """Point elsewhere."""
    return lambda handler: handler.reply(307, b"", Location=url)


def resets(handler: Handler) -> None:
    """Drop the connection with a reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def floods(handler: Handler) -> None:
    """Answer with ten megabytes."""
    handler.reply(200, b'{"choices": "' + b"x" * 10_000_000 + b'"}')


def drips(handler: Handler) -> None:
    """Send the answer a byte at a time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    _drip(handler)


def drips_headers(handler: Handler) -> None:
    """Send the headers a byte at a time, for ever."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drip(handler)


def breaks_off(handler: Handler) -> None:
    """Announce more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


def _drip(handler: Handler) -> None:
    for _ in range(400):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.02)
