"""A client on the screen of tmux, for those that draw nothing before their terminal has answered.

opencode asks about colours, modes, fonts and keys, and waits for what a real terminal says.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

_COLUMNS, _ROWS = "140", "40"
_BLANK = re.compile(r"[\s\u2500-\u257f]+")  # and the lines around a box
_KEY_SECONDS = 1.5  # a return that comes at once with the text is taken for a pasted line
_SECONDS = 300.0  # its first start takes a minute and more on a busy machine


class Screen:
    """A program in a terminal of tmux; what it shows now can be read."""

    def __init__(self, argv: list[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        if shutil.which("tmux") is None:
            pytest.fail("tmux is missing; this client draws in a real terminal only. Install tmux.")
        self._env = {**env, "TERM": "xterm-256color"}
        self._socket = str(Path(env["TMPDIR"]) / "tmux")
        size = ["-x", _COLUMNS, "-y", _ROWS]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(cwd), *argv)

    @property
    def text(self) -> str:
        """What is on the screen, without blanks: a client breaks its lines where it likes."""
        return _BLANK.sub("", self._tmux("capture-pane", "-p"))

    def see(self, words: str) -> None:
        """Wait until these words are on the screen."""
        deadline = time.monotonic() + _SECONDS
        while _BLANK.sub("", words) not in self.text:
            assert time.monotonic() < deadline, f"{words!r} did not appear: {self.text}"
            time.sleep(0.2)

    def type(self, line: str) -> None:
        """Type a line, see it, and press return."""
        self._tmux("send-keys", "-l", line)
        self.see(line)
        time.sleep(_KEY_SECONDS)
        self._tmux("send-keys", "Enter")

    def close(self) -> None:
        """Close the window."""
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        argv = ["tmux", "-S", self._socket, *words]
        finished = subprocess.run(argv, env=self._env, capture_output=True, text=True, timeout=60)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout
