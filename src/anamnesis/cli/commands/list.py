"""List notes, newest first."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.notes.list import NoteFilter, list_notes
from anamnesis.operations.notes.search import Filters
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis list --project .
  anamnesis list --type procedural --since 7d -k 200
  anamnesis list --json --limit 0     # everything, for a program
"""
_FILTERS = (
    "project", "type", "scope", "tag", "machine", "source", "since", "until", "as_of", "file",
)  # fmt: skip
_NOTHING = 'no notes; write one with:  anamnesis write "a fact"'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_filters(parser)
    arguments.add_limit(parser, default=50, least=0)
    arguments.add_offset(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print one line for each note."""
    filters = arguments.filters_of(args, include_superseded=not args.as_of)
    everything, limit = NoteFilter(state="all"), args.limit or None
    with arguments.store_to_read(beside=True) as store:
        page = list_notes(store, everything, limit=limit, offset=args.offset, filters=filters)
        notes = [row.note for row in page.rows]
        lines = tables.NoteLines(store, notes, to_review=page.warnings)
    if args.json:
        about = page.warnings
        listed = (note_dict(note, body=False, warning=about.get(note.id, "")) for note in notes)
        output.say_json(list(listed))
        return 0
    output.page((lines.of(row.note) for row in page.rows), heading=lines.heading)
    if page.next_offset is not None:
        output.talk(f"more with:  anamnesis list {_options(args)}")
    if not page.rows:
        output.talk(_NOTHING if filters == Filters(include_superseded=True) else "no note matches")
    return 0


def _options(args: Namespace) -> str:
    """The options for the next page of the same list."""
    asked = {name: getattr(args, name) for name in _FILTERS}
    asked |= {"limit": args.limit, "offset": args.offset + args.limit}
    words: list[str] = []
    for name, value in asked.items():
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{name.replace('_', '-')}", str(each)] if each else []
    return shlex.join(words)
