"""A command on a terminal of a given width, and what it shows there."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import tempfile
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROWS = 500  # nothing in the tests is long enough for a pager


@contextmanager
def short_home() -> Iterator[Path]:
    """An empty home whose path is always as long: where lines break depends on it."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="") as directory:
        yield Path(directory)


def shown(
    argv: Sequence[str],
    *,
    columns: int,
    env: Mapping[str, str],
    cwd: Path,
    keyboard: bool = False,
    typed: str = "",
    rows: int = ROWS,
) -> tuple[str, int]:
    """What a command shows, and its exit code; without a keyboard its input is empty."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
    process = subprocess.Popen(
        argv, cwd=cwd, env={"TERM": "dumb", **env}, stdout=theirs, stderr=theirs,
        stdin=theirs if keyboard or typed else subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    data = bytearray()

    def read() -> None:
        try:
            while part := os.read(ours, 65536):
                data.extend(part)
        except OSError:  # Linux says so when the other end is closed
            return

    os.write(ours, typed.encode())
    reader = threading.Thread(target=read)
    reader.start()
    try:
        code = process.wait(timeout=300)
        reader.join(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    return data.decode("utf-8", "replace").replace("\r\n", "\n"), code
