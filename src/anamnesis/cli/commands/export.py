"""Write the notes for elsewhere: a directory of files, JSON lines, or one markdown document."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground import atomic
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate import export

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

EXAMPLES = """\
examples:
  anamnesis export backup/
  anamnesis export notes.jsonl --project .
  anamnesis export --format markdown | less
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", nargs="?", help="where to; without it, standard output")
    parser.add_argument(
        "--format", choices=export.FORMATS, help="default: by the ending of the path"
    )
    arguments.add_project(parser)
    parser.add_argument("--superseded", action="store_true", help="also notes that were replaced")
    parser.add_argument(
        "--machine-local", action="store_true", help="also notes that stay on this machine"
    )


def run(args: Namespace) -> int:
    """Write the notes, and say how many."""
    format = args.format or _format_of(args.path or "")
    if format == "directory" and not args.path:
        raise InvalidInput("A directory needs a path.", hint="anamnesis export backup/")
    with arguments.open_store() as store, output.progress("writing notes") as progress:
        notes = export.notes_to_export(
            store,
            project=arguments.project_of(args.project),
            superseded=args.superseded,
            machine_local=args.machine_local,
            progress=progress,
        )
        if format == "directory":
            number = export.to_directory(notes, args.path)
        else:
            render = export.jsonl_lines if format == "jsonl" else export.document_lines
            number = _write(render(notes), args.path)
    output.talk(f"export: {counted(number, 'note')}")
    return 0


def _write(lines: Iterator[str], path: str | None) -> int:
    if path is None:
        number = 0
        for line in lines:
            sys.stdout.write(line)
            number += 1
        return number
    written = list(lines)
    atomic.write_text(path, "".join(written))
    return len(written)


def _format_of(path: str) -> str:
    if path.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "markdown" if path.endswith(".md") or not path else "directory"
