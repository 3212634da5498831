"""A set-up as a value: which files change and how. It can be printed before it is carried out."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from anamnesis.onboard import receipt as receipts
from anamnesis.onboard import settings
from anamnesis.onboard.edits import rules_edit
from anamnesis.operations.travel.remote import shown
from anamnesis.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anamnesis.config import Home
    from anamnesis.onboard.agents.agent import Agent, Setup
    from anamnesis.onboard.edits import Edit
    from anamnesis.onboard.receipt import Receipt, TouchedFile

_CONTEXT_LINES = 2
# In a note, a name alone proves little; in settings, its value is never worth showing.
_NAMED_VALUE = re.compile(
    r"""(?i)((?:key|token|secret|passw\w*|credential\w*|authorization)["']?\s*[:=]\s*)(["'])(.+?)\2"""
)
_ADDRESS = re.compile(r"[a-z+]+://[^\s\"'/]*@[^\s\"']+")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; None where there is none."""

    path: str
    what: str
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> str:
        """The change as a unified diff, without secrets in its context."""
        old, new = (_lines(data) for data in (self.before, self.after))
        source = "/dev/null" if self.before is None else self.path
        target = "/dev/null" if self.after is None else self.path
        lines = unified_diff(old, new, source, target, n=_CONTEXT_LINES)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a set-up would change."""

    changes: tuple[FileChange, ...]
    agents: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All changes as one diff."""
        return "\n".join(change.diff for change in self.changes)


def make_plan(
    setup: Setup, agents: Sequence[Agent], *, rules: Sequence[str] = (), first: Sequence[Edit] = ()
) -> Plan:
    """The plan for these agents; `first` are edits that come before theirs."""
    edits = [*first, *(edit for agent in agents for edit in agent.edits(setup))]
    edits += [rules_edit(directory) for directory in rules]
    changes = [change for edit in edits if (change := _change(edit)) is not None]
    names = tuple(agent.name for agent in agents)
    return Plan(tuple(changes), names, tuple(os.path.abspath(each) for each in rules))


def carry_out(plan: Plan, setup: Setup) -> Receipt:
    """Make the changes; each is recorded on the receipt first, in case the process is killed."""
    home = setup.home
    before = receipts.load(home)
    commands = dict.fromkeys([*before.earlier, before.command])
    receipt = replace(
        before,
        command=setup.command,
        earlier=tuple(each for each in commands if each and each != setup.command),
        name=setup.name,
        names=setup.former,
        mcp=setup.mcp,
        hooks=setup.hooks,
        agents=tuple(dict.fromkeys([*before.agents, *plan.agents])),
        rules=tuple(dict.fromkeys([*before.rules, *plan.rules])),
        places=tuple(dict.fromkeys([*before.places, setup.place])),
    )
    for change in plan.changes:  # all of them or none
        settings.require_writable(change.path, change.before)
    outside = [change for change in plan.changes if not _is_inside(home, change.path)]
    touched = {each.path: _touched(before.files.get(each.path), each) for each in outside}
    receipt = replace(receipt, files={**before.files, **touched})
    if receipt != before:
        receipts.save(home, receipt)
    for change in plan.changes:
        settings.replace_file(change.path, change.before, change.after)
    return receipt


def _change(edit: Edit) -> FileChange | None:
    before = settings.read_bytes(edit.path)
    after = edit.install(before)
    return None if after == before else FileChange(edit.path, edit.what, before, after)


def _touched(recorded: TouchedFile | None, change: FileChange) -> TouchedFile:
    """What to record about a file; its original only while nobody else has changed it."""
    before, after = receipts.hashed(change.before), receipts.hashed(change.after)
    backup = None if change.before is None else settings.free_backup(change.path)
    backups = (backup,) if backup else ()
    made = _missing_directories(change.path)
    if recorded is None:
        existed = change.before is not None
        return receipts.TouchedFile(before, after, existed, backup, before, backups, made)
    # If the process was killed before the last change, the file is what that change had found.
    unchanged = before in (recorded.before, recorded.after)
    return replace(
        recorded,
        before=before,
        after=after,
        original=recorded.original if unchanged else None,
        existed=recorded.existed or not unchanged,
        backups=tuple(dict.fromkeys([*recorded.backups, *backups])),
        directories=tuple(dict.fromkeys([*recorded.directories, *made])),
    )


def _missing_directories(path: str) -> tuple[str, ...]:
    missing: list[str] = []
    directory = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(directory) and directory != os.path.dirname(directory):
        missing.append(directory)
        directory = os.path.dirname(directory)
    return tuple(reversed(missing))


def _is_inside(home: Home, path: str) -> bool:
    return os.path.abspath(path).startswith(os.path.join(os.path.abspath(home), ""))


def _lines(data: bytes | None) -> list[str]:
    text = redact((data or b"").decode("utf-8", "replace"))
    text = _ADDRESS.sub(lambda match: shown(match[0]), _NAMED_VALUE.sub(r"\1\2…\2", text))
    return text.splitlines(keepends=True)
