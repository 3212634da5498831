"""Rebuilding session notes from the archive, for when capture has improved.

Only what capture itself wrote is replaced. No model is asked: that may cost money, and a
better extract does not improve what a model wrote.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.archive import files
from anamnesis.capture import ledger, triage
from anamnesis.capture.archive_format1 import upgraded
from anamnesis.capture.episodic import summarised
from anamnesis.capture.extract.note import ExtractSummarizer
from anamnesis.capture.session import session_of
from anamnesis.capture.story import story_of
from anamnesis.capture.triage import is_worth_a_note
from anamnesis.ground.counting import counted
from anamnesis.ground.records import replace
from anamnesis.history import undo
from anamnesis.hooks import switches
from anamnesis.notes import tree
from anamnesis.operations.sessions.archive import without_ignored_files
from anamnesis.operations.sessions.capture import recent_titles
from anamnesis.secrets import allow_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from anamnesis.archive.turns import Header, Transcript
    from anamnesis.capture.session import ParsedSession
    from anamnesis.notes.fields import Memory
    from anamnesis.notes.tree import ReadNote
    from anamnesis.store import MemoryStore

EDITED, GONE, MODEL, RUNS, OFF, DAMAGED, UNKNOWN, EMPTY = (
    "edited by hand", "deleted or forgotten", "written by a model", "shared by several runs",
    "memory is off there", "archive damaged", "possibly edited since",
    "not worth a note now",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remade:
    """A note before and after."""

    session: str
    before: ReadNote
    after: Memory


@dataclass(frozen=True, slots=True)
class RemakePlan:
    """What rebuilding the notes would change."""

    remade: Sequence[Remade]
    same: int
    left: Mapping[str, int]  # how many notes are left alone, by reason


def plan_again(
    store: MemoryStore,
    *,
    project: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RemakePlan:
    """The notes that capture would write differently today; nothing is changed."""
    remade: list[Remade] = []
    left: Counter[str] = Counter()
    same = 0
    found = files.listed(store.home)[::-1]  # the oldest first, as they were captured
    for number, file in enumerate(found, start=1):
        header = files.read_header(file.path)
        if header is not None and header.note and _is_wanted(store, header, project):
            result = _remade(store, header, file.path, remade)
            if isinstance(result, str):
                left[result] += 1
            elif result is None:
                same += 1
            else:
                remade.append(result)
        if progress:
            progress(number, len(found))
    return RemakePlan(remade, same, left)


def write_again(store: MemoryStore, plan: RemakePlan) -> undo.Unit | None:
    """Write what was planned; one unit that can be undone. Raises NoteChangedOnDisk."""
    changes = undo.changes_of(store, ((each.before, each.after) for each in plan.remade))
    # The ledger changes with it, both ways, or the next capture would take the text for an edit.
    changes += [change for each in plan.remade for change in _in_ledger(store, each)]
    summary = f"{counted(len(plan.remade), 'session note')} rebuilt"
    return undo.apply(store, changes, kind="capture", summary=summary)


def _is_wanted(store: MemoryStore, header: Header, project: str | None) -> bool:
    if project is None:
        return True
    note = store.get(header.note)  # it may have been moved since
    return (note.project if note else header.project) == project


def _remade(
    store: MemoryStore, header: Header, path: str, planned: Sequence[Remade]
) -> Remade | str | None:
    """The rebuilt note of a session, why it is left alone, or None if it is unchanged."""
    before = store.read(header.note)
    if before is None or tree.is_forgotten_session(store.home, header.session):
        return GONE
    if left := _why_left(store, header, before.note):
        return left
    archived = files.load(path)
    if archived is None or len(archived.turns) != archived.header.turns:
        return DAMAGED
    after = _made_again(store, upgraded(archived), before.note, planned)
    if isinstance(after, str):
        return after
    is_same = (after.title, after.body.strip()) == (before.note.title, before.note.body.strip())
    return None if is_same else Remade(header.session, before, after)


def _why_left(store: MemoryStore, header: Header, note: Memory) -> str:
    known = ledger.read(store.home, header.session)
    if known is None or known.note_id != note.id or not known.body:
        return UNKNOWN
    if not ledger.is_ours(known, note.body):
        return EDITED
    if note.prov_model:
        return MODEL
    if len(triage.runs_of(note, header.session)) > 1:
        return RUNS
    return OFF if switches.why_off(store.home, project=note.project, cwd=header.cwd) else ""


def _made_again(
    store: MemoryStore, archived: Transcript, note: Memory, planned: Sequence[Remade]
) -> Memory | str:
    turns = without_ignored_files(archived.turns, archived.header.cwd)
    archived = replace(archived, turns=turns)
    session, story = session_of(archived), story_of(archived)
    if _is_a_run(store, session, note):
        return RUNS
    if not is_worth_a_note(session, story):
        return EMPTY
    taken = recent_titles(store, note.project, session)
    taken += [each.after.title for each in planned if each.after.project == note.project]
    summary = summarised(
        session,
        summarizer=ExtractSummarizer(story, taken=taken),
        allow=allow_list(store.home),
    )
    if summary is None:
        return EMPTY
    # A title that capture did not give was chosen by the user.
    title = summary.title if note.title == archived.header.title else note.title
    return replace(note, title=title, body=summary.body)


def _is_a_run(store: MemoryStore, session: ParsedSession, note: Memory) -> bool:
    """Whether the next run of the same prompt will share this note."""
    shared = ledger.read(store.home, triage.ledger_name(session, project=note.project))
    return shared is not None and shared.note_id == note.id


def _in_ledger(store: MemoryStore, remade: Remade) -> list[undo.FileChange]:
    """The ledger's entry before and after; nothing if it was pruned since."""
    path = ledger.path_of(store.home, remade.session)
    known = ledger.read(store.home, remade.session)
    if known is None:
        return []
    entry = ledger.said(known, remade.after)
    name = os.path.relpath(path, store.home).replace(os.sep, "/")
    return [undo.FileChange(name, tree.bytes_at(path), ledger.encoded(entry).encode())]
