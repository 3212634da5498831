"""Search notes. Whole questions are fine; the best answer comes first."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.operations.notes.search import explain, matching_part, search
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.notes.search import SearchAnswer, SearchHit

EXAMPLES = """\
examples:
  anamnesis search how do we deploy the api
  anamnesis search "sqlite locked" --project . -k 3
  anamnesis search retries --tag http --since 2026-01 --file src/client.py
  anamnesis search which port --as-of 2026-03-01     # before it was replaced
  anamnesis search how do we deploy --explain
"""
_ROOM = 200  # of a line that answers; a terminal is rarely wider


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", nargs="+", help="words to look for, or a note's id")
    arguments.add_filters(parser)
    parser.add_argument(
        "--include-superseded", action="store_true", help="include superseded notes"
    )
    arguments.add_limit(parser, default=8)
    arguments.add_offset(parser)
    parser.add_argument("--explain", action="store_true", help="say why each note was found")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the hits, best first."""
    query = " ".join(args.query)
    filters = arguments.filters_of(args, include_superseded=args.include_superseded)
    with arguments.store_to_read(beside=True) as store:
        answer = search(store, query, filters=filters, limit=args.limit, offset=args.offset)
        lines = tables.NoteLines(store, [hit.note for hit in answer.hits])
    if args.json:
        output.say_json([_hit_dict(hit, answer, explain=args.explain) for hit in answer.hits])
        return 0
    shown: list[str] = []
    for hit in answer.hits:
        shown.append(lines.of(hit.note))
        if part := _answering_line(hit):
            shown.append(tables.painted(f"    {part}", "dim"))
        if hit.before is not None:
            amended = tables.fitted(hit.before.told(hit.note.updated_at), 4)
            shown.append(tables.painted(f"    {amended}", "dim"))
        if warning := answer.warnings.get(hit.note.id):
            shown.append(tables.painted(f"    {warning}", "yellow"))
        elif hit.note.origin:
            shown.append(f"    source: {hit.note.origin.replace(':', ' ', 1)}")
        shown += [f"    {line}" for line in explain(answer, hit)] if args.explain else []
    output.page(shown, heading=lines.heading)
    if not answer.hits:
        output.talk("nothing found")
    return 0


def _answering_line(hit: SearchHit) -> str:
    """The line of a note that answers, for a terminal; empty if the title says it already."""
    part = " ".join(matching_part(hit, room=_ROOM).split()) if tables.is_terminal() else ""
    return "" if part.strip(" .…") in hit.note.title else tables.fitted(part, 4)


def _hit_dict(hit: SearchHit, answer: SearchAnswer, *, explain: bool) -> dict[str, object]:
    fields = note_dict(hit.note, warning=answer.warnings.get(hit.note.id, ""))
    if hit.before is not None:
        before = hit.before
        fields["before"] = {"id": before.own_id, "day": before.day, "says": before.says}
    if explain:
        fields |= {"score": hit.score, "why": dataclasses.asdict(hit.why)}
    return fields
