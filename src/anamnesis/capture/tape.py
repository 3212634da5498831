"""A session word for word while its transcript is being read, for the archive."""

from __future__ import annotations

import json
import re

from anamnesis.archive.turns import AGENT, CLIENT, PERSON, Turn
from anamnesis.capture.foreign import ForeignReading
from anamnesis.capture.story import clean, clipped
from anamnesis.ground.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.text.spans import Span

_LONGEST_TEXT = 100_000  # characters of what was said at once
_LONGEST_COMMAND = 8_000
_LONGEST_VALUE = 300  # of one argument of a tool
_LONGEST_INPUT = 1_500
_LONGEST_RESULT = 2_000
_LONGEST_ERROR = 4_000
_LONGEST_REPORT = 16_000  # of a subagent: a note quotes from all of it
_LONGEST_LIST = 8_000  # of open items: half a list cannot be read
_MOST_CHARACTERS = 24_000_000  # of one session; then only what was said and run is taken
_FILES = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_COMMANDS = ("command", "cmd")
_SUBAGENTS = frozenset({"Task", "Agent"})
_LISTS = frozenset({"TodoWrite", "update_plan", "write_todos", "todowrite"})
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: .{1,500}$", re.MULTILINE)
_SHELLS = frozenset(
    """Bash bash shell shell_command exec_command local_shell container.exec powershell
    run_shell_command""".split()  # noqa: SIM905  readable as text
)


class Tape:
    """Records turns in order; a result is added to its call."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start over."""
        self.turns: list[Turn] = []
        self.foreign = ForeignReading()  # of the draft that records
        self.at = ""
        self._open: dict[str, int] = {}
        self._size = 0

    def say(self, who: str, text: str) -> None:
        """Record what was said; clients write some lines twice."""
        text = clipped(clean(text), _LONGEST_TEXT)
        last = self.turns[-1] if self.turns else None
        if text and not (last is not None and (last.who, last.text) == (who, text)):
            turn = Turn(who=who, at=self.at, text=text)
            spans = [] if who == PERSON else self.foreign.spans(text)
            self._add(turn.with_foreign("text", spans))

    def call(
        self, tool: object, arguments: dict[str, Any], *, call: object, who: str = AGENT
    ) -> None:
        """Record a call of a tool."""
        if not isinstance(tool, str) or not tool:
            return
        file = next((arguments[key] for key in _FILES if isinstance(arguments.get(key), str)), "")
        command = _command(arguments) if tool in _SHELLS else ""
        turn = Turn(
            who=who,
            at=self.at,
            tool=tool[:100],
            command=clipped(clean(command), _LONGEST_COMMAND),
            input="" if command or self._is_full else _input(arguments, tool=tool),
            file=file[:1000],
        )
        for name in ("command", "input"):
            spans = self.foreign.spans(getattr(turn, name), by_word=True)
            turn = turn.with_foreign(name, spans)
        self._add(turn)
        if isinstance(call, str):
            self._open[call] = len(self.turns) - 1

    def result(self, call: object, text: str, *, failed: bool, foreign: bool = False) -> None:
        """Record the result of a call."""
        place = self._open.pop(call, None) if isinstance(call, str) else None
        if place is None:
            return
        turn = self.turns[place]
        longest = _LONGEST_ERROR if failed else _LONGEST_RESULT
        if turn.tool in _SUBAGENTS:
            longest = _LONGEST_REPORT
        result = "" if self._is_full else clipped(clean(text), longest)
        self._size += len(result)
        turn = replace(turn, result=result, failed=failed)
        self.turns[place] = turn.with_foreign("result", self._foreign_in(turn, foreign=foreign))

    def _foreign_in(self, turn: Turn, *, foreign: bool) -> list[Span]:
        """What is foreign in a result; of a file's contents, which nobody is given, nothing."""
        if foreign:
            return [(0, len(turn.result))] if turn.result else []
        if not (turn.command or turn.failed or turn.tool in _SUBAGENTS or turn.who == CLIENT):
            return []
        return self.foreign.spans(turn.result, by_word=bool(turn.command))

    def remark(self, about: str, text: str, *, failed: bool = False) -> None:
        """Record what the client itself said: a hook's objection, its recap."""
        self.call(about, {}, call=about, who=CLIENT)
        self.result(about, text, failed=failed)

    @property
    def _is_full(self) -> bool:
        return self._size > _MOST_CHARACTERS

    def _add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._size += len(turn.text) + len(turn.command) + len(turn.input)


def _command(arguments: dict[str, Any]) -> str:
    command = next((arguments[key] for key in _COMMANDS if arguments.get(key)), "")
    if isinstance(command, list):  # `["bash", "-lc", "make test"]`
        command = command[-1] if command else ""
    return command if isinstance(command, str) else ""


def _input(arguments: dict[str, Any], *, tool: str) -> str:
    """A tool's arguments, shortened: the archive does not keep written files."""
    if not arguments:
        return ""
    short = {
        str(key)[:50]: _value(value) if isinstance(value, str) else value
        for key, value in list(arguments.items())[:20]
    }
    try:
        text = json.dumps(short, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
    return clipped(clean(text), _LONGEST_LIST if tool in _LISTS else _LONGEST_INPUT)


def _value(text: str) -> str:
    """An argument in short; of a patch, which files it changes."""
    if patched := _PATCHED.findall(text):
        return clean("\n".join(patched))
    return clipped(clean(text), _LONGEST_VALUE)
