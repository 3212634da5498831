"""Find duplicate notes in one project, exact or nearly so, and merge them.

Shows the groups; with --apply the best note of each supersedes the others, which stay on disk.
Notes that differ in a number or a negation are never duplicates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate import dedup

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis dedup                          # preview
  anamnesis dedup --project . --threshold 0.9 --apply
  anamnesis dedup --undo
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    parser.add_argument(
        "--threshold", type=float, default=dedup.THRESHOLD, metavar="N",
        help="how similar, from 0.5 to 1; default: 0.8",
    )  # fmt: skip
    parser.add_argument("--apply", action="store_true", help="merge them")
    arguments.add_no_sync(parser)
    arguments.add_undo(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the groups, and merge them with --apply."""
    if not 0.5 <= args.threshold <= 1:
        raise InvalidInput("--threshold must be between 0.5 and 1.")
    with arguments.store_to_change("dedup") as store:
        if args.undo:
            return arguments.take_back(store, "dedup", as_json=args.json)
        with output.progress("comparing notes") as progress:
            groups = dedup.find_duplicates(
                store,
                project=arguments.project_of(args.project),
                threshold=args.threshold,
                progress=progress,
            )
        lines = tables.NoteLines(store, [n for each in groups for n in (each.keeper, *each.others)])
        unit = dedup.fold(store, groups) if args.apply else None
    if args.json:
        output.say_json([_fields(each) for each in groups])
        return 0
    for each in groups:
        output.say(f"{'same' if each.identical else 'alike'}: {lines[each.keeper.id]}")
        for other in each.others:
            output.say(f"       {lines[other.id]}")
    if unit is not None:
        output.say(f"dedup: {unit.summary}")
        output.talk("undo it:  anamnesis dedup --undo")
    elif groups:
        output.talk(f"{counted(len(groups), 'group')}; to merge them:  anamnesis dedup --apply")
    else:
        output.say("dedup: no duplicates")
    return 0


def _fields(each: dedup.Duplicates) -> dict[str, object]:
    others = [other.id for other in each.others]
    return {"keep": each.keeper.id, "fold": others, "identical": each.identical}
