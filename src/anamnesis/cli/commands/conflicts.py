"""Resolve notes that were edited on two machines: compare the versions and choose.

Your version is the file itself. A choice is sent with the next sync; the version that was not
chosen is kept in <home>/conflicts/resolved/, and `anamnesis undo` undoes the choice. Also listed:
notes that one machine deleted and another changed, which are kept until you choose, and copies that
Syncthing, Dropbox or Nextcloud made of a note's file.
"""

from __future__ import annotations

from argparse import SUPPRESS
from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.errors import EXIT_CONFLICT
from anamnesis.operations.travel import conflicts

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

    from anamnesis.operations.travel.conflicts import Sides
    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis conflicts list
  anamnesis conflicts show 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  anamnesis conflicts resolve 01J9Z8YPM7Q3X2V4WT6B5N0KGD --theirs
  anamnesis conflicts resolve N0KGD --both     # the other text becomes a second note
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_json(parser)
    actions = parser.add_subparsers(
        dest="action", metavar="list|show|diff|resolve", help="what to do; default: list"
    )
    listing = actions.add_parser("list", help="list the notes with a conflict")
    _add_json(listing)
    for name, what in (("show", "show both versions"), ("diff", "show what differs")):
        one = actions.add_parser(name, help=what)
        arguments.add_note(one)
        _add_json(one)
    resolving = actions.add_parser("resolve", help="choose")
    arguments.add_note(resolving)
    choice = resolving.add_mutually_exclusive_group(required=True)
    choice.add_argument(
        "--mine", action="store_const", const="mine", dest="choice", help="keep this machine's"
    )
    choice.add_argument(
        "--theirs",
        action="store_const",
        const="theirs",
        dest="choice",
        help="use the other version",
    )
    choice.add_argument(
        "--both", action="store_const", const="both", dest="choice",
        help="keep the other text as a second note that links to the first",
    )  # fmt: skip
    choice.add_argument(
        "--edit", action="store_const", const="edit", dest="choice",
        help="combine both in $VISUAL or $EDITOR",
    )  # fmt: skip
    parser.set_defaults(action="list")


def _add_json(action: ArgumentParser) -> None:
    # Without a default of its own, so that it does not override one given earlier.
    action.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")


def run(args: Namespace) -> int:
    """Carry out one action; `list` exits with 3 while something is held."""
    if args.action == "resolve":
        with arguments.store_to_change("conflicts") as store:
            return _resolve(store, args.id, args.choice)
    with arguments.store_to_read() as store:
        if args.action == "list":
            return _list(store, conflicts.held(store), as_json=args.json)
        sides = conflicts.find(store, args.id)
    if args.json:
        output.say_json(_as_json(sides))
    elif args.action == "diff":
        output.page([conflicts.difference(sides).rstrip("\n")])
    else:
        _show(sides)
    return 0


def _list(store: MemoryStore, held: list[Sides], *, as_json: bool) -> int:
    if as_json:
        output.say_json([_as_json(sides) for sides in held])
        return EXIT_CONFLICT if held else 0
    if not held:
        output.talk("conflicts: none")
        return 0
    ids = tables.shown_ids(store, [sides.conflict.id for sides in held])
    for line in _table(held, ids) if tables.is_terminal() else map(_line, held):
        output.say(line)
    output.talk(f"compare and choose:  anamnesis conflicts show {ids[held[0].conflict.id]}")
    return EXIT_CONFLICT


def _table(held: list[Sides], ids: Mapping[str, str]) -> list[str]:
    rows = [
        (
            ids[sides.conflict.id],
            tables.ago(sides.conflict.since),
            sides.other,
            sides.about,
            sides.title,
        )
        for sides in held
    ]
    return tables.table(
        rows,
        heading=("ID", "HELD", "WITH", "IN", "TITLE"),
        styles=("yellow", "dim", "cyan"),
        most=(0, 0, 20, 20),
    )


def _line(sides: Sides) -> str:
    conflict = sides.conflict
    written = f" (edited {conflict.written})" if conflict.written else ""
    where = f"since {conflict.since}  with {sides.other}{written}"
    return f"{conflict.id}  {where}  ({sides.about})  {sides.title}"


def _show(sides: Sides) -> None:
    versions = {"this machine": sides.mine, sides.other: sides.theirs}
    if sides.conflict.base is not None:
        versions["before both"] = sides.conflict.base
    output.page(f"== {name}\n{_text(data)}\n" for name, data in versions.items())
    output.talk(f"only what differs:  anamnesis conflicts diff {sides.conflict.id}")
    output.talk("choose one:")
    for choice, what in sides.choices.items():
        output.talk(f"  anamnesis conflicts resolve {sides.conflict.id} --{choice:6}  # {what}")


def _text(data: bytes | None) -> str:
    return "(deleted)" if data is None else data.decode("utf-8", "replace").rstrip("\n")


def _resolve(store: MemoryStore, name: str, choice: str) -> int:
    conflict_id = conflicts.find(store, name).conflict.id
    if choice == "edit":
        with questions.edited(conflicts.draft(conflicts.find(store, conflict_id))) as text:
            resolved = conflicts.resolve_with(store, conflict_id, text)
    else:
        resolved = conflicts.resolve(store, conflict_id, choice)
    if resolved.second is not None:
        output.say(resolved.second.id)
    output.talk(f"conflicts: resolved {conflict_id}; send it with:  anamnesis sync")
    output.talk("undo it:  anamnesis undo")
    return 0


def _as_json(sides: Sides) -> dict[str, object]:
    conflict = sides.conflict
    texts = {"mine": sides.mine, "theirs": sides.theirs, "base": conflict.base}
    return {
        "id": conflict.id,
        "path": conflict.path,
        "title": sides.title,
        "fields": list(conflict.fields),
        "machine": conflict.machine,
        "since": conflict.since,
        "written": conflict.written,
        "deleted": conflict.deleted,
        "copy": sides.copy,
        **{
            name: None if data is None else data.decode("utf-8", "replace")
            for name, data in texts.items()
        },
    }
