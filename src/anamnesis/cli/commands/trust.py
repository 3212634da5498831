"""Show what happens to notes by author: given to sessions, reviewed first, or search only.

What a note says plays no part. To change a row:  anamnesis config set trust_import inject
A row that you set to review applies to notes written from then on; keep them with
anamnesis review.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.operations.curate.review import trust_table

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis trust
  anamnesis config set trust_agent review
"""
_MEANING = {
    "inject": "given to sessions",
    "review": "given once you keep it",
    "search": "search only",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the table."""
    rows = trust_table()
    if args.json:
        output.say_json(
            [{"name": r.name, "writer": r.writer, "treatment": r.treatment} for r in rows]
        )
        return 0
    for row in rows:
        output.say(f"{row.name:11} {_MEANING[row.treatment]:24} {row.writer}")
    return 0
