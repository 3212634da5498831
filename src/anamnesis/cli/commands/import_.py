"""Take in notes of other programs. Without a path: Claude Code's own memory on this machine.

Importing twice changes nothing; what changed at the source is updated, unless you edited the note.
Imported notes wait for `anamnesis review`. Secrets are replaced before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, undoing
from anamnesis.importers import formats
from anamnesis.operations.curate import import_ as take_in
from anamnesis.operations.curate import own_notes

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.curate.import_ import Intake
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis import                           Claude Code's own memory
  anamnesis import CLAUDE.md --dry-run       its sections, one note each
  anamnesis import ~/basic-memory --project notes
  anamnesis import ~/.claude-mem/claude-mem.db
  anamnesis import memory.jsonl --from mcp-memory
  anamnesis import backup.jsonl              an export of our own
"""
_CLAUDE_CODE, _OWN = "claude-code", "anamnesis"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", nargs="?", help="a file or directory")
    parser.add_argument(
        "--from", dest="format", choices=[_CLAUDE_CODE, _OWN, *formats.FORMATS],
        help="which program wrote it; default: found out",
    )  # fmt: skip
    parser.add_argument("--project", metavar="KEY", help="the project that the notes belong to")
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
    parser.add_argument("--again", action="store_true", help="also read files that did not change")
    undoing.add_option(parser, what="import")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Import, and say what came of it."""
    with undoing.store_to_change("import") as store:
        if args.undo:
            return undoing.take_back(store, "import")
        intake = _import(store, args)
    if args.json:
        output.say_json(_fields(intake))
        return 0
    for note in intake.added[:20] if args.dry_run else []:
        output.say(f"+ {output.note_line(note)}")
    output.say(f"import: {intake.sentence}{' (nothing was written)' if args.dry_run else ''}")
    if intake.added and not args.dry_run:
        output.talk("look at them:  anamnesis review\ntake it back:  anamnesis import --undo")
    return 0


def _import(store: MemoryStore, args: Namespace) -> Intake:
    if args.path is None or args.format == _CLAUDE_CODE:
        with output.progress("reading memory") as progress:
            return take_in.import_native(
                store, again=args.again, dry=args.dry_run, progress=progress
            )
    if args.format == _OWN or (args.format is None and own_notes.is_own_export(args.path)):
        source, intake = _OWN, own_notes.plan_own(store, args.path)
    else:
        source = args.format or formats.detected(args.path)
        with output.progress("reading notes") as progress:
            intake = take_in.plan_intake(
                store,
                formats.drafts(args.path, source),
                source=source,
                project=arguments.project_of(args.project),
                progress=progress,
            )
    if not args.dry_run:
        take_in.carry_out(store, intake, source=source)
    return intake


def _fields(intake: Intake) -> dict[str, object]:
    return {
        "added": [note.id for note in intake.added],
        "updated": [note.id for _, note in intake.updated],
        "unchanged": intake.unchanged,
        "known": intake.known,
        "edited": intake.edited,
        "forgotten": intake.forgotten,
    }
