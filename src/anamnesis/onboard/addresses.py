"""The names under which other machines may reach this one."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import socket

from anamnesis.ground import process
from anamnesis.ground.errors import AnamnesisError

_SECONDS = 5.0


def reachable_names() -> list[str]:
    """Host names, the Tailscale one first because it works from anywhere."""
    names = [_tailscale_name(), _full_name(), socket.gethostname()]
    return list(dict.fromkeys(name for name in names if name and name != "localhost"))


def ssh_address(host: str, path: str) -> str:
    """A path on this machine as an ssh address; relative to the home folder if possible."""
    home = os.path.expanduser("~")
    inside = os.path.relpath(path, home)
    place = path if inside.startswith("..") else inside
    try:
        return f"{getpass.getuser()}@{host}:{place}"
    except (KeyError, OSError):  # in containers, users may have no name
        return f"{host}:{place}"


def accepts_ssh() -> bool:
    """Whether an ssh server answers on this machine."""
    try:
        with socket.create_connection(("127.0.0.1", 22), timeout=1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def _full_name() -> str:
    name = socket.getfqdn()
    return "" if name.startswith("localhost") or name.endswith(".arpa") else name


def _tailscale_name() -> str:
    if shutil.which("tailscale") is None:
        return ""
    try:
        finished = process.run(["tailscale", "status", "--json"], timeout=_SECONDS)
        return str(json.loads(finished.out)["Self"]["DNSName"]).rstrip(".")
    except (AnamnesisError, ValueError, KeyError, TypeError, OSError):
        return ""
