"""Build the index anew from the markdown files. Notes are only read; this is always safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.index.refresh import Progress
    from anamnesis.store import MemoryStore


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--if-needed", action="store_true",
        help="only if the index is missing, damaged or of another version",
    )  # fmt: skip
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Rebuild, and say how many notes there are and how many files are unreadable."""
    with arguments.open_store() as store, output.progress("reading notes") as progress:
        indexed = _indexed(store, progress, only_if_needed=args.if_needed)
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


def _indexed(store: MemoryStore, progress: Progress | None, *, only_if_needed: bool) -> int:
    if not only_if_needed:
        return store.reindex(progress)
    store.refresh()  # opening it has built what was missing
    return len(store.headers())
