"""Take back a change: the latest one, or the one that is named.

Deleting, editing, moving and merging notes, resolved conflicts, imports, reflections and the
dashboard's changes of several notes are kept for 30 days on the machine that made them. A note
that was changed since is left as it is. What `anamnesis forget` removed cannot be taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.operations.notes import undo

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis undo                       take back the latest change
  anamnesis undo --list                what can be taken back
  anamnesis undo 7Q3X2V                that one; the end of its id is enough
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "id", nargs="?", default="", help="a change from --list, or enough of its start or end"
    )
    parser.add_argument("--list", action="store_true", help="list what can be taken back")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Take a change back, or list those that can be."""
    if args.list:
        _list(as_json=args.json)
        return 0
    with arguments.store_to_change("undo") as store:
        undone = undo.undo(store, args.id)
    if args.json:
        put_back = {"put_back": undone.notes, "left": list(undone.left), "redo": undone.redo}
        output.say_json({**_fields(undone.unit), **put_back})
    else:
        arguments.report("undo", undone)
    return 0


def _list(*, as_json: bool) -> None:
    units = list(undo.undoable(home_directory()))
    if as_json:
        output.say_json([_fields(unit) for unit in units])
        return
    for unit in units:
        number = counted(len(unit.note_ids), "note")
        title = f': "{unit.title}"' if len(unit.note_ids) == 1 and unit.title else ""
        output.say(f"{unit.id}  {unit.at}  {number:>9}  {unit.kind}: {unit.summary}{title}")
    if not units:
        output.talk("undo: nothing can be undone")


def _fields(unit: undo.Unit) -> dict[str, object]:
    return {
        "id": unit.id,
        "at": unit.at,
        "kind": unit.kind,
        "summary": unit.summary,
        "notes": len(unit.note_ids),
        "ids": unit.note_ids,
    }
