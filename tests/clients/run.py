"""`make e2e`: install the clients into .cache/clients, then run the tests without a network.

The download is the only step that needs the network. The tests themselves run in a network
namespace with nothing but loopback where the system allows that, and as usual elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
CACHE = REPOSITORY / ".cache"
CLIENTS = CACHE / "clients"
PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
    "copilot": "@github/copilot",
}
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 0x1


def install() -> None:
    for program, package in PACKAGES.items():
        if list(CLIENTS.glob(f"*/node_modules/.bin/{program}")):
            continue
        if shutil.which("npm") is None:
            sys.exit("npm is needed to download the clients; install Node and run `make e2e` again")
        folder = CLIENTS / program
        folder.mkdir(parents=True, exist_ok=True)
        words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]
        subprocess.run(words, check=True)


def build() -> None:
    """What is released of this checkout, its dependencies, and the tools that install it."""
    wheels, tools = CACHE / "wheels", CACHE / "tools"
    for old in wheels.glob("anamnesis_memory-*"):
        old.unlink()
    pip = [sys.executable, "-m", "pip"]
    constraints = str(REPOSITORY / "constraints.txt")
    # hatchling too, for whoever installs the checkout as README says.
    words = ["wheel", "-q", "-w", str(wheels), "-c", constraints, str(REPOSITORY), "hatchling"]
    subprocess.run([*pip, *words], check=True)
    if not (tools / "bin" / "uv").exists():
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
        subprocess.run([tools / "bin" / "pip", "install", "-q", "uv", "pipx"], check=True)
    words = ["build", "--quiet", "--sdist", "--out-dir", str(wheels), str(REPOSITORY)]
    subprocess.run([tools / "bin" / "uv", *words], check=True)


def raise_loopback() -> None:
    """Switch the loopback interface of a new namespace on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(control, _SIOCGIFFLAGS, name))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | _UP, b""))


def isolation() -> list[str]:
    """The words that put a command into a namespace of its own; none where that is not allowed."""
    # As root without a namespace of users: the ssh server of the tests changes to other users.
    others = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
    words = ["unshare", "--net", *others]
    if shutil.which("unshare") is None:
        return []
    allowed = subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if allowed else []


def main() -> int:
    inside = [sys.executable, __file__, "--inside", *sys.argv[1:]]
    if sys.argv[1:2] != ["--inside"]:
        install()
        build()
        return subprocess.call([*isolation(), *inside])
    if isolation_is_active():
        raise_loopback()
    tests = str(Path(__file__).parent)
    words = ["-m", "pytest", "-m", "client", "-n", "0", tests, *sys.argv[2:]]
    return subprocess.call([sys.executable, *words])


def isolation_is_active() -> bool:
    """Whether this process sees no interface but loopback."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


if __name__ == "__main__":
    sys.exit(main())
