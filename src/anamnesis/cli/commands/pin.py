"""Pin notes: nothing but a person may replace them, and they are injected first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.operations import curate

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("id", nargs="+", help="notes' ids, or enough of their start or end")


def run(args: Namespace) -> int:
    """Pin the notes."""
    with arguments.open_store() as store:
        ids = [store.resolve_id(given) for given in args.id]
        curate.pin(store, ids, pinned=True)
    for id in ids:
        output.say(id)
    return 0
