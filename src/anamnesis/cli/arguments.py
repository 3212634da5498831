"""Arguments that several commands share, and opening the store that they work on."""

from __future__ import annotations

import os
import re
from argparse import ArgumentTypeError
from datetime import datetime
from typing import TYPE_CHECKING

from anamnesis.config import home_directory
from anamnesis.notes.note import SCOPES, TYPES
from anamnesis.project import resolve_project_key
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

_LAST_PORT = 65535
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ].+)?)?)?")


def open_store() -> MemoryStore:
    """The store of this person."""
    return MemoryStore(home_directory())


def add_json(parser: ArgumentParser) -> None:
    """The option that every reading command has."""
    parser.add_argument("--json", action="store_true", help="print JSON for a program")


def add_note(parser: ArgumentParser) -> None:
    """The note that a command is about."""
    parser.add_argument("id", help="a note's id, or enough of its start or end")


def add_notes(parser: ArgumentParser, *, nargs: str = "+") -> None:
    """The notes that a command is about."""
    parser.add_argument("id", nargs=nargs, help="notes' ids, or enough of their start or end")


def add_project(parser: ArgumentParser) -> None:
    """The project that a command is about."""
    parser.add_argument("--project", metavar="KEY", help="only this project; . is the current one")


def add_count(
    parser: ArgumentParser, name: str, *, default: int | None, help: str, least: int = 1
) -> None:
    """An option that says how many."""
    parser.add_argument(name, metavar="N", type=_at_least(least), default=default, help=help)


def add_date(parser: ArgumentParser, name: str, *, help: str) -> None:
    """An option that names a day, or more or less than a day."""
    parser.add_argument(name, metavar="DATE", type=_date, help=help)


def port(text: str) -> int:
    """The type of a port; 0 is any that is free."""
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise ArgumentTypeError(f"{text!r} is not a port from 0 to {_LAST_PORT}")
    return int(text)


def _date(text: str) -> str:
    """The type of a date as far as it is given; it is compared as it stands."""
    rest = {4: "-01-01", 7: "-01"}.get(len(text), "")
    try:
        datetime.fromisoformat(text + rest if _DATE.fullmatch(text) else "")
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is not a date; write 2026, 2026-11, 2026-11-15 or 2026-11-15T08:30"
        ) from None
    return text


def _at_least(least: int) -> Callable[[str], int]:
    """The type of a number that must not be smaller."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"{text!r} is not a number of {least} or more")
        return int(text)

    return number


def add_filters(parser: ArgumentParser) -> None:
    """Options that narrow a list or a search."""
    add_project(parser)
    parser.add_argument("--type", choices=TYPES, help="only this type")
    parser.add_argument("--scope", choices=SCOPES, help="only notes that travel, or that stay here")


def project_of(argument: str | None) -> str | None:
    """The project key that an option names: `.` and paths stand for the project of a directory."""
    if argument is None or not (argument == "." or argument.startswith(("./", "../", os.sep))):
        return argument
    return resolve_project_key(argument)
