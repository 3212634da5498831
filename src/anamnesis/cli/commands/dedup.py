"""Find notes of one project that say the same, word for word or nearly, and fold them.

Shows the groups; with --apply the best note of each supersedes the others, which stay on disk.
Notes that differ in a number or a negation are never taken for the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, undoing
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate import dedup
from anamnesis.reflect.similarity import THRESHOLD

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    parser.add_argument(
        "--threshold", type=float, default=THRESHOLD, metavar="N",
        help="how alike, from 0.5 to 1; default: 0.8",
    )  # fmt: skip
    parser.add_argument("--apply", action="store_true", help="fold them")
    undoing.add_option(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the groups, and fold them if asked to."""
    if not 0.5 <= args.threshold <= 1:
        raise InvalidInput("--threshold must be between 0.5 and 1.")
    with undoing.store_to_change("dedup") as store:
        if args.undo:
            return undoing.take_back(store, "dedup")
        with output.progress("comparing notes") as progress:
            found = dedup.find_duplicates(
                store,
                project=arguments.project_of(args.project),
                threshold=args.threshold,
                progress=progress,
            )
        unit = dedup.fold(store, found) if args.apply else None
    if args.json:
        output.say_json([_fields(each) for each in found])
        return 0
    for each in found:
        output.say(f"{'same' if each.identical else 'alike'}: {output.note_line(each.keeper)}")
        for other in each.others:
            output.say(f"       {output.note_line(other)}")
    if unit is not None:
        output.say(f"dedup: {unit.summary}")
        output.talk("take it back:  anamnesis dedup --undo")
    elif found:
        output.talk(f"{counted(len(found), 'group')}; to fold them:  anamnesis dedup --apply")
    else:
        output.say("dedup: no duplicates")
    return 0


def _fields(each: dedup.Duplicates) -> dict[str, object]:
    others = [other.id for other in each.others]
    return {"keep": each.keeper.id, "fold": others, "identical": each.identical}
