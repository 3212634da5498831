"""Export notes as a directory of files, as JSON Lines, or as one markdown document."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground import atomic
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate import export
from anamnesis.operations.notes.show import note_dict
from anamnesis.text.display import displayed

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from anamnesis.notes.fields import Memory

EXAMPLES = """\
examples:
  anamnesis export backup/
  anamnesis export notes.jsonl --project .
  anamnesis export --format markdown | less
"""

_IN_WORDS = {"directory": "a directory", "jsonl": "JSON Lines", "markdown": "markdown"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", nargs="?", help="where to write; default: standard output")
    parser.add_argument(
        "--format", choices=export.FORMATS, help="default: by the suffix .jsonl or .md"
    )
    arguments.add_project(parser)
    parser.add_argument("--superseded", action="store_true", help="include superseded notes")
    parser.add_argument(
        "--machine-local", action="store_true", help="include notes that are local only"
    )
    parser.add_argument(
        "--json", action="store_true",
        help="print JSON: what was written, or the notes if there is no path",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Write the notes, and say how many."""
    format = args.format or _format_of(args.path or "")
    if format == "directory" and not args.path:
        raise InvalidInput("Exporting a directory needs a path.", hint="anamnesis export backup/")
    # A bar would be drawn over the notes that are printed.
    bar = output.progress("writing notes") if args.path else nullcontext()
    with arguments.store_to_read() as store, bar as progress:
        found = export.notes_to_export(
            store,
            project=arguments.project_of(args.project),
            superseded=args.superseded,
            machine_local=args.machine_local,
            progress=progress,
        )
        number = 0

        def notes() -> Iterator[Memory]:
            nonlocal number
            for note in found:
                number += 1
                yield note

        if args.json and not args.path:
            output.say_json([note_dict(note) for note in notes()])
        elif format == "directory":
            export.to_directory(notes(), args.path)
        else:
            render = export.jsonl_lines if format == "jsonl" else export.document_lines
            _write(render(notes()), args.path)
    if args.json and args.path:
        output.say_json({"path": args.path, "format": format, "notes": number})
    where = f" to {args.path} ({_IN_WORDS[format]})" if args.path else ""
    output.talk(f"export: {counted(number, 'note')}{where}")
    return 0


def _write(lines: Iterator[str], path: str | None) -> None:
    if path is not None:
        atomic.write_text(path, "".join(lines))
        return
    shown = displayed if sys.stdout.isatty() else str  # a pipe gets the notes as they are
    for line in lines:
        sys.stdout.write(shown(line))


def _format_of(path: str) -> str:
    if path.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "markdown" if path.endswith(".md") or not path else "directory"
