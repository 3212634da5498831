"""Build the index anew from the markdown files. Notes are only read; this is always safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Rebuild, and say how many notes there are and which files need a person."""
    with arguments.open_store() as store, output.progress("reading notes") as progress:
        indexed = store.reindex(progress)
        problems = store.unreadable()
    if args.json:
        output.say_json({"indexed": indexed, "unreadable": len(problems)})
        return 0
    output.say(f"reindex: {counted(indexed, 'note')}")
    if problems:
        output.talk(
            f"{counted(len(problems), 'file needs', 'files need')} a look:  anamnesis status"
        )
    return 0
