"""Which modules of ours a piece of work walks through, in the order that it enters them."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from types import FrameType

PACKAGE = "anamnesis."
RECORDS = "anamnesis.ground.records"


class Walk:
    """The modules that were entered, and which of them called which."""

    def __init__(self) -> None:
        self.modules: dict[str, None] = {}
        self.calls: dict[str, set[str]] = defaultdict(set)

    @property
    def conductors(self) -> list[str]:
        """The modules that call at least four others, in order: what the work reads like."""
        return [name for name in self.modules if len(self.calls[name]) >= 4]

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """A profile function."""
        name = _module(frame)
        if event != "call" or not name:
            return
        caller = _module(frame.f_back)
        known = name in self.modules and (caller in ("", name) or name in self.calls[caller])
        if known or _is_importing(frame):
            return
        self.modules.setdefault(name)
        if caller and caller != name:
            self.calls[caller].add(name)


def walked(work: Callable[[], object]) -> Walk:
    """The walk of some work, whichever threads it runs in."""
    walk = Walk()
    threading.setprofile(walk.note)
    sys.setprofile(walk.note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return walk


def _module(frame: FrameType | None) -> str:
    name = str(frame.f_globals.get("__name__", "")) if frame else ""
    if frame and name == RECORDS and frame.f_code.co_name == "__init__":
        return ""  # compiled or not depends on how many instances came before
    return name.removeprefix(PACKAGE) if name.startswith(PACKAGE) else ""


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: what runs then depends on who came first."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _module(frame):
            return True
        frame = frame.f_back
    return False
