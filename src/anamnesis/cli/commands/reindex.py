"""Rebuild the index from the markdown files. Notes are only read; this is always safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.operations.machine.index import reindex
from anamnesis.operations.repository.attached_notes import look_beside
from anamnesis.operations.sessions import archive

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis reindex
  anamnesis reindex --if-needed
  anamnesis reindex --sessions
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--if-needed", action="store_true",
        help="only if the index is missing, damaged or from another version",
    )  # fmt: skip
    parser.add_argument(
        "--sessions", action="store_true", help="rebuild the index of archived sessions instead"
    )
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Rebuild, and say how many notes there are and how many files are unreadable."""
    if args.sessions:
        return _sessions(only_if_needed=args.if_needed, as_json=args.json)
    with arguments.open_store() as store, output.progress("reading notes") as progress:
        look_beside(store)
        done = reindex(
            store,
            only_if_needed=args.if_needed,
            in_foreground=not args.if_needed,
            progress=progress,
        )
    unreadable = len(done.unreadable)
    if args.json:
        output.say_json({"indexed": done.notes, "unreadable": unreadable})
        return 0
    output.say(f"reindex: {counted(done.notes, 'note')}")
    if unreadable:
        output.talk(f"{counted(unreadable, 'unreadable file')}:  anamnesis status")
    return 0


def _sessions(*, only_if_needed: bool, as_json: bool) -> int:
    with output.progress("reading sessions") as progress:
        read = archive.rebuild(home_directory(), from_scratch=not only_if_needed, progress=progress)
    if as_json:
        output.say_json({"sessions": read})
    else:
        output.say(f"reindex: {counted(read, 'session')}")
    return 0
