"""Rename projects in their notes, by a JSON object {"old key": "new key"}.

Changes one line of each note and nothing else. Shows a preview; writes with --apply.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import InvalidInput
from anamnesis.operations.curate import migrate

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis migrate map.json
  anamnesis migrate --map my-app=github.com/me/my-app --apply
"""
_SHOWN = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", nargs="?", help="a JSON file with the map")
    parser.add_argument(
        "--map",
        metavar="OLD=NEW",
        action="append",
        default=[],
        help="one pair instead of a file, or the file itself",
    )
    parser.add_argument("--apply", action="store_true", help="write the changes")
    arguments.add_no_sync(parser)
    arguments.add_undo(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Show or make the changes."""
    with arguments.store_to_change("migrate") as store:
        if args.undo:
            return arguments.take_back(store, "migrate", as_json=args.json)
        projects = _projects(args)
        with output.progress("reading notes") as progress:
            changes = migrate.project_changes(store, projects, progress=progress)
        if args.apply:
            with output.progress("writing notes") as progress:
                migrate.migrate(store, changes, progress=progress)
    if args.json:
        output.say_json(
            [{"id": e.note.id, "from": e.note.project, "to": e.project} for e in changes]
        )
        return 0
    for each in changes[:_SHOWN]:
        output.say(f"{each.note.id}  {each.note.project} -> {each.project}")
    if len(changes) > _SHOWN:
        output.say(f"and {len(changes) - _SHOWN} more")
    done = "changed" if args.apply else "would change; to write it, add:  --apply"
    output.talk(f"migrate: {counted(len(changes), 'note')} {done}")
    return 0


def _projects(args: Namespace) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in args.map if "=" in pair]
    named = {old: new for old, _, new in pairs}
    for file in filter(None, (args.file, *(name for name in args.map if "=" not in name))):
        text = arguments.text_of(file)
        try:
            keys = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"{file} is not JSON: {error}.") from error
        named |= keys if isinstance(keys, dict) else {"": ""}
    if not named or not all(isinstance(new, str) and old and new for old, new in named.items()):
        raise InvalidInput("No map given.", hint="For example:  anamnesis migrate --map OLD=NEW")
    if set(named) & set(named.values()):
        raise InvalidInput("A key is both old and new.", hint="Rename in two steps.")
    return named
