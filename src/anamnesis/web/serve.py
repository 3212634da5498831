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
from anamnesis.web.security import DOOR, USER, Keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Self

    from starlette.applications import Starlette


LOOPBACK = "127.0.0.1"
LOOPBACK_6 = "::1"
_PORTS = range(20_000, 32_000)  # below those that systems give to outgoing connections
_TRIES = 30
_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"
_NAME_LENGTH = 16  # 78 bits: other servers of this machine cannot guess the name, see security
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  refused, see below
_START_SECONDS = 20.0
_LAST_SECONDS = 1  # for requests under way


class PortTaken(AnamnesisError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} is taken by another program.",
            hint="Choose another:  anamnesis dashboard --port 0",
        )


class NoSuchAddress(AnamnesisError):
    """The dashboard cannot listen there."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(
            f"The dashboard cannot listen on {host[:80]}: {why}.",
            hint="Name one address of this machine, or leave --host away and use an ssh tunnel.",
        )


@dataclass(frozen=True, slots=True)
class Place:
    """The host name and the port of a store's dashboard.

    They are chosen once: the browser keeps drafts and sessions for exactly this address.
    """

    name: str
    port: int

    @classmethod
    def of(cls, home: Home) -> Place:
        """The place that was chosen for this store; else a new name, and no port yet."""
        try:
            with open(home.state("dashboard.json"), encoding="utf-8") as stream:
                kept = json.load(stream)
            return cls(str(kept["name"]), int(kept["port"]))
        except (OSError, ValueError, KeyError, TypeError):
            letters = (secrets.choice(_LETTERS) for _ in range(_NAME_LENGTH))
            return cls(f"anamnesis-{''.join(letters)}.localhost", 0)

    def keep(self, home: Home) -> None:
        """Remember it; a store that cannot be written gets another place next time."""
        facts = {"name": self.name, "port": self.port}
        with suppress(NotWritable):
            atomic.write_text(home.state("dashboard.json"), json.dumps(facts) + "\n")


class Server:
    """The dashboard of one store on one port; a context manager that runs it in a thread."""

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
        # Settings are found through the home: this process works on this store only.
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.fspath(home))
        own = Home(os.environ["ANAMNESIS_HOME"])
        place = Place.of(own)
        self._sockets = _listening(host, port, place.port)
        self.port: int = self._sockets[0].getsockname()[1]
        self.by_password = _names(host, self.port, names)
        named = host == LOOPBACK
        self.address = f"http://{place.name if named else _in_address(host)}:{self.port}"
        self.plain_address = f"http://{_in_address(names[0] if names else host)}:{self.port}"
        self.keys = Keys(own.state("dashboard-sessions.json"))
        self.store = MemoryStore(home, progress=progress)
        if named and not place.port:
            Place(place.name, self.port).keep(own)
        self.moved = bool(named and place.port and place.port != self.port and not port)
        self._app = build(
            self.store,
            keys=self.keys,
            hosts=frozenset({f"{place.name}:{self.port}"}) if named else frozenset(),
            by_password=self.by_password,
            cookie=f"anamnesis-{self.port}",
            project=project,
        )
        self._named = named
        self._server = _server_of(self._app)
        self._app.state.dashboard.link = self.link
        self._app.state.dashboard.prepare()
        self._thread: threading.Thread | None = None

    def link(self, *, plain: bool = False) -> str:
        """An address that lets one browser in.

        Under the dashboard's own name it works once. A plain one, for browsers that do not find
        such names, holds a password: browsers keep it for this port only.
        """
        if self._named and not plain:
            return f"{self.address}{DOOR}?token={self.keys.mint()}"
        return _with_password(self.plain_address, self.keys.admit())

    def run(self) -> None:
        """Serve until interrupted or told to end."""
        self._announce()
        # The server restores this handler and raises the signal again: then it ends as Ctrl-C does.
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            self._server.run(sockets=self._sockets)
        finally:
            self._end()

    def start(self) -> Self:
        """Serve in a thread; answers when this returns."""
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
        self._end()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _announce(self) -> None:
        """Tell the user's programs where the dashboard is and how to get in; no one else."""
        facts = {"address": self.plain_address, "key": self.keys.script, "pid": os.getpid()}
        with suppress(NotWritable):  # then only this window can open it; it may still be read
            atomic.write_text(self.store.home.dashboard, json.dumps(facts) + "\n")
        self._warming = threading.Thread(target=self._app.state.dashboard.warm, daemon=True)
        self._warming.start()

    def _end(self) -> None:
        for listener in self._sockets:
            listener.close()
        self._warming.join()  # it reads the store that is closed below
        self._app.state.dashboard.recorder.now()
        for path in (self.store.home.dashboard, redirection(self.store.home)):
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
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    return uvicorn.Server(config)


def redirection(home: Home) -> str:
    """The page that leads a browser to a link, which so is not in the list of processes."""
    return home.state("open-dashboard.html")


def running(home: Home, *, plain: bool = False) -> str | None:
    """A fresh link to a dashboard that runs already on this store, or None."""
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    try:
        with open(home.dashboard, encoding="utf-8") as stream:
            facts = json.load(stream)
        address, key = str(facts["address"]), str(facts["key"])
        split = urlsplit(address)
        connection = HTTPConnection(split.hostname or LOOPBACK, split.port, timeout=2)
        asked = f"/api/open{'?plain=1' if plain else ''}"
        connection.request("POST", asked, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        link = json.loads(answer.read())["link"] if answer.status == 200 else ""
        connection.close()
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        return None
    return str(link) or None


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _with_password(address: str, secret: str) -> str:
    return address.replace("://", f"://{USER}:{secret}@", 1) + DOOR


def _listening(host: str, port: int, kept: int) -> list[socket.socket]:
    """The sockets: on the port that is asked for, else on the one that was kept, else on any."""
    if port:
        return _bound(host, port)
    tries = [kept] if kept else []
    tries += [secrets.choice(_PORTS) for _ in range(_TRIES)]
    for each in tries:
        with suppress(PortTaken):
            return _bound(host, each)
    return _bound(host, 0)


def _bound(host: str, port: int) -> list[socket.socket]:
    """One socket, and on loopback its twin of the other kind.

    Another program could take that and be sent what browsers mean for the dashboard.
    """
    first = _bound_one(host, port)
    if host != LOOPBACK:
        return [first]
    try:
        return [first, _bound_one(LOOPBACK_6, first.getsockname()[1])]
    except NoSuchAddress:  # this machine has no such addresses, so nobody else listens there
        return [first]
    except PortTaken:
        first.close()
        raise


def _bound_one(host: str, port: int) -> socket.socket:
    if host in _EVERYWHERE:
        raise NoSuchAddress(host, "it stands for every address, so no name could be checked")
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
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _names(host: str, port: int, more: tuple[str, ...]) -> frozenset[str]:
    """The names under which a session is a password.

    They are the address that the server listens on, and the names that were allowed with it.
    """
    names = {host, *more}
    if is_loopback(host):
        names |= {LOOPBACK, "localhost", LOOPBACK_6}
    return frozenset(f"{_in_address(name)}:{port}".lower() for name in names)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
