"""What commands share: their parser, arguments, opening the store, and undo."""

from __future__ import annotations

import os
import re
from argparse import (
    SUPPRESS,
    Action,
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
)
from collections.abc import Iterable
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from anamnesis.cli import output, tables
from anamnesis.config import home_directory, is_ephemeral
from anamnesis.ground import clock
from anamnesis.ground.errors import EXIT_USAGE, InvalidInput
from anamnesis.hooks import background
from anamnesis.notes.fields import SCOPES, TYPES
from anamnesis.notes.source import SHOWN
from anamnesis.operations.machine import upgrade
from anamnesis.operations.machine.project_names import project_of as project_of  # noqa: PLC0414
from anamnesis.operations.notes import undo
from anamnesis.operations.notes.search import Filters
from anamnesis.operations.repository.attached_notes import look_beside
from anamnesis.store import MemoryStore

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from anamnesis.config import Home

_LAST_PORT = 65535
NO_MACHINES = "no machine has synced yet; to share notes between machines:  anamnesis host"
_MOST_NAMED = 10
_CHOICE = re.compile(r"argument (.+?): invalid choice: '?(.*?)'? \(choose from (.*)\)", re.DOTALL)
_MISSING = "the following arguments are required: "
_UNKNOWN = "unrecognized arguments: "
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ].+)?)?)?")


def open_store() -> MemoryStore:
    """The user's store, created if there is none."""
    return MemoryStore(home_directory())


def store_to_read(*, beside: bool = False) -> MemoryStore:
    """The user's store. Raises NotSetUp if there is none: reading creates nothing.

    With `beside`, the notes that the repository of this directory carries are found as well.
    """
    store = MemoryStore(existing_home())
    return look_beside(store) if beside else store


def existing_home() -> Home:
    """The user's home. Raises NotSetUp if there is none."""
    home = home_directory()
    if not os.path.isdir(home):
        from anamnesis.operations.care.status import NotSetUp

        raise NotSetUp(home)
    return home


def add_json(parser: ArgumentParser) -> None:
    """The option that every reading command has."""
    parser.add_argument("--json", action="store_true", help="print JSON")


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
    """An option that takes a number."""
    parser.add_argument(name, metavar="N", type=_at_least(least), default=default, help=help)


def add_limit(parser: ArgumentParser, *, default: int, least: int = 1) -> None:
    """The length of a list."""
    usual = f"{default}{'' if least else '; 0 means all'}" if default else "all"
    parser.add_argument(
        "-k", "--limit", metavar="N", type=_at_least(least), default=default,
        help=f"at most N; default: {usual}",
    )  # fmt: skip


def add_offset(parser: ArgumentParser) -> None:
    """Where a page of a list starts."""
    add_count(parser, "--offset", default=0, help="skip the first N", least=0)


def add_date(parser: ArgumentParser, name: str, *, help: str, default: object = None) -> None:
    """An option that takes a date or a time span."""
    parser.add_argument(name, metavar="WHEN", type=date, default=default, help=help)


def add_since(parser: ArgumentParser, *, default: object = None) -> None:
    """The option `--since`."""
    add_date(
        parser,
        "--since",
        default=default,
        help="only since then: yesterday, 30d, 12h, 2026-11, 2026-11-15",
    )


def port(text: str) -> int:
    """The type of a port; 0 picks a free one."""
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise ArgumentTypeError(f"{text!r} is not a port from 0 to {_LAST_PORT}")
    return int(text)


def date(text: str) -> str:
    """The type of a date, possibly partial, or of a time span; compared as text."""
    if re.fullmatch(r"\d{1,5}[hdw]|today|yesterday", text):
        then = datetime.fromtimestamp(clock.since(text), UTC)
        return then.isoformat(timespec="seconds")
    rest = {4: "-01-01", 7: "-01"}.get(len(text), "")
    try:
        datetime.fromisoformat(text + rest if _DATE.fullmatch(text) else "")
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is not a date; write 2026, 2026-11, 2026-11-15, 2026-11-15T08:30, "
            "30d or yesterday"
        ) from None
    return text


def _at_least(least: int) -> Callable[[str], int]:
    """The type of a number with a minimum."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"{text!r} is not a whole number of {least} or more")
        return int(text)

    return number


def add_filters(parser: ArgumentParser) -> None:
    """Options that narrow a list or a search."""
    add_project(parser)
    parser.add_argument("--type", choices=TYPES, help="only this type")
    parser.add_argument("--scope", choices=SCOPES, help="only notes that are synced, or local only")
    parser.add_argument(
        "--tag", action="append", default=[], help="only notes with this tag; may be repeated"
    )
    parser.add_argument("--machine", default="", help="only notes written on this machine")
    parser.add_argument("--source", choices=SHOWN, help="only notes from this source")
    add_since(parser)
    add_date(parser, "--until", help="only notes updated by then")
    add_date(parser, "--as-of", help="notes that were active then; search gives that day's text")
    parser.add_argument("--file", default="", help="only notes that mention this file or path")


def filters_of(args: Namespace, *, include_superseded: bool) -> Filters:
    """What those options ask for."""
    project = project_of(args.project)
    return Filters(
        projects=(project,) if project else (),
        type=args.type or "",
        scope=args.scope or "",
        tags=tuple(args.tag),
        machine=args.machine,
        source=args.source or "",
        since=args.since or "",
        until=args.until or "",
        as_of=args.as_of or "",
        file=args.file,
        include_superseded=include_superseded,
    )


def text_of(path: str) -> str:
    """The text of a file that an option names. Raises InvalidInput."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {(error.strerror or '').lower()}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Cannot read {path}: it is not UTF-8.") from error


@contextmanager
def store_to_change(command: str, *, wait: bool = True) -> Iterator[MemoryStore]:
    """The store, once anything an interrupted command left half-done is rolled back and reported.

    With `wait`, waits for a change that another process is making.
    """
    with open_store() as store:
        if rolled_back := undo.roll_back(store, wait=wait):
            output.talk(f"{command}: {rolled_back}")
        if cleaned := upgrade.clean_up(store.home):
            output.talk(f"{command}: {cleaned}")
        yield store
    if is_ephemeral():
        background.complete(["sync"])


def add_no_sync(parser: ArgumentParser) -> None:
    """An option of version 0.1.x, which synced after every change; now it has no effect."""
    parser.add_argument("--no-sync", action="store_true", help=SUPPRESS)


def add_undo(parser: ArgumentParser, *, what: str = "--apply") -> None:
    """Declare the option."""
    parser.add_argument("--undo", action="store_true", help=f"undo the last {what}")


def take_back(store: MemoryStore, command: str, *, as_json: bool, kind: str = "") -> int:
    """Undo what a command did last, and report it."""
    report(command, undo.undo(store, kind=kind or command), as_json=as_json)
    return 0


def undo_fields(unit: undo.Unit) -> dict[str, object]:
    """A change that can be undone, for JSON."""
    return {
        "id": unit.id,
        "at": unit.at,
        "kind": unit.kind,
        "summary": unit.summary,
        "notes": len(unit.note_ids),
        "ids": unit.note_ids,
    }


def report(command: str, undone: undo.Undone, *, as_json: bool) -> None:
    """Print what was undone, what was left alone, and how to redo it."""
    if as_json:
        put_back = {"put_back": undone.notes, "left": list(undone.left), "redo": undone.redo}
        output.say_json({**undo_fields(undone.unit), **put_back})
        return
    is_redone = bool(undone.unit.redoes)
    output.say(f"{'Redone' if is_redone else 'Undone'}: {undone.unit.summary}")
    for path in undone.left[:_MOST_NAMED]:
        output.talk(f"{command}: {path} has changed since; left alone")
    if len(undone.left) > _MOST_NAMED:
        output.talk(f"{command}: and {len(undone.left) - _MOST_NAMED} more")
    if undone.redo:
        output.talk(f"{'undo' if is_redone else 'redo'} it:  anamnesis undo {undone.redo}")


class Parser(ArgumentParser):
    """An argument parser that suggests the right form after a mistake."""

    def __init__(self, **options: object) -> None:
        options = {"formatter_class": RawDescriptionHelpFormatter, **options}
        super().__init__(**options)  # type: ignore[arg-type]

    def add_color(self) -> None:
        """Declare the option that every command but the hooks has."""
        self.add_argument(
            "--color", choices=tables.COLORS, action=_Color, default=SUPPRESS,
            help="auto (the default: on a terminal, unless NO_COLOR is set), always or never",
        )  # fmt: skip

    def error(self, message: str) -> NoReturn:
        """Report the mistake in one line and exit."""
        self.exit(EXIT_USAGE, f"{self.prog}: {self._explained(message)}\n")

    def _explained(self, message: str) -> str:
        if message.startswith(_UNKNOWN):
            return self._unknown(message.removeprefix(_UNKNOWN))
        if message.startswith(_MISSING):
            optional = {a.dest for a in self._actions if a.nargs == "*"}
            names = [n for n in message.removeprefix(_MISSING).split(", ") if n not in optional]
            missing = " and ".join(name if name.startswith("-") else name.upper() for name in names)
            return f"missing {missing}; usage:  {self.form()}"
        if choice := _CHOICE.match(message):
            what, given, listed = choice.groups()
            known = [name.strip("' ") for name in listed.split(",")]
            close = get_close_matches(given, known, n=1)
            guess = f"; did you mean {close[0]}?" if close else ""
            where = f"{what}: " if what.startswith("-") else ""
            return f"{where}{given!r} is not one of {', '.join(known)}{guess}"
        return f"{message.removeprefix('argument ')}; see:  {self.prog} --help"

    def _unknown(self, given: str) -> str:
        first = given.split(maxsplit=1)[0] if given.split() else given
        if not first.startswith("-"):
            return f"unexpected {given!r}; usage:  {self.form()}"
        known = [name for parser in self._with_actions() for name in parser.option_names()]
        close = get_close_matches(first.partition("=")[0], known, n=1)
        guess = f"did you mean {close[0]}?" if close else f"see:  {self.prog} --help"
        return f"unknown option {first}; {guess}"

    def _with_actions(self) -> Iterator[Parser]:
        yield self
        yield from subparsers(self).values()

    def option_names(self) -> list[str]:
        """The options, in every spelling."""
        return [name for action in self._actions for name in action.option_strings]

    def form(self) -> str:
        """The command with its required arguments."""
        needed = [_written(action) for action in self._actions if _is_needed(action)]
        return " ".join([self.prog, *needed])


def subparsers(parser: ArgumentParser) -> dict[str, Parser]:
    """The parsers of a command's actions by their names."""
    for action in parser._actions:  # noqa: SLF001  argparse has no public way to ask
        if isinstance(action.choices, dict):
            return action.choices
    return {}


class _Color(Action):
    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002
        namespace: Namespace,  # noqa: ARG002
        values: str | Sequence[object] | None,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        tables.color = str(values)


def _is_needed(action: Action) -> bool:
    return action.nargs != "*" and (action.required or not action.option_strings)


def _written(action: Action) -> str:
    name = action.metavar or action.dest.upper()
    value = name if isinstance(name, str) else " ".join(name)
    if isinstance(action.choices, Iterable) and not action.metavar:
        value = "|".join(map(str, action.choices))
    if action.option_strings:
        return f"{action.option_strings[-1]} {value}"
    return f"[{value}]" if action.nargs == "?" else value
