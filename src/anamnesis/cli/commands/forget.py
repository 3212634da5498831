"""Remove notes on all machines.

A tombstone without content keeps them from being captured or imported again. Versions that were
synced stay in the git history, unless --purge-history rewrites it: on this machine and at the
remote now, on every other machine at its next sync, which keeps its own unsynced changes.
A secret that was ever pushed counts as known: revoke it, whatever the history says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output, undoing
from anamnesis.ground.counting import counted
from anamnesis.notes import tombstones
from anamnesis.operations.curate import forget
from anamnesis.operations.travel import purge

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Collection

    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis forget N0KGD
  anamnesis forget --query "staging password"
  anamnesis forget --project old-thing --before 2025-01-01
  anamnesis forget N0KGD --purge-history
  anamnesis forget --purge-history           of all notes that were forgotten before
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser, nargs="*")
    parser.add_argument("--query", default="", help="the notes that a search finds")
    parser.add_argument("--project", metavar="KEY", help="the notes of a project")
    parser.add_argument(
        "--before", default="", metavar="WHEN", help="written before 2025-01-31, or 90d ago"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--purge-history", action="store_true", help="remove them from the git history too"
    )


def run(args: Namespace) -> int:
    """Show the notes, ask, and remove them."""
    conditions = bool(args.id or args.query or args.project or args.before)
    with undoing.store_to_change("forget") as store:
        if args.purge_history and not conditions:
            return _purge(store, tombstones.forgotten(store.home), yes=args.yes)
        found = forget.choose(
            store,
            ids=args.id,
            query=args.query,
            project=arguments.project_of(args.project),
            before=args.before,
        )
        for note in found:
            output.talk(output.note_line(note))
        if not found:
            output.say("forget: no note fits")
            return 0
        if not asking.confirmed(
            f"Forget {counted(len(found), 'note')} on all machines?", yes=args.yes
        ):
            output.talk("forget: nothing was removed")
            return 1
        number = forget.forget(store, [note.id for note in found])
        output.say(f"forget: {counted(number, 'note')} removed; the next sync does so elsewhere")
        if args.purge_history:
            return _purge(store, [note.id for note in found], yes=args.yes)
    return 0


def _purge(store: MemoryStore, ids: Collection[str], *, yes: bool) -> int:
    question = f"Rewrite the history of all machines without {counted(len(ids), 'forgotten note')}?"
    if not asking.confirmed(question, yes=yes):
        output.talk("forget: the history was not changed")
        return 1
    done = purge.purge(store, ids)
    output.say(f"forget: {counted(done.texts, 'version is', 'versions are')} gone from the history")
    if not done.cleared:
        output.talk("on this disk git removes them later, or at once with:")
        output.talk(f"  git -C {store.memory_dir} gc --prune=now")
    if not done.remote_cleared:
        output.talk("on the remote's own disk git removes them later, or at once there with:")
        output.talk("  git reflog expire --expire=now --all; git gc --prune=now")
    if done.other_refs:
        output.talk(f"these may still name old versions: {', '.join(done.other_refs)}")
    return 0
