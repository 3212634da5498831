"""What is sent to a model and what comes back: redacted, bounded, retried where that can help."""

from __future__ import annotations

import http.client
import json
import random
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground.errors import AnamnesisError
from anamnesis.secrets import allow_list, redact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MOST_BYTES = 2 * 1024 * 1024  # an answer of a few thousand tokens is a hundredth of that
_TRIES = 3
_WORTH_REPEATING = frozenset({408, 429, 500, 502, 503, 504, 529})
_LONGEST_PAUSE = 20.0
_CHUNK = 64 * 1024
_CUT = "\n[… {left} characters left out …]\n"

MOST_CHARACTERS = 120_000  # about 30,000 tokens: fits every model worth asking


class _Failed(Exception):
    """One try failed; `again` says whether another may succeed."""

    def __init__(self, reason: str, *, again: bool, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.wait = wait


def post_json(
    url: str,
    payload: Mapping[str, object],
    *,
    provider: str,
    headers: Mapping[str, str],
    timeout: float,
    pause: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """The JSON object that a server answers. Raises ModelUnavailable for everything else."""
    deadline = time.monotonic() + timeout
    body = json.dumps(payload).encode()
    fields = {**headers, "Content-Type": "application/json", "User-Agent": "anamnesis"}
    for tried in range(1, _TRIES + 1):
        try:
            return _try(urllib.request.Request(url, body, fields), deadline)  # noqa: S310  checked
        except _Failed as failed:
            wait = max(failed.wait, random.uniform(0.2, 1.0) * 2**tried / 2)  # noqa: S311
            left = deadline - time.monotonic()
            if not failed.again or tried == _TRIES or wait > min(left, _LONGEST_PAUSE):
                raise ModelUnavailable(provider, failed.reason) from None
            pause(wait)
    raise AssertionError  # the last try returned or raised


def _try(request: urllib.request.Request, deadline: float) -> dict[str, Any]:
    left = deadline - time.monotonic()
    if left <= 0:
        raise _Failed("no answer within the time limit", again=False)
    watch = _Watch(deadline)
    opener = urllib.request.build_opener(_NoRedirect, _Http(watch), _Https(watch))
    try:
        with opener.open(request, timeout=left) as response:
            return _object(_read(response, deadline))
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(error) from None
    except (OSError, http.client.HTTPException) as error:
        if watch.rang:
            raise _Failed("no answer within the time limit", again=False) from None
        raise _broken(error) from None
    finally:
        watch.stop()


def _read(response: http.client.HTTPResponse, deadline: float) -> bytes:
    data = bytearray()
    # A server that drips is cut off by the watch, which looks like the end of the answer.
    while chunk := response.read1(_CHUNK):
        data += chunk
        if len(data) > MOST_BYTES:
            raise _Failed(f"the answer is larger than {MOST_BYTES >> 20} MB", again=False)
    if time.monotonic() > deadline:
        raise _Failed("no complete answer within the time limit", again=False)
    if response.length:
        raise _Failed("the connection was lost during the response", again=True)
    return bytes(data)


def _object(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise _Failed("the server did not answer with JSON", again=False) from None
    if not isinstance(answer, dict):
        raise _Failed("unexpected JSON structure", again=False)
    return answer


def _refused(error: urllib.error.HTTPError) -> _Failed:
    """What a status code means. The body is not quoted: it may contain what was sent."""
    meaning = {
        401: "the key was not accepted",
        403: "the key may not do this",
        404: "the address or the model does not exist",
        429: "too many requests, or no credit left",
    }.get(error.code, "the server refused the request")
    if 300 <= error.code < 400:
        meaning = "the server redirects, which is not followed with a key"
    if error.code >= 500:
        meaning = "the server has a problem"
    try:
        wait = float(error.headers.get("Retry-After") or 0)
    except ValueError:
        wait = 0.0
    again = error.code in _WORTH_REPEATING
    return _Failed(f"{meaning} (HTTP {error.code})", again=again, wait=max(wait, 0.0))


def _broken(error: Exception) -> _Failed:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, ssl.SSLError):
        return _Failed("the server's certificate or encryption was not accepted", again=False)
    if isinstance(reason, TimeoutError):
        return _Failed("no answer within the time limit", again=False)
    if isinstance(reason, socket.gaierror):
        return _Failed("the server's name is not known", again=False)
    if isinstance(reason, ConnectionRefusedError):
        return _Failed("nothing is listening at that address", again=False)
    return _Failed("the connection was lost", again=True)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key somewhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class _Watch:
    """Cuts a connection at the deadline, even while the server drips its headers."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._timer: threading.Timer | None = None
        self.rang = False

    def guard(self, connection: socket.socket) -> None:
        self.stop()
        left = max(self._deadline - time.monotonic(), 0.01)
        self._timer = threading.Timer(left, self._cut, [connection])
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _cut(self, connection: socket.socket) -> None:
        self.rang = True
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _watched(kind: type[http.client.HTTPConnection], watch: _Watch) -> Callable[..., Any]:
    class Connection(kind):  # type: ignore[valid-type, misc]
        def connect(self) -> None:
            super().connect()
            watch.guard(self.sock)

    return Connection


class _Http(urllib.request.HTTPHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_watched(http.client.HTTPConnection, self._watch), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(
            _watched(http.client.HTTPSConnection, self._watch),
            req,
            context=ssl.create_default_context(),
        )


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The text of an answer, and the model that gave it."""

    text: str
    model: str


class ModelUnavailable(AnamnesisError):
    """The model did not answer: network, limits, credentials, or its own trouble."""

    def __init__(self, provider: str, reason: str, *, hint: str = "") -> None:
        self.provider = provider
        self.reason = reason
        super().__init__(
            f"{provider}: {reason}.", hint=hint or "Nothing was changed. Try again later."
        )


def windowed(text: str, limit: int) -> str:
    """The text, or its first third and its last two thirds within a limit."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    start = text.rfind("\n", 0, head) + 1 or head
    end = text.find("\n", len(text) - tail) + 1 or len(text) - tail
    return text[:start] + _CUT.format(left=end - start) + text[end:]


def outgoing(text: str, *, home: str = "") -> str:
    """A text as it may leave this machine: without secrets, and not longer than allowed."""
    allowed = allow_list(config.Home(home) if home else config.home_directory())
    return windowed(redact(text, allow=allowed), MOST_CHARACTERS)
