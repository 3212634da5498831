"""Starting and stopping the dashboard."""

from __future__ import annotations

import errno
import json
import os
import secrets
import signal
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from anamnesis.config import Home
from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, NotWritable
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import SIGN_IN_PATH, USER, Keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Self

    from starlette.applications import Starlette


LOOPBACK = "127.0.0.1"
LOOPBACK_6 = "::1"
_PORTS = range(20_000, 32_000)  # below the range for outgoing connections
_PORT_TRIES = 30
_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"
_NAME_LENGTH = 16  # 78 bits: other servers on this machine cannot guess the name, see security
_STARTS = 12  # whose tabs may still be open
_WILDCARDS = ("0.0.0.0", "::", "")  # noqa: S104  refused, see below
_START_SECONDS = 20.0
_SHUTDOWN_SECONDS = 1  # for requests in progress


class PortTaken(AnamnesisError):
    """Another program is listening on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} is in use by another program.",
            hint="Let the dashboard choose one:  anamnesis dashboard --port 0",
        )


class NoSuchAddress(AnamnesisError):
    """The dashboard cannot listen on this address."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(
            f"The dashboard cannot listen on {host[:80]}: {reason}.",
            hint="Give one address of this machine, or omit --host and use an ssh tunnel.",
        )


@dataclass(frozen=True, slots=True)
class SavedStarts:
    """The port of a store's dashboard, and the host names of its latest starts.

    The port stays, so that open tabs reach the next start. Each name comes with the key that its
    pages were given, see drafts.
    """

    port: int
    keys: dict[str, str]  # of each name, the latest last

    @classmethod
    def load(cls, home: Home) -> SavedStarts:
        """What is known of earlier starts."""
        record = home.state_file("dashboard.json").record()
        names, port = record.get("names"), record.get("port")
        keys = names.items() if isinstance(names, dict) else ()
        return cls(
            port if isinstance(port, int) else 0, {str(name): str(key) for name, key in keys}
        )

    def save(self, home: Home) -> None:
        """Save the latest ones, unless the store cannot be written."""
        latest = dict(list(self.keys.items())[-_STARTS:])
        with suppress(NotWritable):
            home.state_file("dashboard.json").write({"port": self.port, "names": latest})


class Server:
    """The dashboard of one store on one port; as a context manager, it runs in a thread."""

    def __init__(
        self,
        home: str | os.PathLike[str],
        *,
        port: int = 0,
        host: str = LOOPBACK,
        names: tuple[str, ...] = (),
        project: str = "",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Open the store, building its index if there is none, and bind the port."""
        # Settings are read from the home: this process works on this store only.
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.fspath(home))
        store_home = Home(os.environ["ANAMNESIS_HOME"])
        has_own_name = host == LOOPBACK
        saved = SavedStarts.load(store_home) if has_own_name else SavedStarts(0, {})
        self._sockets = _listen(host, port, saved.port)
        self.port: int = self._sockets[0].getsockname()[1]
        plain_port = self.port
        if has_own_name and not port:
            # Without a name of its own, only a new port makes each start another site.
            self._sockets += _listen(host, 0, 0)
            plain_port = self._sockets[-1].getsockname()[1]
        self.by_password = _password_hosts(host, plain_port, names)
        own_name = f"anamnesis-{_random_letters()}.localhost"
        host_name = own_name if has_own_name else _url_host(host)
        self.address = f"http://{host_name}:{self.port}"
        self.plain_address = f"http://{_url_host(names[0] if names else host)}:{plain_port}"
        self.keys = Keys()
        self.store = MemoryStore(home, progress=progress)
        self._app = build(
            self.store,
            keys=self.keys,
            hosts=frozenset({f"{own_name}:{self.port}"}) if has_own_name else frozenset(),
            former=saved.keys,
            port=self.port,
            by_password=self.by_password,
            cookie=f"anamnesis-{self.port}",
            project=project,
        )
        self._has_own_name = has_own_name
        self._server = _server_of(self._app)
        dashboard = self._app.state.dashboard
        dashboard.link = self.link
        if has_own_name:
            keys = {**saved.keys, own_name: dashboard.draft_key}
            SavedStarts((not port and saved.port) or self.port, keys).save(store_home)
        dashboard.prepare()
        self._thread: threading.Thread | None = None

    def link(self, *, plain: bool = False) -> str:
        """A link that signs in one browser.

        Under the dashboard's own name it works once. A plain link, for browsers that cannot
        resolve that name, contains a password: browsers keep it for this port only.
        """
        if self._has_own_name and not plain:
            return f"{self.address}{SIGN_IN_PATH}?token={self.keys.mint()}"
        return _with_password(self.plain_address, self.keys.admit())

    def run(self) -> None:
        """Serve until interrupted or terminated."""
        self._announce()
        # uvicorn restores this handler and raises the signal again, so it ends as with Ctrl-C.
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            self._server.run(sockets=self._sockets)
        finally:
            self._close()

    def start(self) -> Self:
        """Serve in a thread; returns once requests are answered."""
        self._announce()
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._sockets}, daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """End the thread and close the store."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _announce(self) -> None:
        """Write the address and the key to a file that only the user's own programs can read."""
        record = {"address": self.plain_address, "key": self.keys.script, "pid": os.getpid()}
        with suppress(NotWritable):  # a read-only store can still be browsed from this terminal
            atomic.write_text(self.store.home.dashboard, json.dumps(record) + "\n")
        self._warming = threading.Thread(target=self._app.state.dashboard.warm, daemon=True)
        self._warming.start()

    def _close(self) -> None:
        for listener in self._sockets:
            listener.close()
        self._warming.join()  # it still reads the store, which is closed below
        self._app.state.dashboard.recorder.flush()
        for path in (self.store.home.dashboard, redirect_page(self.store.home)):
            with suppress(OSError):
                os.unlink(path)
        self.store.close()


def _server_of(app: Starlette) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


def redirect_page(home: Home) -> str:
    """The file that redirects a browser to a link, which keeps the link out of `ps`."""
    return home.state("open-dashboard.html")


def link_to_running(home: Home, *, plain: bool = False) -> str | None:
    """A fresh link to the dashboard that is already running on this store, or None."""
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    try:
        with open(home.dashboard, encoding="utf-8") as stream:
            record = json.load(stream)
        address, key = str(record["address"]), str(record["key"])
        split = urlsplit(address)
        connection = HTTPConnection(split.hostname or LOOPBACK, split.port, timeout=2)
        path = f"/api/open{'?plain=1' if plain else ''}"
        connection.request("POST", path, headers={"Authorization": f"Bearer {key}"})
        response = connection.getresponse()
        link = json.loads(response.read())["link"] if response.status == 200 else ""
        connection.close()
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        return None
    return str(link) or None


def _random_letters() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(_NAME_LENGTH))


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _with_password(address: str, secret: str) -> str:
    return address.replace("://", f"://{USER}:{secret}@", 1) + SIGN_IN_PATH


def _listen(host: str, port: int, saved_port: int) -> list[socket.socket]:
    """Sockets on the given port; without one, on the saved port if it is free, else on any."""
    if port:
        return _bind(host, port)
    ports = [saved_port] if saved_port else []
    ports += [secrets.choice(_PORTS) for _ in range(_PORT_TRIES)]
    for candidate in ports:
        with suppress(PortTaken):
            return _bind(host, candidate)
    return _bind(host, 0)


def _bind(host: str, port: int) -> list[socket.socket]:
    """A socket on the host; on loopback, one for IPv6 as well.

    Otherwise another program could bind that and receive requests meant for the dashboard.
    """
    first = _bind_socket(host, port)
    if host != LOOPBACK:
        return [first]
    try:
        return [first, _bind_socket(LOOPBACK_6, first.getsockname()[1])]
    except NoSuchAddress:  # no IPv6 on this machine, so nobody else can listen there
        return [first]
    except PortTaken:
        first.close()
        raise


def _bind_socket(host: str, port: int) -> socket.socket:
    if host in _WILDCARDS:
        raise NoSuchAddress(host, "it means every address, so host names cannot be checked")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.socket(family)
    except OSError as error:
        raise NoSuchAddress(host, error.strerror or str(error)) from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(port) from error
        raise NoSuchAddress(host, error.strerror or str(error)) from error
    listener.listen(64)
    listener.set_inheritable(False)
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _password_hosts(host: str, port: int, more: tuple[str, ...]) -> frozenset[str]:
    """The host names under which a session is a password.

    These are the address that the server listens on, and the names that were allowed for it.
    """
    names = {host, *more}
    if is_loopback(host):
        names |= {LOOPBACK, "localhost", LOOPBACK_6}
    return frozenset(f"{_url_host(name)}:{port}".lower() for name in names)


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
