"""The server over HTTP: for this machine only, and only with the token."""

from __future__ import annotations

import hmac
import secrets
import socket
from functools import partial
from typing import TYPE_CHECKING

from anamnesis.ground.errors import AnamnesisError

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
_PATH = "/mcp"


class PortTaken(AnamnesisError):
    """Another program is using the port."""

    def __init__(self, port: int, *, reason: str) -> None:
        self.port = port
        super().__init__(
            f"Cannot listen on port {port}: {reason}.",
            hint="Choose another one:  anamnesis serve --transport http --port 0",
        )


class RequireToken:
    """Refuses requests that do not carry the token."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401."""
        if scope["type"] != "http" or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        from starlette.responses import JSONResponse

        refusal = JSONResponse(
            {"error": "unauthorized", "error_description": "Send Authorization: Bearer <token>."},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        sent = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(sent, self._expected)


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def listen(port: int) -> socket.socket:
    """A socket that only this machine can reach; port 0 picks a free one. Raises PortTaken."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        bound.listen()  # clients may connect as soon as the address is printed
    except OSError as error:
        bound.close()
        raise PortTaken(port, reason=(error.strerror or str(error)).lower()) from error
    return bound


def address(bound: socket.socket) -> str:
    """Where clients find the server."""
    return f"http://{LOOPBACK}:{bound.getsockname()[1]}{_PATH}"


def serve(server: FastMCP, bound: socket.socket, *, token: str) -> None:
    """Serve clients with the token until a signal ends it."""
    import anyio
    from starlette.middleware import Middleware

    run = partial(
        server.run_http_async,
        show_banner=False,
        host=LOOPBACK,
        path=_PATH,
        log_level="warning",
        middleware=[Middleware(RequireToken, token=token)],
        host_origin_protection=True,
        sockets=[bound],
    )
    anyio.run(run)
