"""A real ssh server on loopback, for tests that reach another host."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
USER = pwd.getpwuid(os.geteuid()).pw_name


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class SshServer:
    """An ssh server of our own: its keys, its port, its list of who may come in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.authorized = folder / "authorized_keys"
        self.authorized.write_text("")
        self.host_key = self.key("host")
        (folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.host_key}\n"
            f"PidFile none\nAuthorizedKeysFile {self.authorized}\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
        )

    def key(self, name: str) -> Path:
        path = self.folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
        return path

    def live_in(self, directory: Path, *, path: str = "") -> None:
        """Let whoever logs in be at home in this directory, with these programs."""
        there = f"cd {shlex.quote(str(directory))}"
        search = f"PATH={shlex.quote(path)} " if path else ""
        with (self.folder / "sshd_config").open("a") as config:
            config.write(
                f'ForceCommand {there} && {search}exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n'
            )

    def start(self) -> None:
        if not os.path.exists(SSHD):
            pytest.fail("sshd is missing. Install openssh-server (as root, `make test` does).")
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # sshd refuses to start as root without it
        self.process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")], stderr=subprocess.DEVNULL
        )
        for _ in range(100):
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        pytest.fail("sshd did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def url(self, path: Path) -> str:
        return f"ssh://{USER}@127.0.0.1:{self.port}{path}"


class Visitor:
    """Somebody who comes in over ssh, with a key and a list of known hosts of their own."""

    def __init__(self, folder: Path, server: SshServer) -> None:
        self.server = server
        self.key = server.key(f"key-{folder.name}")
        self.known_hosts = folder / "known_hosts"
        self.config = folder / "ssh_config"
        self.config.write_text(
            f"Host 127.0.0.1\n  Port {server.port}\n  IdentityFile {self.key}\n"
            f"  IdentitiesOnly yes\n  UserKnownHostsFile {self.known_hosts}\n"
            "  GlobalKnownHostsFile none\n"
        )

    @property
    def ssh(self) -> str:
        """The value of GIT_SSH_COMMAND."""
        return f"ssh -F {shlex.quote(str(self.config))}"

    def is_let_in(self) -> None:
        with self.server.authorized.open("a") as keys:
            keys.write(self.key.with_suffix(".pub").read_text())

    def knows_the_host(self) -> None:
        public = self.server.host_key.with_suffix(".pub").read_text()
        self.known_hosts.write_text(f"[127.0.0.1]:{self.server.port} {public}")

    def is_introduced(self) -> None:
        """Exchange keys, both ways."""
        self.is_let_in()
        self.knows_the_host()


@contextmanager
def serving(folder: Path) -> Iterator[SshServer]:
    """A server that runs, with its files in a new folder."""
    folder.mkdir()
    server = SshServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
