"""Distil session notes into durable ones. Shows what it would do; writes only with --apply.

Without a configured model, facts that several sessions repeat are promoted and near-duplicates
are folded. Everything written waits for `anamnesis review`, and --undo takes a run back as a whole.
"""

from __future__ import annotations

from argparse import SUPPRESS
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, undoing
from anamnesis.ground.counting import counted
from anamnesis.history.commit import one_commit
from anamnesis.hooks import runs
from anamnesis.operations.curate import reflect as reflection
from anamnesis.operations.curate import review
from anamnesis.operations.notes.show import note_dict

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.history import undo
    from anamnesis.operations.curate.reflect import Reflection
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis reflect                    preview for all projects
  anamnesis reflect --project . --apply
  anamnesis reflect --undo
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_project(parser)
    arguments.add_count(parser, "--min", default=None, help="sessions that must wait; default: 5")
    parser.add_argument("--apply", action="store_true", help="write what is proposed")
    parser.add_argument("--undo", action="store_true", help="take back the last run")
    parser.add_argument("--force", action="store_true", help=SUPPRESS)  # what --undo always does
    parser.add_argument("--no-model", action="store_true", help="only what needs no model")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Propose, and apply if asked to."""
    with undoing.store_to_change("reflect") as store:
        if args.undo:
            with one_commit(store.home):
                return undoing.take_back(store, "reflect")
        with runs.watched(store.home, "reflect"):
            found = _propose(store, args)
            unit = reflection.apply(store, found) if args.apply else None
            reflection.note_outcome(store.home, found)
            project = arguments.project_of(args.project)
            why = [] if found else reflection.why_nothing(store, project=project, least=args.min)
    if args.json:
        applied = None if unit is None else unit.id
        projects = list(map(_fields, found))
        output.say_json({"applied": applied, "projects": projects, "why_nothing": why})
    else:
        _print(found, applied=unit)
        for line in why:
            output.say(f"  {line}")
    return 1 if any(each.problem for each in found) else 0


def _propose(store: MemoryStore, args: Namespace) -> list[Reflection]:
    review.keep_old(store, days=review.keep_after_days())
    model = None if args.no_model else reflection.configured_model()
    with output.progress("reflecting") as progress:
        return reflection.propose(
            store,
            project=arguments.project_of(args.project),
            least=args.min,
            model=model,
            progress=progress,
        )


def _print(found: list[Reflection], *, applied: undo.Unit | None) -> None:
    for each in found:
        _print_project(each)
    if applied is not None:
        output.say(f"reflect: wrote {applied.summary}")
        output.talk("look at them:  anamnesis review\ntake it back:  anamnesis reflect --undo")
    elif any(not each.is_empty for each in found):
        output.talk("nothing was written; to write it:  anamnesis reflect --apply")
    elif not found:
        output.say("reflect: nothing to distil yet")


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
            output.say(f"    folds {other.id}  {other.title}")
    for note in each.settled:
        output.say(f"  = {note.title}  (also distilled on another machine; one stays)")
    if each.marked:
        output.say(f"  {counted(len(each.marked), 'session')} will count as distilled")


def _fields(each: Reflection) -> dict[str, object]:
    return {
        "project": each.project,
        "sessions": [note.id for note in each.sessions],
        "add": [note_dict(note) for note in each.added],
        "mark": [note.id for note in each.marked],
        "fold": [[group.keeper.id, *(o.id for o in group.others)] for group in each.duplicates],
        "settle": [note.id for note in each.settled],
        "problem": each.problem,
    }
