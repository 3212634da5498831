"""Migrating notes to a renamed project: one line of each file changes, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.ground.counting import counted, counting
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.index.queries import places
from anamnesis.notes.fields import UnreadableNote
from anamnesis.notes.frontmatter import deserialize, serialize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anamnesis.ground.counting import Progress
    from anamnesis.notes.fields import Memory
    from anamnesis.store import MemoryStore

_PROJECT_LINE = re.compile(rb"(?m)^project:[^\n]*\n")


@dataclass(frozen=True, slots=True)
class ProjectChange:
    """A note whose project changes: its file before and after, which differ in one line."""

    note: Memory
    project: str
    change: undo.FileChange


def project_changes(
    store: MemoryStore, projects: Mapping[str, str], *, progress: Progress = None
) -> list[ProjectChange]:
    """What renaming projects would change: exactly one line of each of their notes."""
    headers = [note for old in projects for note in store.headers(project=old)]
    where = store.ask(lambda db: places(db, [note.id for note in headers]))
    planned = []
    for note in counting(headers, progress):
        read = store.read(note.id)
        if read is not None:
            project = projects[note.project]
            after = _with_project(read.data, read.note, project)
            change = undo.FileChange(where[note.id], read.data, after)
            planned.append(ProjectChange(note, project, change))
    return planned


def migrate(
    store: MemoryStore, planned: Sequence[ProjectChange], *, progress: Progress = None
) -> undo.Unit | None:
    """Give the notes their new project."""
    changes = [each.change for each in planned]
    summary = f"{counted(len(planned), 'note')} moved to another project"
    return undo.apply(store, changes, kind="migrate", summary=summary, progress=progress)


def _with_project(data: bytes, note: Memory, project: str) -> bytes:
    """The file with another project line; rewritten as a whole only if that is not enough."""
    wanted = replace(note, project=project)
    whole = serialize(wanted).encode()
    line = _PROJECT_LINE.search(whole)
    if line is not None:
        edited = _PROJECT_LINE.sub(lambda _: line.group(), data, count=1)
        try:
            if replace(deserialize(edited.decode()), scope=note.scope) == wanted:
                return edited
        except (UnreadableNote, UnicodeDecodeError):
            return whole
    return whole
