"""Who may talk to the dashboard: this machine's own browser, and nobody through it.

A web page that the person visits can send requests to a server on loopback. It cannot know the
session's cookie, it cannot hide where a request comes from, and with a name of its own that
points to loopback (DNS rebinding) it cannot hide that name. All three are checked.
"""

from __future__ import annotations

import hmac
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4 * 1024 * 1024  # a note is at most 1 MiB; a form writes three bytes for most of them
_TOKEN_SECONDS = 600.0
_READING = ("GET", "HEAD", "OPTIONS")
_DOOR = "/open"  # where a token is exchanged for a session
_HEADERS = {
    "x-content-type-options": "nosniff",
    # Not "no-referrer": a browser would then hide the origin of our own forms as well.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-frame-options": "DENY",
}


class Keys:
    """What opens the dashboard: links that work once, the session, and the key for scripts."""

    def __init__(self) -> None:
        self.session = secrets.token_urlsafe(32)
        self.script = secrets.token_urlsafe(32)
        self._tokens: dict[str, float] = {}

    def mint(self) -> str:
        """A token for one visit; it opens a session and is then worth nothing."""
        token = secrets.token_urlsafe(32)
        self._tokens[token] = time.monotonic() + _TOKEN_SECONDS
        return token

    def redeem(self, token: str) -> bool:
        """Whether a token is good; using it ends it."""
        return time.monotonic() < self._tokens.pop(token, 0.0)


class TooLarge(Exception):
    """A request has more bytes than any note needs."""


class Guard:
    """Lets through what comes from the dashboard's own pages, or from a script with the key."""

    def __init__(self, app: ASGIApp, *, keys: Keys, hosts: frozenset[str], cookie: str) -> None:
        self._app = app
        self._keys = keys
        self._hosts = hosts
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, and add the headers that every answer has."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        guarded = _with_headers(send, nonce)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except TooLarge:
            await _refuse(413, "The request is too large.")(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return _refuse(421, "This name does not lead to the dashboard.")
        if int(_digits(headers.get("content-length", ""))) > MOST_BYTES:
            return _refuse(413, "The request is too large.")
        by_script = self._has_key(headers)
        if scope["method"] not in _READING and not by_script and not self._from_here(headers):
            return _refuse(403, "Only the dashboard's own pages may change something.")
        inside = by_script or self._has_session(headers)
        scope["state"]["inside"] = inside  # an error page tells nothing to those who are not
        if inside or scope["path"] == _DOOR or scope["path"].startswith("/static/"):
            return None
        return _refuse(
            401,
            "Open the dashboard with:  anamnesis dashboard\n"
            "Each address that it prints works once, so that nobody else can use it.",
        )

    def _from_here(self, headers: Headers) -> bool:
        """Whether a browser says that one of our own pages sent this."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is None:
            return site is not None
        split = urlsplit(origin)
        return split.scheme == "http" and split.netloc.lower() == headers["host"].lower()

    def _has_session(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and _same(found.value, self._keys.session)

    def _has_key(self, headers: Headers) -> bool:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and _same(key.strip(), self._keys.script)


def policy(nonce: str) -> str:
    """The content security policy: our own files only, and no script in a page."""
    return (
        "default-src 'none'; script-src 'self'; "
        # The editor writes its rules into the page; only it is told the nonce.
        f"style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def _with_headers(send: Send, nonce: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = policy(nonce)
            headers.setdefault("cache-control", "no-store")
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return guarded


def _limited(receive: Receive) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            raise TooLarge
        return message

    return counted


def _refuse(status: int, text: str) -> PlainTextResponse:
    return PlainTextResponse(f"{text}\n", status)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())


def _digits(text: str) -> str:
    return text if text.isascii() and text.isdigit() else "0"
