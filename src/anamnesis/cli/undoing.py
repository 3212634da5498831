"""Taking back the last change of many notes, as several commands offer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import output
from anamnesis.history import undo

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from anamnesis.store import MemoryStore


def add_option(parser: ArgumentParser, *, what: str = "--apply") -> None:
    """Declare the option."""
    parser.add_argument("--undo", action="store_true", help=f"take back the last {what}")


def take_back(store: MemoryStore, command: str, *, kind: str = "") -> int:
    """Take back what a command did last, and say what that was."""
    unit = undo.undo(store, kind=kind or command)
    output.say(f"{command}: took back {unit.summary}")
    return 0
