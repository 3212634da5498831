"""Edit a note in $VISUAL or $EDITOR. If it changes in the meantime, it is not overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anamnesis.cli import arguments, output, questions, tables
from anamnesis.ground.errors import InvalidInput
from anamnesis.notes.fields import UnreadableNote
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.operations.notes.edit import edit
from anamnesis.operations.notes.show import note_dict, show
from anamnesis.trust.writer import origin_of_shell

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.notes.fields import Memory

EXAMPLES = """\
examples:
  anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  EDITOR="code --wait" anamnesis edit N0KGD
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    arguments.add_note(parser)
    arguments.add_json(parser)


def run(args: Namespace) -> int:
    """Open the editor and save the result."""
    with arguments.store_to_change("edit", wait=False) as store:
        read = show(store, args.id)
        before = serialize(read.note)
        with questions.edited(before) as text:
            if text == before:
                output.talk("edit: nothing was changed")
                return 0
            after = _note(text, read.note)
            saved = edit(store, read, after, face="command", origin=origin_of_shell())
        line = tables.NoteLines(store, [saved.note])[saved.note.id]
    if args.json:
        output.say_json(note_dict(saved.note))
    else:
        output.say(line if tables.is_terminal() else saved.note.id)
    if saved.notice:
        output.talk(f"edit: {saved.notice}")
    return 0


def _note(text: str, before: Memory) -> Memory:
    try:
        note = deserialize(text)
    except UnreadableNote as error:
        raise InvalidInput(
            f"The edited text cannot be saved: {error.reason}.", hint="The note is unchanged."
        ) from None
    if note.id != before.id:
        raise InvalidInput("The id of a note cannot be changed.")
    return note
