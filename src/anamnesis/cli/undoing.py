"""Taking changes back on the command line, and opening a store for a change."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted
from anamnesis.history import undo

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from anamnesis.store import MemoryStore

_MOST_NAMED = 10


@contextmanager
def store_to_change(command: str, *, wait: bool = True) -> Iterator[MemoryStore]:
    """The store, after what an interrupted command left half-way was rolled back and reported.

    A command that plans from what the notes say waits for a change of another process.
    """
    with arguments.open_store() as store:
        if done := undo.recovery(undo.recover(store, wait=wait)):
            output.talk(f"{command}: {done}")
        yield store


def add_option(parser: ArgumentParser, *, what: str = "--apply") -> None:
    """Declare the option."""
    parser.add_argument("--undo", action="store_true", help=f"take back the last {what}")


def take_back(store: MemoryStore, command: str, *, kind: str = "") -> int:
    """Take back what a command did last, and report it."""
    report(command, undo.undo(store, kind=kind or command))
    return 0


def report(command: str, undone: undo.Undone) -> None:
    """Print what was taken back, what was left, and how to do it again."""
    output.say(f"{command}: took back {undone.unit.summary} ({counted(undone.notes, 'note')})")
    for path in undone.left[:_MOST_NAMED]:
        output.talk(f"{command}: {path} was changed since and is left as it is")
    if len(undone.left) > _MOST_NAMED:
        output.talk(f"{command}: and {len(undone.left) - _MOST_NAMED} more")
    if undone.redo:
        output.talk(f"do it again:  anamnesis undo {undone.redo}")
