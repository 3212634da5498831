"""The dashboard as a person runs it: a process of its own, which can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from typing import Self

COMMAND = [sys.executable, "-c", "import sys; from anamnesis.cli import main; sys.exit(main())"]


class DashboardProcess:
    """`anamnesis dashboard` on the store of the test; ends with the block it is used in."""

    def __init__(self, *options: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [*COMMAND, "dashboard", "--no-open", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        assert self._process.stdout is not None
        self._first = self._process.stdout.readline().strip()
        split = urlsplit(self._first)
        self.address = f"{split.scheme}://{split.netloc}"

    def link(self) -> str:
        """An address that lets one browser in: the printed one, then fresh ones."""
        link, self._first = self._first, ""
        if link:
            return link
        again = [*COMMAND, "dashboard", "--no-open"]
        return subprocess.run(again, capture_output=True, text=True, check=True).stdout.strip()

    def end(self, signal: int) -> tuple[int, str]:
        """Send a signal and wait; gives the exit code and what was said on stderr."""
        self._process.send_signal(signal)
        _, said = self._process.communicate(timeout=30)
        return self._process.returncode, said

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
