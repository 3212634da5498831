"""Import notes from other programs. Without a path: Claude Code's own memory on this machine.

Importing again updates what changed at the source, unless you have edited the note. Imported notes
are to be reviewed (`anamnesis review`). Secrets are replaced before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.ground.counting import counted
from anamnesis.operations.curate import import_, native_memory
from anamnesis.operations.sessions import conversations
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.operations.curate.import_ import ImportPlan
    from anamnesis.operations.sessions.conversations import Brought
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis import                           # Claude Code's own memory
  anamnesis import CLAUDE.md --dry-run       # its sections, one note each
  anamnesis import ~/basic-memory --project notes
  anamnesis import ~/.claude-mem/claude-mem.db
  anamnesis import chatgpt-export.zip        # or Claude's: archived, searchable
  anamnesis import memory.jsonl --from mcp-memory
  anamnesis import backup.jsonl --mine       # an export that you made
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", nargs="?", help="a file or directory")
    parser.add_argument(
        "--from", dest="format", choices=(*import_.FORMATS, *conversations.FORMATS),
        help="the program that wrote it, or file for other markdown; default: detected",
    )  # fmt: skip
    parser.add_argument("--project", metavar="KEY", help="the project that the notes belong to")
    parser.add_argument(
        "--claude-home", metavar="DIR", help="where Claude Code keeps its files; default: ~/.claude"
    )
    parser.add_argument(
        "--mine", action="store_true", help="the export is your own: its notes need no review"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")
    parser.add_argument(
        "--again", action="store_true", help="also read files that have not changed"
    )
    arguments.add_no_sync(parser)
    arguments.add_undo(parser, what="import")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Import, and report the result."""
    if args.mine:
        require_person("call an export your own")
    with arguments.store_to_change("import") as store:
        if args.undo:
            return arguments.take_back(store, "import", as_json=args.json)
        program = conversations.program_of(args.path, args.format)
        if program and args.path:
            brought = _import_conversations(store, args, program)
        else:
            brought, planned = None, _import(store, args)
    if brought is not None:
        return _say_brought(brought, args)
    if args.json:
        output.say_json(_fields(planned))
        return 0
    for note in planned.added[:20] if args.dry_run else []:
        output.say(f"+ {tables.note_line(note)}")
    if planned == import_.ImportPlan() and args.path is None:
        output.say("import: nothing new in Claude Code's own memory")
        return 0
    output.say(f"import: {planned.sentence}{_dry(args)}")
    if not args.dry_run:
        _say_what_next(planned)
    return 0


def _say_what_next(planned: ImportPlan) -> None:
    if planned.added:
        waits = any("pending" in note.tags for note in planned.added)
        if waits:
            output.talk("review them:  anamnesis review")
        output.talk("undo it:  anamnesis import --undo")


def _dry(args: Namespace) -> str:
    return " (nothing was written)" if args.dry_run else ""


def _import_conversations(store: MemoryStore, args: Namespace, program: str) -> Brought:
    with output.progress("reading conversations") as progress:
        return conversations.import_conversations(
            store,
            args.path,
            program=program,
            project=arguments.project_of(args.project),
            dry=args.dry_run,
            progress=progress,
        )


def _say_brought(brought: Brought, args: Namespace) -> int:
    counts = {name: getattr(brought, name) for name in ("new", "updated", "unchanged", "forgotten")}
    if args.json:
        output.say_json({"conversations": counts, **_fields(brought.notes)})
        return 0
    said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    output.say(f"import: conversations: {said}{_dry(args)}")
    if not args.dry_run:
        output.talk('search them:  anamnesis sessions search "words"')
    if brought.notes.total:
        what = counted(brought.notes.total, "memory", "memories")
        output.say(f"import: {what} of the assistant: {brought.notes.sentence}{_dry(args)}")
    if not args.dry_run:
        _say_what_next(brought.notes)
    return 0


def _import(store: MemoryStore, args: Namespace) -> ImportPlan:
    with output.progress("reading notes") as progress:
        if args.path is None or args.format == import_.CLAUDE_CODE:
            return native_memory.import_native(
                store,
                directory=args.claude_home,
                project=arguments.project_of(args.project, store=store),
                again=args.again,
                dry=args.dry_run,
                progress=progress,
            )
        return import_.import_notes(
            store,
            args.path,
            format=args.format,
            project=arguments.project_of(args.project, store=store),
            mine=args.mine,
            dry=args.dry_run,
            progress=progress,
        )


def _fields(planned: ImportPlan) -> dict[str, object]:
    return {
        "added": [note.id for note in planned.added],
        "updated": [note.id for _, note in planned.updated],
        "unchanged": planned.unchanged,
        "known": planned.known,
        "edited": planned.edited,
        "forgotten": planned.forgotten,
    }
