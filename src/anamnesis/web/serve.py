"""Starting and stopping the dashboard."""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
import time
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, NotWritable
from anamnesis.ground.home import Home
from anamnesis.store import MemoryStore
from anamnesis.web.app import build
from anamnesis.web.security import Keys

if TYPE_CHECKING:
    from typing import Self


LOOPBACK = "127.0.0.1"
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


class Server:
    """The dashboard of one store on one port; a context manager that runs it in a thread."""

    def __init__(
        self,
        home: str | os.PathLike[str],
        *,
        port: int = 0,
        host: str = LOOPBACK,
        project: str = "",
    ) -> None:
        # Settings are found through the home: this process works on this store only.
        os.environ["ANAMNESIS_HOME"] = os.path.abspath(os.fspath(home))
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.address = f"http://{_in_address(host)}:{self.port}"
        self.keys = Keys()
        self.store = MemoryStore(home)
        self._app = build(
            self.store,
            keys=self.keys,
            hosts=_names(host, self.port),
            cookie=f"anamnesis-{self.port}",
            project=project,
        )
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._app,
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
        )
        self._app.state.dashboard.prepare()
        self._thread: threading.Thread | None = None

    def link(self) -> str:
        """An address that opens the dashboard once."""
        return f"{self.address}/open?token={self.keys.mint()}"

    def run(self) -> None:
        """Serve until interrupted."""
        self._announce()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._end()

    def start(self) -> Self:
        """Serve in a thread; answers when this returns."""
        self._announce()
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
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
        """Tell this person's programs where we are and how to get in; nobody else can read it."""
        facts = {"address": self.address, "key": self.keys.script, "pid": os.getpid()}
        with suppress(NotWritable):  # then only this window can open it; it may still be read
            atomic.write_text(announcement(Home(self.store.root)), json.dumps(facts) + "\n")
        self._warming = threading.Thread(target=self._app.state.dashboard.warm, daemon=True)
        self._warming.start()

    def _end(self) -> None:
        self._socket.close()
        self._warming.join()  # it reads the store that is closed below
        self._app.state.dashboard.recorder.now()
        with suppress(OSError):
            os.unlink(announcement(Home(self.store.root)))
        self.store.close()


def announcement(home: Home) -> str:
    """The file that says where a dashboard runs, readable by its owner only."""
    return os.path.join(home, "dashboard.json")


def running(home: Home) -> str | None:
    """A fresh link to a dashboard that runs already on this store, or None."""
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    try:
        with open(announcement(home), encoding="utf-8") as stream:
            facts = json.load(stream)
        address, key = str(facts["address"]), str(facts["key"])
        split = urlsplit(address)
        connection = HTTPConnection(split.hostname or LOOPBACK, split.port, timeout=2)
        connection.request("POST", "/api/open", headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        path = json.loads(answer.read())["path"] if answer.status == 200 else ""
        connection.close()
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        return None
    return f"{address}{path}" if path else None


def _bound(host: str, port: int) -> socket.socket:
    if host in _EVERYWHERE:
        raise NoSuchAddress(host, "it stands for every address, so no name could be checked")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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


def _names(host: str, port: int) -> frozenset[str]:
    """What a browser may call us: the address that we listen on, and no other."""
    names = {host, LOOPBACK, "localhost", "::1"} if is_loopback(host) else {host}
    return frozenset(f"{_in_address(name)}:{port}".lower() for name in names)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
