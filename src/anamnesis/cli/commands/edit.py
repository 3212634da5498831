"""Edit a note in $VISUAL or $EDITOR. A note that changed meanwhile is not overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, editor, output, undoing
from anamnesis.ground.errors import InvalidInput
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.operations.notes.edit import edit
from anamnesis.operations.notes.show import show

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.notes.note import Memory

EXAMPLES = """\
examples:
  anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  EDITOR="code --wait" anamnesis edit N0KGD
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)


def run(args: Namespace) -> int:
    """Open the editor and save what it left."""
    with undoing.store_to_change("edit", wait=False) as store:
        found = show(store, args.id)
        before = serialize(found.note)
        with editor.edited(before) as text:
            if text == before:
                output.talk("edit: nothing was changed")
                return 0
            saved = edit(store, found, _note(text, found.note), face="command")
    output.say(saved.note.id)
    if saved.notice:
        output.talk(f"edit: {saved.notice}")
    return 0


def _note(text: str, before: Memory) -> Memory:
    note = deserialize(text)
    if note.id != before.id:
        raise InvalidInput("The id of a note cannot be changed.")
    return note
