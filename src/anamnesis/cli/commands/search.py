"""Find notes by what they say: whole questions are fine, the best answer comes first."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.notes.note import SOURCES
from anamnesis.operations.notes.search import search
from anamnesis.operations.notes.show import note_dict
from anamnesis.search.explain import explanation
from anamnesis.search.filters import Filters

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.notes.search import SearchAnswer
    from anamnesis.search.engine import SearchHit

EXAMPLES = """\
examples:
  anamnesis search how do we deploy the api
  anamnesis search "sqlite locked" --project . -k 3
  anamnesis search retries --tag http --since 2026-01 --file src/client.py
  anamnesis search why was this found --explain
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", nargs="+", help="words to look for; or a note's id")
    arguments.add_filters(parser)
    parser.add_argument(
        "--tag", action="append", default=[], help="only notes with this tag; may be repeated"
    )
    parser.add_argument("--machine", default="", help="only notes written on this machine")
    parser.add_argument("--source", choices=SOURCES, help="only notes that came from there")
    arguments.add_date(parser, "--since", help="updated then or later: 2026-11, 2026-11-15, …")
    arguments.add_date(parser, "--until", help="updated then or earlier")
    parser.add_argument("--file", default="", help="only notes that mention this file or path")
    parser.add_argument(
        "--include-superseded", action="store_true", help="also notes that others replace"
    )
    arguments.add_count(parser, "-k", default=8, help="at most K notes; default: 8")
    arguments.add_count(parser, "--offset", default=0, help="skip the first N results", least=0)
    parser.add_argument("--explain", action="store_true", help="say why each note was found")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the hits, best first."""
    query, filters = " ".join(args.query), _filters(args)
    with arguments.open_store() as store:
        found = search(store, query, filters=filters, limit=args.k, offset=args.offset)
    if args.json:
        output.say_json([_hit_dict(hit, found, explain=args.explain) for hit in found.hits])
        return 0
    for hit in found.hits:
        output.say(output.note_line(hit.note))
        if warning := found.warnings.get(hit.note.id):
            output.say(f"    {warning}")
        why = ["named by its id"] if found.by_id else explanation(hit.score, hit.why)
        for line in why if args.explain else ():
            output.say(f"    {line}")
    if not found.hits:
        output.talk("nothing found")
    return 0


def _filters(args: Namespace) -> Filters:
    project = arguments.project_of(args.project)
    return Filters(
        projects=(project,) if project else (),
        type=args.type or "",
        scope=args.scope or "",
        tags=tuple(args.tag),
        machine=args.machine,
        source=args.source or "",
        since=args.since or "",
        until=args.until or "",
        file=args.file,
        include_superseded=args.include_superseded,
    )


def _hit_dict(hit: SearchHit, found: SearchAnswer, *, explain: bool) -> dict[str, object]:
    fields = note_dict(hit.note)
    if warning := found.warnings.get(hit.note.id):
        fields["warning"] = warning
    if explain:
        fields |= {"score": hit.score, "why": dataclasses.asdict(hit.why)}
    return fields
