"""Compute vectors of the notes, so that search finds them by meaning, whatever their words.

This needs the extra `[semantic]` and the setting `semantic`. Each text is encoded only once, and
new notes are encoded automatically in the background.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import StoreBusy
from anamnesis.operations.machine import embed

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  pip install '.[semantic]'        # in the checkout
  anamnesis config set semantic 1
  anamnesis embed                  # about 50 ms for each short note, once
  anamnesis embed --remove         # delete the vectors; the notes are not touched
"""
_LOW_PRIORITY = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--remove", action="store_true", help="delete the vectors")
    parser.add_argument("--idle", action="store_true", help="run with low priority")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Compute the missing vectors and report how many."""
    if args.idle and not os.path.isdir(home_directory()):
        return 0  # deleted meanwhile
    if args.idle and hasattr(os, "nice"):
        os.nice(_LOW_PRIORITY)
    with arguments.store_to_read() as store:
        if args.remove:
            embed.remove(store)
            output.say("embed: deleted the vectors")
            return 0
        try:
            with output.progress("reading notes") as progress:
                result = embed.embed(store, progress)
        except StoreBusy:
            if args.idle:
                return 0
            raise
    if args.json:
        output.say_json(asdict(result))
        return 0
    output.say(
        f"embed: {counted(result.total, 'note has', 'notes have')} vectors; {result.encoded} newly "
        f"encoded, {result.known} unchanged, {result.dropped} removed"
    )
    return 0
