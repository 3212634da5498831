"""`make e2e`: install the clients into .cache/clients, then run the tests without a network.

First with the versions that are known to work, then with the newest ones; `make e2e CLIENTS=newest`
runs those alone. Both get the newest Node, which comes from the same registry.

The download is the only step that needs the network. The tests themselves run in a network
namespace with nothing but loopback where the system allows that, and as usual elsewhere.
"""

from __future__ import annotations

import fcntl
import json
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
KNOWN, NEWEST = "known", "newest"
# Each with the version that is known to work.
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.325"),
    "codex": ("@openai/codex", "0.166.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "opencode": ("opencode-ai", "1.18.33"),
    "copilot": ("@github/copilot", "1.0.102"),
}
NODE = CLIENTS / "node"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 0x1


def install(which: str) -> None:
    """Install a set of clients; the newest are looked for each time."""
    for program, (package, version) in PACKAGES.items():
        wanted = version if which == KNOWN else "latest"
        if which == NEWEST or installed(which, program, package) != version:
            download(CLIENTS / which / program, f"{package}@{wanted}")
        print(f"{which}: {program} {installed(which, program, package)}", flush=True)


def installed(which: str, program: str, package: str) -> str:
    """The version of a client that is installed; empty if it is not."""
    about = CLIENTS / which / program / "node_modules" / package / "package.json"
    return str(json.loads(about.read_text())["version"]) if about.exists() else ""


def download(folder: Path, package: str) -> None:
    if shutil.which("npm") is None:
        sys.exit("npm is needed to download the clients; install Node and run `make e2e` again")
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
    if sys.argv[1:2] == ["--inside"]:
        return run(*sys.argv[2:])
    sets = os.environ.get("CLIENTS", f"{KNOWN} {NEWEST}").split()
    download(NODE, "node@latest")
    for which in sets:
        install(which)
    build()
    words = [*isolation(), sys.executable, __file__, "--inside"]
    codes = [subprocess.call([*words, which, *sys.argv[1:]]) for which in sets]
    return int(any(codes))


def run(which: str, *more: str) -> int:
    """Run the tests with one set of clients."""
    if isolation_is_active():
        raise_loopback()
    print(f"{which} clients", flush=True)
    path = os.pathsep.join([str(NODE / "node_modules" / ".bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CLIENTS": which}
    words = ["-m", "pytest", "-m", "client", "-n", "0", str(Path(__file__).parent), *more]
    return subprocess.call([sys.executable, *words], env=environment)


def isolation_is_active() -> bool:
    """Whether this process sees no interface but loopback."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


if __name__ == "__main__":
    sys.exit(main())
