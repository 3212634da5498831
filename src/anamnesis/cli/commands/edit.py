"""Edit a note in $VISUAL or $EDITOR. A note that changed meanwhile is not overwritten."""

from __future__ import annotations

import os
import shlex
import tempfile
from typing import TYPE_CHECKING

from anamnesis import process
from anamnesis.cli import arguments, output
from anamnesis.errors import AnamnesisError, InvalidInput, NoSuchNote
from anamnesis.notes.frontmatter import deserialize, serialize
from anamnesis.operations.remember import amend

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from anamnesis.notes.note import Memory

EXAMPLES = """\
examples:
  anamnesis edit 01J9Z8YPM7Q3X2V4WT6B5N0KGD
  EDITOR="code --wait" anamnesis edit N0KGD
"""


class EditKept(AnamnesisError):
    """An edit could not be saved; the edited text is kept in a file."""

    def __init__(self, cause: AnamnesisError, path: str) -> None:
        super().__init__(
            cause.message, hint=f"Your edited text is kept in {path}", exit_code=cause.exit_code
        )


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("id", help="a note's id, or enough of its start or end")


def run(args: Namespace) -> int:
    """Open the editor and save what it left."""
    with arguments.open_store() as store:
        found = store.read(store.resolve_id(args.id))
        if found is None:
            raise NoSuchNote(args.id)
        path = _draft(found.note)
        edited = _edited(path)
        if edited == serialize(found.note):
            os.unlink(path)
            output.talk("edit: nothing was changed")
            return 0
        try:
            saved = amend(store, _note(edited, found.note), before=found)
        except AnamnesisError as error:
            raise EditKept(error, path) from error
    os.unlink(path)
    output.say(saved.note.id)
    if saved.notice:
        output.talk(f"edit: {saved.notice}")
    return 0


def _draft(note: Memory) -> str:
    descriptor, path = tempfile.mkstemp(prefix="anamnesis-", suffix=".md")
    with open(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(serialize(note))
    return path


def _edited(path: str) -> str:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    code = process.interact([*shlex.split(editor), path])
    if code != 0:
        raise InvalidInput(f"{editor} ended with exit code {code}; the note was not changed.")
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
        return stream.read()


def _note(text: str, before: Memory) -> Memory:
    note = deserialize(text)
    if note.id != before.id:
        raise InvalidInput("The id of a note cannot be changed.")
    return note
