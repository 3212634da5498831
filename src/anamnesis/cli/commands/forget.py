"""Remove notes from all machines.

A tombstone without content keeps them from being captured or imported again. --query also removes
archived sessions of this machine with all the words, and what undo kept. Synced versions stay in
the git history unless --purge-history rewrites it: here and on the remote now, on every other
machine at its next sync, which keeps that machine's unsynced changes. Treat a secret that was ever
pushed as leaked: revoke it, whatever the history holds.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.counting import counted
from anamnesis.operations.curate import forget
from anamnesis.operations.travel import purge

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Collection, Sequence

    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis forget N0KGD
  anamnesis forget --query "staging password"
  anamnesis forget --project old-thing --before 2025-01-01
  anamnesis forget N0KGD --purge-history
  anamnesis forget --purge-history           # purge all notes forgotten so far
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser, nargs="*")
    parser.add_argument(
        "--query",
        default="",
        metavar="WORDS",
        help="notes and archived sessions that contain all these words",
    )
    parser.add_argument("--project", metavar="KEY", help="notes of this project")
    parser.add_argument(
        "--before", default="", metavar="WHEN", help="notes from before then: 2025-01-31 or 90d"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--purge-history", action="store_true", help="remove them from the git history too"
    )
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show the notes, ask, and remove them."""
    conditions = bool(args.id or args.query or args.project or args.before)
    # With --json, standard output holds nothing else.
    say = output.talk if args.json else output.say
    done: dict[str, object] = {
        "forgotten": [],
        "forgotten_before": [],
        "sessions": [],
        "versions_purged": 0,
    }
    with arguments.store_to_change("forget") as store:
        if args.purge_history and not conditions:
            return _purge(store, purge.forgotten(store.home), args, done)
        narrowed = {
            "project": arguments.project_of(args.project, store=store),
            "before": args.before,
        }
        notes = forget.choose(store, ids=args.id, query=args.query, **narrowed)
        sessions = forget.choose_sessions(store.home, args.query, **narrowed, beside=notes)
        before = forget.forgotten_before(store, args.id)
        if before:
            # A command that was killed may have left copies of them.
            _tell_if_open(forget.finish(store, before))
            say(f"forget: {counted(len(before), 'note was', 'notes were')} already forgotten")
        # Words that are narrowed to a project or a time say nothing about earlier versions.
        query = "" if args.project or args.before else args.query
        chosen = _described(store, notes, sessions, forget.kept_for_undo(store.home, query))
        if chosen and not questions.confirmed(
            f"Forget {chosen} on all machines? There is no undo.", yes=args.yes
        ):
            output.talk("forget: nothing was removed")
            return 1
        ids, named = [note.id for note in notes], [each.id for each in sessions]
        done |= {"forgotten": ids, "forgotten_before": before, "sessions": named}
        if chosen:
            _tell_if_open(forget.forget(store, ids, sessions=named, query=query))
            say(f"forget: {chosen} removed; other machines follow at their next sync")
        if args.purge_history and (chosen or before or query):
            return _purge(store, [*before, *ids], args, done, query=query)
    if not chosen and not before:
        say("forget: no note matches")
    if args.json:
        output.say_json(done)
    return 0


def _described(
    store: MemoryStore,
    notes: Sequence[Memory],
    sessions: Sequence[forget.SessionToForget],
    kept: int,
) -> str:
    """Show what was chosen; returns how much that is, in words."""
    lines = tables.NoteLines(store, notes)
    for note in notes:
        output.talk(lines[note.id])
    for each in sessions:
        output.talk(f"session {each.id}  {each.line}")
    numbers = (
        (len(notes), "note"),
        (len(sessions), "archived session"),
        (kept, "version kept for undo", "versions kept for undo"),
    )
    return " and ".join(counted(*each) for each in numbers if each[0])


def _tell_if_open(is_clean: bool) -> None:
    if not is_clean:
        output.talk("another process has the index open; the next sync removes what is left there")


def _purge(
    store: MemoryStore,
    ids: Collection[str],
    args: Namespace,
    report: dict[str, object],
    *,
    query: str = "",
) -> int:
    without = counted(len(ids), "forgotten note")
    without += " and earlier versions with these words" if query else ""
    question = f"Rewrite the history of all machines without {without}?"
    if not questions.confirmed(question, yes=args.yes):
        output.talk("forget: the history was not changed")
        return 1
    done = purge.purge(store, ids, query=query)
    if args.json:
        output.say_json({**report, "versions_purged": done.texts})
    else:
        gone = counted(done.texts, "version is", "versions are")
        output.say(f"forget: {gone} gone from the history")
    if not done.cleared:
        output.talk("git removes them from this disk later; to do it now:")
        output.talk(f"  git -C {shlex.quote(str(store.home.memory))} gc --prune=now")
    if not done.remote_cleared:
        output.talk("git removes them from the remote's disk later; to do it now, run there:")
        output.talk("  git reflog expire --expire=now --all; git gc --prune=now")
    if done.other_refs:
        output.talk(f"these refs may still hold old versions: {', '.join(done.other_refs)}")
    return 0
