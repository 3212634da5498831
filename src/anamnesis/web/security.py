"""Who may talk to the dashboard: this machine's own browser, and no other page through it.

A web page that the user visits can send requests to a server on loopback. It cannot know the
session, it cannot hide where a request comes from, and with a name of its own that points to
loopback (DNS rebinding) it cannot hide that name. All three are checked.

A cookie is sent to every port of its host, so one for 127.0.0.1 would reach every other server of
this machine. Sessions by cookie therefore exist only under a host name that nobody can guess. Under
any other name a session is a password (HTTP authentication), which browsers keep per port.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from anamnesis.ground import atomic
from anamnesis.ground.errors import NotWritable

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4 * 1024 * 1024  # a note is at most 1 MiB; a form writes three bytes for most of them
DOOR = "/open"  # where a token is exchanged for a session
NEXT = "anamnesis-next"  # the cookie with the page that was asked for before the link was opened
USER = "anamnesis"  # what a browser calls the holder of a password
_TOKEN_SECONDS = 600.0
_FRESH_SECONDS = 600.0  # so long after a link was opened, it is the person who sits there
_IDLE_SECONDS = 7 * 86_400.0
_LONGEST_SECONDS = 30 * 86_400.0
_SEEN_SECONDS = 3600.0  # how exactly it is kept when a session was last used
_READING = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "x-content-type-options": "nosniff",
    # Not "no-referrer": a browser would then hide the origin of our own forms as well.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that was let in, known by the digest of its secret."""

    digest: str
    opened: float  # seconds since the epoch, as the next
    seen: float

    @property
    def is_fresh(self) -> bool:
        """Whether its link was opened just now."""
        return 0 <= time.time() - self.opened < _FRESH_SECONDS

    @property
    def is_over(self) -> bool:
        """Whether it was not used for long, or used for very long."""
        now = time.time()
        return now - self.seen > _IDLE_SECONDS or now - self.opened > _LONGEST_SECONDS


class Keys:
    """What opens the dashboard: links that work once, sessions, and the key for scripts.

    Sessions are kept in a file, as digests, so that they outlive the server.
    """

    def __init__(self, path: str = "") -> None:
        self.script = secrets.token_urlsafe(32)
        self._tokens: dict[str, float] = {}
        self._path = path
        self._sessions = {each.digest: each for each in _kept(path) if not each.is_over}

    def mint(self) -> str:
        """A token for one visit; it opens a session and is then worth nothing."""
        token = secrets.token_urlsafe(32)
        self._tokens[token] = time.monotonic() + _TOKEN_SECONDS
        return token

    def redeem(self, token: str, *, instead_of: str = "") -> str:
        """The secret of a new session, or nothing if the token is not good; using it ends it.

        So does the session that the same browser had before, which no one could use any more.
        """
        if time.monotonic() >= self._tokens.pop(token, 0.0):
            return ""
        self._sessions.pop(_digest(instead_of), None)
        return self.admit()

    def admit(self) -> str:
        """The secret of a new session."""
        secret = secrets.token_urlsafe(32)
        self._keep(Session(_digest(secret), time.time(), time.time()))
        return secret

    def session(self, secret: str) -> Session | None:
        """The session that a secret belongs to, if it is still good."""
        found = self._sessions.get(_digest(secret))
        if found is None or found.is_over:
            return None
        if time.time() - found.seen > _SEEN_SECONDS:
            found = replace(found, seen=time.time())
            self._keep(found)
        return found

    @property
    def sessions(self) -> list[Session]:
        """All sessions, the latest first."""
        good = (each for each in self._sessions.values() if not each.is_over)
        return sorted(good, key=lambda each: each.opened, reverse=True)

    def end(self, digest: str) -> None:
        """End a session."""
        self._sessions.pop(digest, None)
        self._write()

    def end_all(self) -> None:
        """End all sessions."""
        self._sessions.clear()
        self._write()

    def _keep(self, session: Session) -> None:
        self._sessions[session.digest] = session
        self._write()

    def _write(self) -> None:
        if not self._path:
            return
        kept = [[each.digest, each.opened, each.seen] for each in self.sessions]
        with suppress(NotWritable):  # then they end with the server
            atomic.write_text(self._path, json.dumps(kept) + "\n")


def _kept(path: str) -> list[Session]:
    try:
        with open(path, encoding="utf-8") as stream:
            return [Session(str(d), float(o), float(s)) for d, o, s in json.load(stream)]
    except (OSError, ValueError, TypeError):
        return []


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class TooLarge(Exception):
    """A request has more bytes than any note needs."""


class Guard:
    """Lets through what comes from the dashboard's own pages, or from a script with the key."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Keys,
        hosts: frozenset[str],
        cookie: str,
        by_password: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._keys = keys
        self._hosts = hosts  # under these a session is a cookie
        self._by_password = by_password
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
        if headers.get("host", "").lower() not in self._hosts | self._by_password:
            return _refuse(421, "This name does not lead to the dashboard.")
        if int(_digits(headers.get("content-length", ""))) > MOST_BYTES:
            return _refuse(413, "The request is too large.")
        by_script = self._has_key(headers)
        if scope["method"] not in _READING and not by_script and not self._from_here(headers):
            return _refuse(403, "Only the dashboard's own pages may change something.")
        session = self._session(headers)
        inside = by_script or session is not None
        # An error page tells nothing to those who are not inside.
        scope["state"].update(inside=inside, session=session, by_script=by_script)
        at_door = scope["path"] == DOOR and headers["host"].lower() in self._hosts
        if inside or at_door or scope["path"].startswith("/static/"):
            return None
        return self._stranger(scope, headers)

    def _stranger(self, scope: Scope, headers: Headers) -> PlainTextResponse:
        """How to get in; a browser comes back to the page that it asked for."""
        answer = _refuse(
            401,
            "Open the dashboard with:  anamnesis dashboard\n"
            "Each address that it prints works once, so that no one else can use it.",
        )
        if scope["method"] != "GET" or headers.get("sec-fetch-mode", "navigate") != "navigate":
            return answer  # a script that asks must not make the browser ask for a password
        if headers["host"].lower() in self._by_password:
            answer.headers["www-authenticate"] = 'Basic realm="Anamnesis", charset="UTF-8"'
        elif not scope["path"].startswith("/api/"):
            target = scope["path"] + (
                f"?{scope['query_string'].decode()}" * bool(scope["query_string"])
            )
            answer.set_cookie(
                NEXT, target[:1000], max_age=int(_TOKEN_SECONDS), httponly=True, path=DOOR
            )
        return answer

    def _from_here(self, headers: Headers) -> bool:
        """Whether a browser says that one of our own pages sent this."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is None:
            return site is not None
        split = urlsplit(origin)
        return split.scheme == "http" and split.netloc.lower() == headers["host"].lower()

    def _session(self, headers: Headers) -> Session | None:
        if headers["host"].lower() in self._by_password:
            return self._keys.session(_password(headers))
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return None
        return self._keys.session(cookie.value) if cookie else None

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


def _password(headers: Headers) -> str:
    scheme, _, encoded = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


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


def _same(sent: str, wanted: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), wanted.encode())


def _digits(text: str) -> str:
    return text if text.isascii() and text.isdigit() else "0"
