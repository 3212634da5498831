"""Take the pin off notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, pins

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)


def run(args: Namespace) -> int:
    """Unpin the notes."""
    return pins.change(args, pinned=False)
