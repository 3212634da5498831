"""Child processes that outlive their caller; a long-running server must not collect zombies."""

from __future__ import annotations

import os

_let_go: list[int] = []


def let_go(child: int) -> None:
    """Do not wait for this child; earlier ones that have ended are reaped."""
    if os.name != "nt":
        _let_go[:] = [*filter(_is_running, _let_go), child]


def _is_running(child: int) -> bool:
    try:
        return os.waitpid(child, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False  # something else waited for it
