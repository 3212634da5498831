"""Access to the dashboard: browsers that signed in, and no other web page through them.

Any web page that the user visits can send requests to a server on loopback. It cannot know the
session, it cannot hide the origin of a request, and if it points a host name of its own at loopback
(DNS rebinding) it cannot hide that name. All three are checked.

A cookie is sent to every port of its host, so one for 127.0.0.1 would reach every other server on
this machine. Cookies are therefore used only under a host name that nobody can guess. Under any
other name a session is a password (HTTP authentication), which browsers keep per port.

While the dashboard is down, another program can listen on its port, be asked by open tabs, and
leave a page or a service worker in the browser. So each start has a name of its own: what was
left belongs to another site.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4 * 1024 * 1024  # a note is at most 1 MiB; a form encodes most of its bytes as three
PROOF_PATH = "/hand-over"  # where a page asks for proof that this is the dashboard, see drafts
SIGN_IN_PATH = "/open"  # where a token is exchanged for a session
NEXT_COOKIE = "anamnesis-next"  # keeps the requested page until the browser signs in
USER = "anamnesis"  # the user name that goes with a password
_TOKEN_SECONDS = 600.0
_FRESH_SECONDS = 600.0  # after sign-in, during which it is taken to be the user
_IDLE_SECONDS = 7 * 86_400.0
_LONGEST_SESSION_SECONDS = 30 * 86_400.0
_SEEN_SECONDS = 3600.0  # how precisely the last use of a session is known
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "x-content-type-options": "nosniff",
    # Not "no-referrer": browsers would then hide the origin of the dashboard's own forms as well.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser, identified by the digest of its secret."""

    digest: str
    opened: float  # seconds since the epoch, like `seen`
    seen: float

    has_confirmed: bool = False  # a change that needs a fresh link

    @property
    def is_fresh(self) -> bool:
        """Whether it signed in within the last minutes and has not confirmed a change since."""
        return not self.has_confirmed and 0 <= time.time() - self.opened < _FRESH_SECONDS

    @property
    def is_expired(self) -> bool:
        """Whether it was unused for too long, or has reached its maximum age."""
        now = time.time()
        return now - self.seen > _IDLE_SECONDS or now - self.opened > _LONGEST_SESSION_SECONDS


class Keys:
    """The credentials of the dashboard: single-use tokens, sessions, and the key for scripts.

    They end with the server: while it is down, another program can listen on its port and receive
    what an open tab sends.
    """

    def __init__(self) -> None:
        self.script = secrets.token_urlsafe(32)
        self._tokens: dict[str, float] = {}
        self._sessions: dict[str, Session] = {}

    def mint(self) -> str:
        """A token that opens one session and is then void."""
        token = secrets.token_urlsafe(32)
        self._tokens[token] = time.monotonic() + _TOKEN_SECONDS
        return token

    def redeem(self, token: str, *, replacing: str = "") -> str:
        """The secret of a new session, or an empty string if the token is not valid.

        Uses up the token, and ends the earlier session of the same browser.
        """
        if time.monotonic() >= self._tokens.pop(token, 0.0):
            return ""
        self._sessions.pop(_digest(replacing), None)
        return self.admit()

    def admit(self) -> str:
        """The secret of a new session."""
        secret = secrets.token_urlsafe(32)
        self._store(Session(_digest(secret), time.time(), time.time()))
        return secret

    def session(self, secret: str) -> Session | None:
        """The session that a secret belongs to, unless it has expired."""
        session = self._sessions.get(_digest(secret))
        if session is None or session.is_expired:
            return None
        if time.time() - session.seen > _SEEN_SECONDS:
            session = replace(session, seen=time.time())
            self._store(session)
        return session

    @property
    def sessions(self) -> list[Session]:
        """All valid sessions, the latest first."""
        valid = (each for each in self._sessions.values() if not each.is_expired)
        return sorted(valid, key=lambda each: each.opened, reverse=True)

    def confirm(self, session: Session) -> None:
        """Use up the fresh link of a session: the next delicate change needs another one."""
        self._store(replace(session, has_confirmed=True))

    def end(self, digest: str) -> None:
        """End a session."""
        self._sessions.pop(digest, None)

    def end_all(self) -> None:
        """End all sessions."""
        self._sessions.clear()

    def _store(self, session: Session) -> None:
        self._sessions[session.digest] = session


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class TooLarge(Exception):
    """A request is larger than any note needs."""


class Guard:
    """Middleware that admits the dashboard's own pages, and scripts with the key."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Keys,
        hosts: frozenset[str],
        cookie: str,
        by_password: frozenset[str] = frozenset(),
        former: frozenset[str] = frozenset(),
        at_former: ASGIApp | None = None,
        signed_out: Callable[[], Response] | None = None,
    ) -> None:
        self._signed_out = signed_out
        self._app = app
        self._former = former  # names of earlier starts, which open tabs still ask for
        self._at_former = at_former
        self._keys = keys
        self._hosts = hosts  # names under which a session is a cookie
        self._by_password = by_password
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, and add the security headers to the response."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        send_guarded = _with_headers(send, nonce)
        if self._at_former and Headers(scope=scope).get("host", "").lower() in self._former:
            await self._at_former(scope, _with_size_limit(receive), send_guarded)
            return
        refusal = self._check(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, _with_size_limit(receive), send_guarded)
        except TooLarge:
            await _refusal(413, "The request is too large.")(scope, receive, send_guarded)

    def _check(self, scope: Scope) -> Response | None:
        """The refusal of a request; None if it is admitted."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts | self._by_password:
            return _refusal(421, "The dashboard is not served under this name.")
        if _content_length(headers) > MOST_BYTES:
            return _refusal(413, "The request is too large.")
        by_script = self._has_key(headers)
        if (
            scope["method"] not in _SAFE_METHODS
            and not by_script
            and not self._is_same_origin(headers)
        ):
            return _refusal(403, "Only the dashboard's own pages may make changes.")
        session = self._session(headers)
        is_signed_in = by_script or session is not None
        # Error pages reveal nothing to those who are not signed in.
        scope["state"].update(is_signed_in=is_signed_in, session=session, by_script=by_script)
        is_signing_in = scope["path"] == SIGN_IN_PATH and headers["host"].lower() in self._hosts
        is_open = scope["path"].startswith("/static/") or scope["path"] == PROOF_PATH
        if is_signed_in or is_signing_in or is_open:
            return None
        return self._how_to_sign_in(scope, headers)

    def _how_to_sign_in(self, scope: Scope, headers: Headers) -> Response:
        """How to sign in; afterwards, the browser returns to the page that it requested."""
        response: Response = _refusal(401, "Open the dashboard with:  anamnesis dashboard")
        if scope["method"] != "GET" or headers.get("sec-fetch-mode", "navigate") != "navigate":
            return response  # a script's request must not make the browser ask for a password
        if self._signed_out:
            response = self._signed_out()
        if headers["host"].lower() in self._by_password:
            response.headers["www-authenticate"] = 'Basic realm="Anamnesis", charset="UTF-8"'
        elif not scope["path"].startswith("/api/"):
            target = scope["path"] + (
                f"?{scope['query_string'].decode()}" * bool(scope["query_string"])
            )
            response.set_cookie(
                NEXT_COOKIE,
                target[:1000],
                max_age=int(_TOKEN_SECONDS),
                httponly=True,
                path=SIGN_IN_PATH,
            )
        return response

    def _is_same_origin(self, headers: Headers) -> bool:
        """Whether the browser says that one of the dashboard's own pages sent the request."""
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
        return scheme.lower() == "bearer" and _are_equal(key.strip(), self._keys.script)


def policy(nonce: str) -> str:
    """The content security policy: the dashboard's own files only, and no inline scripts."""
    return (
        "default-src 'none'; script-src 'self'; "
        # The editor adds its style rules to the page; only it gets the nonce.
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
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = policy(nonce)
            headers.setdefault("cache-control", "no-store")
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers


def _with_size_limit(receive: Receive) -> Receive:
    size = 0

    async def receive_counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MOST_BYTES:
            raise TooLarge
        return message

    return receive_counted


def _refusal(status: int, text: str) -> PlainTextResponse:
    return PlainTextResponse(f"{text}\n", status)


def _are_equal(key: str, expected: str) -> bool:
    return hmac.compare_digest(key.encode("utf-8", "surrogateescape"), expected.encode())


def _content_length(headers: Headers) -> int:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0
