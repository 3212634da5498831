"""Taking back exactly what a set-up added, for every agent."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from anamnesis import atomic
from anamnesis.errors import AnamnesisError
from anamnesis.onboard import receipt as receipts
from anamnesis.onboard import settings
from anamnesis.onboard.agents import AGENTS
from anamnesis.onboard.plan import FileChange
from anamnesis.onboard.rules import rules_edit
from anamnesis.records import record, replace

if TYPE_CHECKING:
    from anamnesis.onboard.agents.agent import Setup
    from anamnesis.onboard.edits import Edit
    from anamnesis.onboard.receipt import Receipt, Touched

# Everything that this program keeps in a store. A home that holds other things keeps those.
_OURS = (
    "memory", "local", "conflicts", "log", "state", "spool", "locks", "paused", "paused-projects",
    "redact-allow.txt", "dashboard.json", "undo", "eval.jsonl",
)  # fmt: skip
_OUR_BEGINNINGS = ("index.db", "vectors.db", "config.json", atomic.TEMP_PREFIX)
_DOCUMENTS_LEFT_EMPTY = (b"{}", b"")


@record
class Removal:
    """The files to change, and those that a person has to look at."""

    changes: tuple[FileChange, ...]
    problems: tuple[AnamnesisError, ...] = ()


def removal(setup: Setup, receipt: Receipt) -> Removal:
    """What has to change so that no agent knows us any more."""
    here = replace(setup, mcp=True, hooks=True)
    places = [here, *(here.moved_to(place) for place in receipt.places)]
    found = [edit for place in places for agent in AGENTS.values() for edit in agent.edits(place)]
    edits = list({edit.path: edit for edit in found}.values())
    edits += [rules_edit(directory) for directory in receipt.rules]
    changes: list[FileChange] = []
    problems: list[AnamnesisError] = []
    for edit in edits:
        try:
            change = _change(edit, receipt.files.get(edit.path))
        except AnamnesisError as error:
            problems.append(error)
            continue
        if change is not None:
            changes.append(change)
    return Removal(tuple(changes), tuple(problems))


def carry_out(removal: Removal, receipt: Receipt, home: str) -> None:
    """Make the changes; backups go where a file is again what it was, else they stay."""
    made: set[str] = set()
    for change in removal.changes:  # all of them or none
        settings.require_writable(change.path, change.before)
    for change in removal.changes:
        touched = receipt.files.get(change.path)
        original = settings.read_bytes(touched.original) if touched and touched.original else None
        backup = settings.replace_file(change.path, change.before, change.after)
        if touched is None or change.after != original or _was_edited(change, touched):
            continue
        for path in (*touched.backups, *([backup] if backup else [])):
            atomic.remove(path)
        made.update(touched.directories)
    _remove_empty(made)
    receipts.forget(home)


def _was_edited(change: FileChange, touched: Touched) -> bool:
    """Whether somebody put more into a file that was ours; it goes, and its backup stays."""
    return change.after is None and receipts.hashed(change.before or b"") != touched.after


def purge(home: str) -> list[str]:
    """Delete the store; gives the names of what is left because it is not ours."""
    if not os.path.isdir(home):
        return []
    for name in os.listdir(home):
        if name in _OURS or name.startswith(_OUR_BEGINNINGS):
            _delete(os.path.join(home, name))
    left = sorted(os.listdir(home))
    if not left:
        os.rmdir(home)
    return left


def _change(edit: Edit, touched: Touched | None) -> FileChange | None:
    before = settings.read_bytes(edit.path)
    if before is None:
        return None
    after = edit.remove(before)
    if touched is not None and receipts.hashed(before) == touched.after:
        if not touched.existed:
            after = None
        elif touched.original and (original := settings.read_bytes(touched.original)) is not None:
            after = original
    elif touched is not None and not touched.existed and _says_nothing(after):
        after = None
    return None if after == before else FileChange(edit.path, edit.what, before, after)


def _says_nothing(data: bytes | None) -> bool:
    return data is None or data.strip() in _DOCUMENTS_LEFT_EMPTY


def _remove_empty(directories: set[str]) -> None:
    for directory in sorted(directories, key=len, reverse=True):
        if os.path.isdir(directory) and not os.listdir(directory):
            os.rmdir(directory)


def _delete(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        atomic.remove(path)
