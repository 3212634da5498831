"""Commands that worked before, and what they fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anamnesis.archive import ask
from anamnesis.capture.extract.findings import decisive_line
from anamnesis.capture.extract.shell import is_looking, main_part, program
from anamnesis.operations.sessions.archive import bring_up_to_date
from anamnesis.text import words

if TYPE_CHECKING:
    from anamnesis.archive.ask import SessionFilter, SessionRow
    from anamnesis.config import Home

_SHORTLY_BEFORE = (
    30  # turns back in which a failure of the same program counts as fixed by the command
)
_SPARE = 12  # candidates per requested command: most only look around
_PATCH = "*** Begin Patch"
_BEGINNING = 5  # letters that words must share: migrate, migrations


@dataclass(frozen=True, slots=True)
class WorkingCommand:
    """A command that worked."""

    command: str
    times: int
    at: str  # when it worked last
    fixed: str  # the error that it ended, or nothing
    session: SessionRow
    number: int  # of its turn


def how(
    home: Home, text: str, session_filter: SessionFilter, *, limit: int
) -> list[WorkingCommand]:
    """The commands that worked and answer the question, the best first."""
    bring_up_to_date(home)
    found = ask.commands(home, text, session_filter, limit=limit * _SPARE)
    useful = sorted(filter(_does_something, found), key=lambda row: not _says(row.command, text))
    return [
        WorkingCommand(
            command=row.command,
            times=row.times,
            at=row.at,
            fixed=_fixed(home, row),
            session=row.session,
            number=row.number,
        )
        for row in (useful or found)[:limit]
    ]


def _does_something(row: ask.CommandRow) -> bool:
    command = row.command
    return not command.startswith(_PATCH) and not is_looking(main_part(command) or command)


def _says(command: str, text: str) -> bool:
    """Whether the command itself, not only its output, has a word of the question."""
    asked = [word[:_BEGINNING] for word in words.tokens(text) if len(word) > 2]
    parts = words.tokens(main_part(command))
    return any(part.startswith(word) for word in asked for part in parts)


def _fixed(home: Home, row: ask.CommandRow) -> str:
    """The error of the same program that came shortly before."""
    own = program(main_part(row.command) or row.command)
    failures = ask.failures_before(home, row.session.id, row.number, within=_SHORTLY_BEFORE)
    for command, printed in failures:
        if own and program(main_part(command) or command) == own:
            return decisive_line(printed)
    return ""
