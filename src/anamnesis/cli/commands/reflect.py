"""Distil session notes into durable ones. Shows a preview; writes only with --apply.

Without a configured model, facts that several sessions repeat are promoted and near-duplicates
are merged. Review what was written with `anamnesis review`; --undo undoes a whole run.
"""

from __future__ import annotations

from argparse import SUPPRESS
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted
from anamnesis.operations.curate import reflect as reflection
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.curate.reflect import Reflection, ReflectionRun

EXAMPLES = """\
examples:
  anamnesis reflect                    # preview for all projects
  anamnesis reflect --project . --apply
  anamnesis reflect --undo
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    arguments.add_count(
        parser, "--min", default=None, help="run only with at least N new sessions; default: 5"
    )
    parser.add_argument("--apply", action="store_true", help="write what is proposed")
    parser.add_argument("--undo", action="store_true", help="undo the last run")
    parser.add_argument("--force", action="store_true", help=SUPPRESS)  # what --undo always does
    parser.add_argument("--no-model", action="store_true", help="use no model")
    arguments.add_no_sync(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Print the proposals, and write them with --apply."""
    with arguments.store_to_change("reflect") as store:
        if args.undo:
            arguments.report("reflect", reflection.undo_last(store), as_json=args.json)
            return 0
        with output.progress("reflecting") as progress:
            done = reflection.run(
                store,
                project=arguments.project_of(args.project),
                least=args.min,
                use_model=not args.no_model,
                write=args.apply,
                progress=progress,
            )
    if args.json:
        output.say_json(_run_fields(done))
    else:
        _print(done)
    return 1 if any(each.problem for each in done.reflections) else 0


def _print(done: ReflectionRun) -> None:
    for each in done.reflections:
        _print_project(each)
    if done.unit is not None:
        output.say(f"reflect: {done.unit.summary}")
        if any(each.added for each in done.reflections):
            output.talk("review them:  anamnesis review")
        output.talk("undo it:  anamnesis reflect --undo")
    elif any(not each.is_empty for each in done.reflections):
        output.talk("nothing was written; to write it:  anamnesis reflect --apply")
    elif not done.reflections:
        output.say("reflect: nothing to distil yet")
    for line in done.why_nothing:
        output.say(f"  {line}")


def _print_project(each: Reflection) -> None:
    output.say(f"{each.project}  ({counted(len(each.sessions), 'session')} read)")
    if each.problem:
        output.say(f"  nothing: {each.problem}")
    for note in each.added:
        output.say(f"  + [{note.type}] {note.title}")
        for line in note.body.splitlines()[:6]:
            output.say(f"      {line}")
        for replaced in note.supersedes_ids:
            output.say(f"    replaces {replaced}")
    for group in each.duplicates:
        output.say(f"  = {group.keeper.title}")
        for other in group.others:
            output.say(f"    merges {other.id}  {other.title}")
    for note in each.superseding:
        output.say(f"  = {note.title}  (also distilled on another machine; one stays)")
    if each.marked:
        output.say(f"  {counted(len(each.marked), 'session')} will be marked as distilled")


def _run_fields(done: ReflectionRun) -> dict[str, object]:
    return {
        "applied": done.unit.id if done.unit else None,
        "projects": [_fields(each) for each in done.reflections],
        "why_nothing": done.why_nothing,
    }


def _fields(each: Reflection) -> dict[str, object]:
    return {
        "project": each.project,
        "sessions": [note.id for note in each.sessions],
        "add": [note_dict(note) for note in each.added],
        "mark": [note.id for note in each.marked],
        "fold": [[group.keeper.id, *(o.id for o in group.others)] for group in each.duplicates],
        "supersede": [note.id for note in each.superseding],
        "problem": each.problem,
    }
