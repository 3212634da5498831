"""List the last changes of all notes: when, by which machine, which files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.history import log

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_FILES_SHOWN = 5


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_count(parser, "--limit", default=20, help="at most this many (20)")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the changes."""
    found = log.log(os.path.join(home_directory(), "memory"), limit=args.limit)
    if args.json:
        output.say_json(
            [{"commit": v.commit, "at": v.at, "machine": v.machine, "message": v.message,
              "files": list(v.files)} for v in found]
        )  # fmt: skip
        return 0
    for version in found:
        output.say(f"{version.commit[:10]}  {version.at}  {version.machine}")
        for line in version.files[:_FILES_SHOWN]:
            output.say(f"    {line}")
        if len(version.files) > _FILES_SHOWN:
            output.say(f"    and {len(version.files) - _FILES_SHOWN} more")
    return 0
