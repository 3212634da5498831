"""Removing exactly what a set-up added, for every agent."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from glob import escape, glob
from typing import TYPE_CHECKING

from anamnesis import config
from anamnesis.ground import atomic, locks
from anamnesis.ground.errors import AnamnesisError
from anamnesis.onboard import planning_setup, settings
from anamnesis.onboard import receipt as receipts
from anamnesis.onboard.agents import AGENTS, claude
from anamnesis.onboard.edits import rules_edit
from anamnesis.onboard.plan import FileChange
from anamnesis.operations.travel.remote import shown
from anamnesis.operations.travel.sync import sync_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anamnesis.config import Home
    from anamnesis.onboard.agents.agent import Setup
    from anamnesis.onboard.edits import Edit
    from anamnesis.onboard.receipt import Receipt, TouchedFile

# Everything that Anamnesis keeps in a store. Other files in that folder are left alone.
_OURS = (
    "memory", "local", "conflicts", "log", "state", "spool", "locks", "paused", "paused-projects",
    "redact-allow.txt", "dashboard.json", "undo", "eval.jsonl", "sessions",
    "eval-history.jsonl", "keys",
    "vouched", "vouched.txt",  # of earlier versions
)  # fmt: skip
_OUR_BEGINNINGS = ("index.db", "vectors.db", "sessions.db", "config.json", atomic.TEMP_PREFIX)
_REST_SECONDS = 10.0  # a sync or an embedding in the background
_TAKEN_LAST = ("capture.lock", "store.lock")  # in the same order as everywhere else
_DOCUMENTS_LEFT_EMPTY = (b"{}", b"")
_HALF_WRITTEN = re.compile(rf"{re.escape(atomic.TEMP_PREFIX)}\d+-[0-9a-f]{{12}}")


@dataclass(frozen=True, slots=True)
class Removal:
    """The files to change, and those that need you."""

    changes: tuple[FileChange, ...]
    problems: tuple[AnamnesisError, ...] = ()


def leave(home: Home) -> Removal:
    """Undo a set-up; returns what was changed, and what needs you."""
    # A store that does not exist cannot be in use, and a lock would create it.
    with planning_setup.setup_lock(home) if os.path.isdir(home) else nullcontext():
        receipt = receipts.load(home)
        work = removal(planning_setup.this_setup(home), receipt)
        carry_out(work, receipt, home)
    return work


def removal(setup: Setup, receipt: Receipt) -> Removal:
    """The changes after which no agent runs Anamnesis any more."""
    here = replace(setup, mcp=True, hooks=True)
    places = [here, *(here.moved_to(place) for place in receipt.places)]
    all_edits = [
        edit for place in places for agent in AGENTS.values() for edit in agent.edits(place)
    ]
    edits = list({edit.path: edit for edit in all_edits}.values())
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


def carry_out(removal: Removal, receipt: Receipt, home: Home) -> None:
    """Make the changes; the backups of files that are restored exactly are deleted.

    No backup of a client's account file stays: it holds more than settings, and only our part of
    it is removed. Everything to be deleted is recorded on the receipt first, in case the process is
    killed. The receipt goes last, and stays as long as a file needs you.
    """
    for change in removal.changes:  # all of them or none
        settings.require_writable(change.path, change.before)
    files = dict(receipt.files)
    for change in removal.changes:
        touched = files.pop(change.path, None)
        if touched and (_restores(change, touched) or _is_account(change.path)):
            backups = (settings.free_backup(change.path), *touched.backups)
            files[change.path] = replace(touched, backups=backups)
    if files != receipt.files:
        receipts.save(home, replace(receipt, files=files))
    for change in removal.changes:
        settings.replace_file(change.path, change.before, change.after)
    _sweep({os.path.dirname(os.path.realpath(path)) for path in receipt.files})
    _tidy(files)
    if not removal.problems:
        receipts.forget(home)


def _restores(change: FileChange, touched: TouchedFile) -> bool:
    """Whether a change restores a file exactly, or removes one that nobody else has changed."""
    if change.after is None:
        return not touched.existed and receipts.hashed(change.before) == touched.after
    return touched.existed and receipts.hashed(change.after) == touched.origin


def _sweep(directories: set[str]) -> None:
    """Remove temporary files of killed set-ups; the lock is held."""
    for directory in filter(os.path.isdir, directories):
        for name in filter(_HALF_WRITTEN.fullmatch, os.listdir(directory)):
            atomic.remove(os.path.join(directory, name))


def _tidy(files: dict[str, TouchedFile]) -> None:
    """Remove the backups of restored files, and the directories created for them."""
    made: set[str] = set()
    for path, touched in files.items():
        was = touched.origin if touched.existed else ""
        restored = _hash_of(path) == was and not (touched.existed and not was)
        if not restored and not _is_account(path):
            continue
        for backup in touched.backups:
            atomic.remove(backup)
        made.update(touched.directories if restored else ())
    _remove_empty(made)


def _is_account(path: str) -> bool:
    return os.path.basename(path) == claude.ACCOUNT


def _hash_of(path: str) -> str:
    try:
        return receipts.hashed(settings.read_bytes(path))
    except settings.UnusualSettings:
        return "unreadable"


def left_elsewhere() -> list[str]:
    """What remains of the notes once this machine's store is deleted, as lines of text."""
    url = config.resolve_remote()
    if not url:
        return ["No remote is set: these notes and their history exist nowhere else."]
    lines = [
        f"{shown(url)} and your other machines still hold every synced note,",
        "with earlier versions in its git history; delete that repository to remove them.",
    ]
    if config.is_on("sealed", default=False):
        lines.append(
            "It is sealed: only your other machines and the recovery key can still open it."
        )
    state = sync_state()
    if state.dirty or state.ahead or state.held:
        lines.append("Not everything has been sent there yet; first run:  anamnesis sync")
    return lines


def purge(home: Home) -> list[str]:
    """Delete the store; returns the names of other files, which stay."""
    if not os.path.isdir(home):
        return []
    with _at_rest(home):
        for name in os.listdir(home):
            if name in _OURS or name.startswith(_OUR_BEGINNINGS):
                _delete(os.path.join(home, name))
    if config.pointed_to() == home:
        planning_setup.point_to(None)
    other_names = sorted(os.listdir(home))
    if not other_names:
        os.rmdir(home)
    return other_names


@contextmanager
def _at_rest(home: Home) -> Iterator[None]:
    """Wait for background work: it would write into folders that are being deleted."""
    with ExitStack() as stack:
        for path in sorted(glob(os.path.join(escape(home), "locks", "*.lock")), key=_turn):
            name = f"{os.path.basename(path).removesuffix('.lock')} lock"
            stack.enter_context(locks.held(path, name=name, timeout=_REST_SECONDS))
        yield


def _turn(lock: str) -> int:
    name = os.path.basename(lock)
    return _TAKEN_LAST.index(name) + 1 if name in _TAKEN_LAST else 0


def _change(edit: Edit, touched: TouchedFile | None) -> FileChange | None:
    before = settings.read_bytes(edit.path)
    if before is None:
        return None
    after = edit.remove(before)
    if touched is not None and receipts.hashed(before) == touched.after:
        if not touched.existed:
            after = None
        elif (original := _original(touched)) is not None:
            # It may hold an earlier or a manual set-up, which must not come back.
            after = edit.remove(original) or original
    elif touched is not None and not touched.existed and _says_nothing(after):
        after = None
    return None if after == before else FileChange(edit.path, edit.what, before, after)


def _original(touched: TouchedFile) -> bytes | None:
    """The file as it was before the first set-up, if its backup is intact."""
    data = settings.read_bytes(touched.original) if touched.original else None
    return data if receipts.hashed(data) == touched.origin else None


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
