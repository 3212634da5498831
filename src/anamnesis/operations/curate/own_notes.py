"""Taking in an export of our own: the same notes under the same ids."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.importers.draft import markdown_files, read_text
from anamnesis.notes import tombstones, tree
from anamnesis.notes.fields import FIELDS
from anamnesis.notes.frontmatter import deserialize
from anamnesis.notes.ids import is_valid_id
from anamnesis.notes.note import Memory, UnreadableNote
from anamnesis.operations.curate.import_ import Intake
from anamnesis.operations.notes.secrets import without_new_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.store import MemoryStore


def is_own_export(path: str) -> bool:
    """Whether a directory or a JSON-lines file was written by `anamnesis export`."""
    if os.path.isdir(path):
        return os.path.isdir(os.path.join(path, "memory")) or os.path.isdir(
            os.path.join(path, "local")
        )
    return path.endswith(".jsonl") and '"prov_source"' in read_text(path)[:20_000]


def plan_own(store: MemoryStore, path: str) -> Intake:
    """What importing would add; a note that is here already, however it reads, is left alone."""
    intake = Intake()
    unchanged = forgotten = 0
    for note in _notes(path):
        here = store.get(note.id)
        plain, _ = without_new_secrets(note)
        if tombstones.is_forgotten(store.home, note.id):
            forgotten += 1
        elif here is None:
            intake.added.append(plain)
        elif here in (note, plain):
            unchanged += 1
        else:
            intake.edited.append(note.id)
    return replace(intake, unchanged=unchanged, forgotten=forgotten)


def _notes(path: str) -> Iterator[Memory]:
    if os.path.isdir(path):
        for file in markdown_files(path):
            try:
                note = deserialize(read_text(file))
            except UnreadableNote:
                continue
            top = os.path.relpath(file, path).split(os.sep)[0]
            yield replace(note, scope=tree.TREES.get(top, note.scope))
        return
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield _from_json(line, f"{path}, line {number}")


def _from_json(line: str, where: str) -> Memory:
    try:
        fields = json.loads(line)
        note = Memory(**{name: fields[name] for name in FIELDS if name in fields})
        tree.encode(note)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{where} is not a note.", hint="Nothing was imported.") from error
    if not is_valid_id(note.id) or not tree.is_safe_type(note.type):
        raise InvalidInput(f"{where} is not a note.", hint="Nothing was imported.")
    return note
