"""Put a copy of notes into the repository of this directory, for everybody who works on it.

The file is shown before it is written, in .anamnesis/memory. Notes with secrets or with the path of
a home directory are refused. Nothing is committed: that, and the review, is git's.
"""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions
from anamnesis.ground.counting import counted
from anamnesis.operations.notes.show import show
from anamnesis.operations.repository.share import (
    carry_out,
    is_ignored,
    plan_share,
    plan_unshare,
    shown_path,
)
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.repository.share import Copy, Sharing
    from anamnesis.store import MemoryStore

OPPOSITE = "Take notes that you shared out of the repository again; yours stay."
EXAMPLES = """\
examples:
  anamnesis share N0KGD
  anamnesis share N0KGD W7Q3X --yes
  anamnesis share N0KGD --json         # what would be written; with --yes it is
  anamnesis unshare N0KGD
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--directory", default=".", help="in the repository; default: this one")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show what will be written or removed, ask, and do it."""
    require_person(f"{args.invoked_as} notes")
    with arguments.store_to_read() as store:
        if args.invoked_as == "share":
            notes = [show(store, name).note for name in args.id]
            sharing = plan_share(store, notes, args.directory)
        else:
            sharing = plan_unshare(store, args.id, args.directory)
        if args.json:
            return _as_json(store, sharing, write=args.yes)
        if not sharing.copies:
            output.talk(f"{args.invoked_as}: the repository has them as they are")
            return 0
        for copy in sharing.copies:
            output.say(_shown(sharing, copy))
        files = counted(len(sharing.copies), "file")
        verb = "Write" if args.invoked_as == "share" else "Remove"
        if not questions.confirmed(f"{verb} {files} in {sharing.root}?", yes=args.yes):
            output.talk(f"{args.invoked_as}: nothing was changed")
            return 0
        carry_out(store.home, sharing)
    output.talk(f"{args.invoked_as}: {files} changed; to commit:  git add .anamnesis/memory")
    if args.invoked_as == "share" and is_ignored(sharing):
        output.talk("git ignores .anamnesis here; an entry `!/.anamnesis/` in .gitignore ends that")
    return 0


def _as_json(store: MemoryStore, sharing: Sharing, *, write: bool) -> int:
    """Print what is going to be written or removed; it is done only if nobody is to be asked."""
    if write:
        carry_out(store.home, sharing)
    files = [
        {"id": copy.note_id, "path": shown_path(sharing, copy), "removed": copy.after is None}
        for copy in sharing.copies
    ]
    output.say_json({"files": files, "done": write})
    return 0


def _shown(sharing: Sharing, copy: Copy) -> str:
    """A file that is going to be written: whole, or what changes in it."""
    path = shown_path(sharing, copy)
    before, after = ((data or b"").decode("utf-8", "replace") for data in (copy.before, copy.after))
    if copy.before is None:
        return f"{path} (new)\n{after}"
    lines = unified_diff(
        before.splitlines(), after.splitlines(), path, path if after else "removed", lineterm=""
    )
    return "\n".join(lines)
