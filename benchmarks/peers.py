"""What similar programs weigh beside this one: packages, megabytes, and a server that starts.

`python -m benchmarks.peers` installs each from the package registry into .cache/peers and prints
the rows of docs/compared.md. What the programs do once they run differs too much to be timed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.mcp import start

REPOSITORY = Path(__file__).parent.parent
FOLDER = REPOSITORY / ".cache" / "peers"
# name, what pip installs, how its server is started
SERVERS = (
    ("anamnesis-memory", str(REPOSITORY), ("anamnesis", "serve")),
    ("basic-memory", "basic-memory", ("basic-memory", "mcp")),
    ("mcp-memory-service", "mcp-memory-service", ("memory", "server")),
)
_STARTS = 5


def main() -> None:
    print("| | packages | MB | CPU until `initialize` is answered | memory then |")
    print("|---|---|---|---|---|", flush=True)
    for name, package, server in SERVERS:
        place = FOLDER / name
        installed = _installed(place, package)
        distributions = {path.name for path in installed.glob("*.dist-info")}
        own = next(each for each in distributions if each.startswith(name.replace("-", "_") + "-"))
        version = own.removesuffix(".dist-info").rpartition("-")[2]
        cells = [f"{name} {version}", str(len(distributions)), f"{_megabytes(installed):.0f}"]
        print(f"| {' | '.join([*cells, *_started(place / 'bin', server)])} |", flush=True)


def _installed(place: Path, package: str) -> Path:
    if not place.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python")]
        subprocess.run([*pip, "install", "-q", package], check=True)
    return next(place.glob("lib/python*/site-packages"))


def _megabytes(folder: Path) -> float:
    sizes = (path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return sum(sizes) / 1e6


def _started(programs: Path, server: tuple[str, ...]) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        command = [str(programs / server[0]), *server[1:]]
        try:
            taken = start(command, Path(home) / "store", repeats=_STARTS)
        except ValueError:  # it ended or printed something else
            return "did not answer", ""
    return f"{median(taken['cpu']):.2f} s", f"{median(taken['memory']):.0f} MB"


if __name__ == "__main__":
    main()
