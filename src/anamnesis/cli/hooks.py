"""How a hook command runs: it reads a payload, prints context or nothing, and never fails.

Exit code 2 of a hook blocks the client and any other than 0 drops its output, so every way out of
here is 0, `SystemExit` included. Options are read without argparse, which would cost a hook as
much time as the search itself; an unknown option is ignored.
"""

from __future__ import annotations

import os
import sys

from anamnesis.config import home_directory
from anamnesis.ground.errors import CutBytecode, drop_cut_bytecode
from anamnesis.hooks import payload, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Mapping, Sequence

    from anamnesis.hooks.payload import Payload


class Option:
    """One option of a hook command: how it is given, and its help."""

    __slots__ = ("default", "help", "is_flag", "metavar")

    def __init__(
        self, help: str, *, metavar: str = "", default: str | None = None, is_flag: bool = False
    ) -> None:
        self.help = help
        self.metavar = metavar
        self.default = default
        self.is_flag = is_flag


class Options:
    """The options of a call: the last one wins, and unknown ones are ignored."""

    def __init__(self, options: Mapping[str, Option], arguments: Sequence[str]) -> None:
        self._values: dict[str, str | bool | None] = {
            name: False if option.is_flag else option.default for name, option in options.items()
        }
        waiting = list(reversed(arguments))
        while waiting:
            name, has_value, value = waiting.pop().partition("=")
            option = options.get(name)
            if option is None:
                continue
            if option.is_flag:
                self._values[name] = True
            elif has_value or waiting:
                self._values[name] = value if has_value else waiting.pop()

    def text(self, name: str) -> str | None:
        """The value of an option, or None."""
        value = self._values[name]
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """The value of an option as a number; None for anything else."""
        value = self.text(name)
        return int(value) if value and value.lstrip("-").isdecimal() else None

    def flag(self, name: str) -> bool:
        """Whether a flag is set."""
        return self._values[name] is True


def declare(parser: ArgumentParser, options: Mapping[str, Option]) -> None:
    """The same options for `--help`."""
    for name, option in options.items():
        if option.is_flag:
            parser.add_argument(name, action="store_true", help=option.help)
        else:
            metavar = option.metavar or None
            parser.add_argument(name, metavar=metavar, default=option.default, help=option.help)


def guarded(hook: str, work: Callable[[], str], *, area: str = "") -> int:
    """Run a hook and print its result; the exit code is always 0."""
    try:
        _open_missing_streams()
        _print(work())
    except BaseException as error:  # noqa: BLE001  the outermost line of a hook
        _leave_word(hook, CutBytecode() if drop_cut_bytecode(error) else error, area)
    return 0


class Moment:
    """A hook command that adds context at one moment of a session."""

    def __init__(
        self, name: str, answer: Callable[[Payload, str | None, str], str], *, clients: str
    ) -> None:
        self._name = name
        self._answer = answer  # given the payload, the project and the client's format
        self._options = {
            "--project": Option(
                "the project; default: that of the payload's directory", metavar="KEY"
            ),
            "--format": Option(f"{clients}; default: claude", metavar="CLIENT", default="claude"),
        }

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        declare(parser, self._options)

    def run_hook(self, arguments: Sequence[str]) -> int:
        """Print the answer."""
        options = Options(self._options, arguments)
        return self._printed(options.text("--project"), options.text("--format"))

    def run(self, args: Namespace) -> int:
        """Print the answer, with options that argparse has parsed."""
        return self._printed(args.project, args.format)

    def _printed(self, project: str | None, format: str | None) -> int:
        def work() -> str:
            return self._answer(payload.read(), project_named(project), format or "claude")

        return guarded(self._name, work, area="recall")


def project_named(typed: str | None) -> str | None:
    """The project that an option names; hooks seldom have one, so this is loaded late."""
    if not typed:
        return None
    from anamnesis.operations.machine.project_names import project_of

    return project_of(typed, hurried=True)


def _open_missing_streams() -> None:
    # A client may close our streams. The next file opened would then be "standard output", and
    # what we print would end up in it: in the index, for example.
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _print(text: str) -> None:
    if not text or sys.stdout is None:
        return
    try:
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(text)
        else:
            stream.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    except (OSError, ValueError):
        # The reader is gone. What is left in the buffer must not raise at exit.
        sys.stdout = None


def _leave_word(hook: str, error: BaseException, area: str) -> None:
    try:
        home = home_directory()
        reason = runs.reason_of(error)
        runs.note_run(home, hook, did=reason, failed=True)
        if area:
            runs.failed(home, area, reason)
    except BaseException:  # noqa: BLE001  neither a full disk nor no home may reach the client
        return
