"""List the versions of a note, newest first; works for deleted notes too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.notes import history

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis history N0KGD
  anamnesis diff N0KGD 3237e8f         # what changed since that version
  anamnesis restore N0KGD 3237e8f      # bring it back
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    arguments.add_limit(parser, default=100)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the versions."""
    with arguments.store_to_read() as store:
        versions = history.versions(store, args.id, limit=args.limit)
    if args.json:
        output.say_json(
            [{"commit": v.commit, "at": v.at, "machine": v.machine, "deleted": v.deleted}
             for v in versions]
        )  # fmt: skip
        return 0
    room = max((len(tables.moment(version.at)) for version in versions), default=0)
    output.page(
        f"{version.commit[:10]}  {tables.moment(version.at):<{room}}  {version.machine}"
        + ("  deleted" if version.deleted else "")
        for version in versions
    )
    return 0
