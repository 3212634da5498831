"""A repository with code that notes speak of."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PAY = """\
LIMIT = 5


def charge(amount):
    if amount > LIMIT:
        raise ValueError("too much")
    return send(amount, retries=3)


def refund(amount):
    return send(-amount, retries=1)
"""
NOTE = "`charge()` in `pay.py` refuses more than the limit."


class CodeRepository:
    """A git repository with one file, `pay.py`."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("pay.py", PAY)
        self.commit("begin")

    def git(self, *words: str) -> str:
        """What git prints."""
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            cwd=self.top, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.top / path).parent.mkdir(exist_ok=True)
        (self.top / path).write_text(text)

    def commit(self, subject: str) -> str:
        """Commit everything; the short id of the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)
        return self.git("rev-parse", "--short", "HEAD")

    def change(self) -> str:
        """Change what `charge` does, and commit that."""
        self.write("pay.py", PAY.replace("retries=3", "retries=9"))
        return self.commit("retry more")
