"""Undo a change: the latest one, or the one you name.

Deletes, edits, moves, merges, resolved conflicts, imports, reflections and the dashboard's changes
to several notes can be undone for 30 days on the machine that made them. A note that has changed
since is left alone. What `anamnesis forget` removed cannot be brought back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, tables
from anamnesis.config import home_directory
from anamnesis.ground.counting import counted
from anamnesis.operations.notes import undo
from anamnesis.operations.notes.show import shortest_endings
from anamnesis.trust.writer import require_person

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLES = """\
examples:
  anamnesis undo                       # undo the latest change
  anamnesis undo --list                # what can be undone
  anamnesis undo 7Q3X2V                # that one; the end of its id is enough
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "id", nargs="?", default="", help="a change from --list, or enough of its start or end"
    )
    parser.add_argument("--list", action="store_true", help="list what can be undone")
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Undo a change, or list what can be undone."""
    if args.list:
        _list(as_json=args.json)
        return 0
    with arguments.store_to_change("undo") as store:
        if undo.allows_values(store.home, args.id):
            require_person("allow what looks like a secret")
        undone = undo.undo(store, args.id)
    arguments.report("undo", undone, as_json=args.json)
    return 0


def _list(*, as_json: bool) -> None:
    units = list(undo.undoable(home_directory()))
    if as_json:
        output.say_json([arguments.undo_fields(unit) for unit in units])
        return
    if tables.is_terminal():
        ids = shortest_endings([unit.id for unit in units], among=[unit.id for unit in units])
        rows = [(ids[u.id], tables.ago(u.at), str(len(u.note_ids)), _change(u)) for u in units]
        heading = ("ID", "WHEN", "NOTES", "CHANGE") if rows else ()
        output.page(tables.table(rows, heading=heading, styles=("yellow", "dim")))
    else:
        output.page(
            f"{u.id}  {u.at}  {counted(len(u.note_ids), 'note'):>9}  {_change(u)}" for u in units
        )
    if not units:
        output.talk("undo: nothing to undo")


def _change(unit: undo.Unit) -> str:
    title = f': "{unit.title}"' if len(unit.note_ids) == 1 and unit.title else ""
    return f"{'redo' if unit.redoes else unit.kind}: {unit.summary}{title}"
