"""Children that go on without us. A server that runs for weeks must not collect their remains."""

from __future__ import annotations

import os

_let_go: list[int] = []


def let_go(child: int) -> None:
    """Nobody waits for this child; those of before that have ended are cleared away."""
    if os.name != "nt":
        _let_go[:] = [*filter(_is_running, _let_go), child]


def _is_running(child: int) -> bool:
    try:
        return os.waitpid(child, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False  # something else waited for it
