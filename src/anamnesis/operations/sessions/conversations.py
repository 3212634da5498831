"""Conversations from an export of ChatGPT or Claude: archived, and found when they are asked for.

They become no session notes, so that no hook gives anything of them unasked. What the assistants
were told to remember becomes notes to review.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anamnesis.archive import database, files
from anamnesis.archive.turns import CHATGPT, CLAUDE_AI
from anamnesis.capture.privacy import without_private_and_recalled
from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import replace
from anamnesis.importers import conversations
from anamnesis.notes import tree
from anamnesis.operations.curate import import_
from anamnesis.operations.curate.import_ import ImportPlan
from anamnesis.operations.sessions import archive
from anamnesis.project import GLOBAL

if TYPE_CHECKING:
    from anamnesis.archive.turns import Transcript
    from anamnesis.ground.counting import Progress
    from anamnesis.store import MemoryStore

FORMATS = (CHATGPT, CLAUDE_AI)


@dataclass(slots=True)
class Brought:
    """What an import of conversations did."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    forgotten: int = 0
    notes: ImportPlan = field(default_factory=ImportPlan)


def program_of(path: str | None, format: str | None) -> str:
    """The program that exported these conversations; empty if they are none."""
    if format in FORMATS:
        return format
    return conversations.program_of(path) if path and format is None else ""


def import_conversations(
    store: MemoryStore,
    path: str,
    *,
    program: str,
    project: str | None,
    dry: bool = False,
    progress: Progress = None,
) -> Brought:
    """Archive the conversations of an export, and propose what the assistants remember.

    Importing again adds what is new. Raises InvalidInput if the archive is off, or the export
    cannot be read or holds no conversation.
    """
    if not archive.is_on():
        raise InvalidInput(
            "Conversations are kept in the archive of sessions, which is off here.",
            hint="Switch it on:  anamnesis config set archive 1",
        )
    brought, drafts = Brought(), []
    for each in conversations.read(path, program):
        drafts += each.remembered
        _keep(store, each.transcript, brought, project=project or GLOBAL, dry=dry)
    if brought == Brought():
        raise InvalidInput(f"Found no conversations in {path}, read as an export of {program}.")
    drafts += conversations.remembered(path)
    brought.notes = import_.plan_import(store, drafts, source=program, project=project)
    if not dry:
        database.refresh(store.home, progress=progress)
        if brought.notes.added or brought.notes.updated:
            import_.carry_out(store, brought.notes, source=program)
    return brought


def _keep(
    store: MemoryStore, read: Transcript, brought: Brought, *, project: str, dry: bool
) -> None:
    home, session = store.home, read.header.session
    if tree.is_forgotten_session(home, session):
        brought.forgotten += 1
        return
    turns = [replace(turn, text=without_private_and_recalled(turn.text)) for turn in read.turns]
    known = files.load(files.path_of(home, session))
    whole = archive.whole_session(home, replace(read, turns=turns), known=known)
    whole = archive.filed(whole, project=known.header.project if known else project, note=None)
    if known is None:
        brought.new += 1
    elif known.turns == whole.turns and known.header.title == whole.header.title:
        brought.unchanged += 1
        return
    else:
        brought.updated += 1
    if not dry:
        files.save(home, whole, known=known)
