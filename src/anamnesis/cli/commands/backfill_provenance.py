"""Record where notes from older versions came from, judging by their tags. Writes with --apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted
from anamnesis.operations.curate import backfill_provenance
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis backfill-provenance                            # preview
  anamnesis backfill-provenance --machine laptop --apply
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--machine",
        default="",
        metavar="NAME",
        help="the machine to record for notes that name none",
    )
    parser.add_argument("--apply", action="store_true", help="write the changes")
    arguments.add_no_sync(parser)
    arguments.add_undo(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show or make the changes."""
    with arguments.store_to_change("backfill-provenance") as store:
        if args.undo:
            return arguments.take_back(
                store, "backfill-provenance", as_json=args.json, kind="provenance"
            )
        changes = backfill_provenance.provenance_changes(store, machine_id=args.machine)
        if args.apply:
            backfill_provenance.backfill_provenance(store, changes)
    if args.json:
        output.say_json([note_dict(after, body=False) for _, after in changes])
        return 0
    for before, after in changes[:20]:
        output.say(f"{after.id}  {before.prov_source} -> {after.prov_source}  {after.machine_id}")
    done = "changed" if args.apply else "would change; to write it, add:  --apply"
    output.talk(f"backfill-provenance: {counted(len(changes), 'note')} {done}")
    return 0
