"""Remove notes on all machines.

A tombstone without content keeps them from being captured or imported again. Versions that were
synced stay in the git history: see --purge-history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output
from anamnesis.operations import forget

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis forget N0KGD
  anamnesis forget --query "staging password"
  anamnesis forget --project old-thing --before 2025-01-01
"""
PURGE = """\
The notes are gone from the store, but versions that were synced are still in the git history of
the memory repository and of its remote. Removing them rewrites that history for every machine:

  1. On every machine: run a sync, then stop using the store until you are done.
  2. In a fresh clone of the remote, with git-filter-repo installed:
       git filter-repo --invert-paths {paths}
  3. Push that clone's main with --force to the remote: the one place where force is right.
  4. On every machine: move {root}/memory/.git aside and run a sync again.
  5. A secret that was ever pushed counts as known: revoke it, whatever the history says.

Anamnesis never rewrites history by itself: a machine that missed step 1 would lose notes."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("id", nargs="*", help="notes' ids, or enough of their start or end")
    parser.add_argument("--query", default="", help="the notes that a search finds")
    parser.add_argument("--project", metavar="KEY", help="the notes of a project")
    parser.add_argument("--before", default="", metavar="DATE", help="written before, 2025-01-31")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--purge-history", action="store_true", help="then say how to clear the git history too"
    )


def run(args: Namespace) -> int:
    """Show the notes, ask, and remove them."""
    with arguments.open_store() as store:
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
        if not asking.confirmed(f"Forget {len(found)} notes on all machines?", yes=args.yes):
            output.talk("forget: nothing was removed")
            return 1
        number = forget.forget(store, [note.id for note in found])
        output.say(f"forget: {number} notes removed; the next sync removes them elsewhere")
        if args.purge_history:
            paths = " ".join(f"--path {note.type}/{note.id}.md" for note in found[:20])
            output.say(PURGE.format(paths=paths, root=store.root))
    return 0
