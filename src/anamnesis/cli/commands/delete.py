"""Delete notes. What they said stays in the history of the memory repository.

Notes of this machine only (`--scope machine-local`) have no history: they are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, asking, output
from anamnesis.ground.counting import counted
from anamnesis.ground.errors import AnamnesisError, StoreBusy
from anamnesis.history import commit

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from anamnesis.store import MemoryStore

EXAMPLES = """\
examples:
  anamnesis delete N0KGD             the end of an id is enough
  anamnesis restore ID HEAD          bring it back; the id in full, as it is printed
  anamnesis history ID               after a sync: its versions, to bring one of them back
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_notes(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Delete the notes after asking."""
    with arguments.open_store() as store:
        ids = dict.fromkeys(map(store.resolve_id, args.id))
        notes = [store.require(note_id).note for note_id in ids]
        for note in notes:
            output.talk(output.note_line(note))
        if not asking.confirmed(f"Delete {counted(len(notes), 'note')}?", yes=args.yes):
            output.talk("delete: nothing was deleted")
            return 1
        _keep(store, ids)
        for note in notes:
            store.delete(note.id)
            output.say(note.id)
    return 0


def _keep(store: MemoryStore, ids: Iterable[str]) -> None:
    try:
        commit.keep(store, ids)
    except StoreBusy:
        raise
    except AnamnesisError as error:  # without git, for one; what a person wants gone goes
        output.talk(f"delete: nothing is kept of what was not recorded yet: {error.message}")
