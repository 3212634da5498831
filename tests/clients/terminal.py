"""A client in a terminal of its own, with somebody who types."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path

_ROWS, _COLUMNS = 50, 160
_CONTROL = re.compile(
    r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|.)|\s"
)
_KEY_SECONDS = 1.5  # a return that comes at once with the text is taken for a pasted line
_QUIET_SECONDS = 0.7
_SETTLE_SECONDS = 10.0
_SECONDS = 60.0


class Terminal:
    """A program on a pseudo-terminal; what it draws is kept."""

    def __init__(self, argv: list[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", _ROWS, _COLUMNS, 0, 0))
        self._drawn = b""
        self.process = subprocess.Popen(
            argv, cwd=cwd, env={**env, "TERM": "xterm-256color"}, stdin=theirs, stdout=theirs,
            stderr=theirs, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  no lock in it
        )  # fmt: skip
        os.close(theirs)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """What was drawn since the last line was typed, without colours, movements and blanks."""
        return _without_blanks(self._drawn.decode("utf-8", "replace"))

    def see(self, words: str, *, seconds: float = _SECONDS) -> None:
        """Wait until these words are drawn; blanks do not count, a client may jump over them."""
        deadline = time.monotonic() + seconds
        while _without_blanks(words) not in self.text:
            assert time.monotonic() < deadline, f"{words!r} did not appear: {self.text[-3000:]}"
            assert self.process.poll() is None, f"the client ended: {self.text[-3000:]}"
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until nothing has been drawn for a moment: keys that come earlier may be lost."""
        drawn, since = b"", time.monotonic()
        deadline = since + _SETTLE_SECONDS  # some clients never stop drawing a picture
        while time.monotonic() < deadline and time.monotonic() - since < _QUIET_SECONDS:
            if self._drawn != drawn:
                drawn, since = self._drawn, time.monotonic()
            time.sleep(0.05)

    def type(self, line: str) -> None:
        """Type a line and press return."""
        self._drawn = b""
        self.press(line)
        time.sleep(_KEY_SECONDS)
        self.press("\r")

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait(_SECONDS)

    def hang_up(self) -> None:
        """Close the window, as somebody does who is done for the day."""
        os.close(self._ours)
        self.process.wait(_SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(_SECONDS)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._ours, 65536)
            except OSError:  # nobody holds the other side any more
                return
            self._drawn += data


def _without_blanks(drawn: str) -> str:
    return _CONTROL.sub("", drawn)
