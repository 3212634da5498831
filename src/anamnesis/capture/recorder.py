"""The turns of a session while a client's file is being read; bounded, however long it is."""

from __future__ import annotations

from datetime import datetime, timedelta

from anamnesis.archive.turns import (
    AGENT,
    CLIENT,
    COMMAND,
    PERSON,
    RECAP,
    TASK,
    Header,
    Transcript,
    Turn,
)
from anamnesis.capture import calls
from anamnesis.capture.foreign import ForeignReading
from anamnesis.capture.privacy import clean
from anamnesis.ground.records import replace
from anamnesis.text.clipping import both_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.text.spans import Span

# At least what a story takes of each (`capture/story.py`), or notes would lack it.
_LONGEST_TEXT = 100_000  # characters of what was said at once
_LONGEST_RESULT = 2_000
_LONGEST_ERROR = 4_000
_LONGEST_REPORT = 16_000  # of a subagent: a note quotes from all of it
_MOST_CHARACTERS = 24_000_000  # of one session; then only what was said and run is taken
_MOST_FOR_A_NOTE = 700_000  # then what the agent said first is let go, but for the beginning
_BEGINNING = 40  # turns
_AT_ONCE = timedelta(seconds=2)  # a prompt this soon after the start came with the command line


class Recorder:
    """Records turns in order; a result is added to its call.

    Unless the session is taken as a `whole`, only what a note may quote is kept.
    """

    def __init__(self, *, agent: str, whole: bool = True) -> None:
        self.turns: list[Turn] = []
        self.foreign = ForeignReading()
        self.at = self.cwd = self.client_title = ""
        self.is_interactive = True
        self.has_begun = False  # anything was asked
        self._agent, self._whole = agent, whole
        self._session = self._branch = self._started = self._ended = ""
        self._places: dict[str, int] = {}  # of calls
        self._running: dict[str, str] = {}  # calls that go on, by what the client calls them
        self._size = 0
        self._let_go = _BEGINNING  # turns before this one, except for the beginning

    def identify(self, *, session_id: object = "", cwd: object = "", branch: object = "") -> None:
        """Keep the first session id, directory and branch that a line names."""
        if not self._session and isinstance(session_id, str):
            self._session = session_id
        if not self.cwd and isinstance(cwd, str):
            self.cwd = cwd
        # A detached HEAD and a directory outside git both say "HEAD": no branch at all.
        if not self._branch and isinstance(branch, str) and branch != "HEAD":
            self._branch = branch

    def see_time(self, timestamp: object) -> None:
        """Keep the time of the latest line."""
        if isinstance(timestamp, str):
            self.at = timestamp
            self._ended = max(self._ended, timestamp)

    def start(self, timestamp: object) -> None:
        """Keep when the client started, if it does not record whether it was interactive.

        Then a script ran the session if its only prompt was there immediately.
        """
        self._started = timestamp if isinstance(timestamp, str) else ""

    def ask(self, text: str, *, kind: str = "", to: str = "") -> None:
        """Add what the person said: a prompt, or what its kind says."""
        if not (text := clean(text)):
            return
        if self._started and not kind:
            self.is_interactive = self.has_begun or not self._came_at_once()
        self.has_begun = self.has_begun or kind in ("", COMMAND)
        self.foreign.type(text)
        self._say(PERSON, text, kind=kind, to=to)

    def say(self, who: str, text: str) -> None:
        """Add what an agent said, or how the client summarised the conversation."""
        if text := clean(text):
            own = self._say(who, text)
            if who == AGENT:
                self.foreign.say(own)

    def remark(self, about: str, text: str, *, failed: bool = False) -> None:
        """Add what the client itself said: its recap, or a hook's objection."""
        text = both_ends(clean(text), _LONGEST_ERROR)
        if text or about != RECAP:
            turn = Turn(who=CLIENT, at=self.at, tool=about, result=text, failed=failed)
            self._add(turn.with_foreign("result", self.foreign.spans(text)))

    def call(
        self, tool: object, arguments: dict[str, Any], *, call: object, who: str = AGENT
    ) -> None:
        """Add a call of a tool."""
        self.foreign.call(tool, arguments, call=call, at=self.at)
        if not isinstance(tool, str) or not tool:
            return
        turn = calls.turn_of(
            tool,
            arguments,
            who=who,
            at=self.at,
            cwd=self.cwd,
            with_input=self._whole and self._size <= _MOST_CHARACTERS,
        )
        self._add(self._marked(turn))
        if isinstance(call, str):
            self._places[call] = len(self.turns) - 1

    def asks_again(self, name: str, *, call: object) -> bool:
        """Whether a call only waits for one that goes on by this name; it stands for that one."""
        place = self._places.get(self._running.get(name, ""))
        if place is None or not isinstance(call, str):
            return False
        self._places[call] = place
        self._running[name] = call
        return True

    def result(
        self,
        call: object,
        text: str,
        *,
        failed: bool,
        refused: bool = False,
        exit: object = None,
        goes_on_as: str = "",
    ) -> None:
        """Add the result of a call, with the exit status if the client records one.

        One that goes on by some name has more to come.
        """
        is_foreign = self.foreign.result(call, text)
        turn = self.call_of(call)
        is_more = call in self._running.values()
        if turn is None or (turn.result and not is_more):  # unknown, or written twice
            return
        self._running = {name: each for name, each in self._running.items() if each != call}
        if goes_on_as:
            self._running[goes_on_as] = str(call)
        if is_more and turn.result:
            text = f"{turn.own().result}\n{text}"
        longest = _LONGEST_ERROR if failed else _LONGEST_RESULT
        if turn.kind == TASK:
            longest = _LONGEST_REPORT
        result = both_ends(clean(text), longest) if self._size <= _MOST_CHARACTERS else ""
        self._size += len(result)
        turn = replace(
            turn,
            items=calls.created(turn.own(), text),
            result=result,
            failed=failed,
            refused=refused,
            exit=exit if isinstance(exit, int) else None,
        )
        spans = self._foreign_in(turn, is_foreign=is_foreign)
        self.turns[self._places[str(call)]] = turn.with_foreign("result", spans)

    def edit(self, path: object, *, call: object) -> None:
        """Add a file that a call changed, or else the latest turn."""
        if isinstance(path, str) and (path := self.foreign.without(clean(path))) and self.turns:
            place = self._places.get(str(call), -1)
            turn = self.turns[place]
            self.turns[place] = replace(turn, edits=(*dict.fromkeys((*turn.edits, path)),))

    def call_of(self, call: object) -> Turn | None:
        """The turn of a call."""
        place = self._places.get(call) if isinstance(call, str) else None
        return self.turns[place] if place is not None else None

    def awaits(self, call: str) -> bool:
        """Whether the result of a call is wanted."""
        if self._whole or self.foreign.awaits(call):
            return True
        turn = self.call_of(call)
        return turn is not None and turn.who == AGENT and bool(turn.command or turn.text)

    def transcript(self) -> Transcript:
        """The session as far as it was read."""
        header = Header(
            session=self._session,
            agent=self._agent,
            cwd=self.cwd,
            branch=self._branch,
            ended=self._ended,
            client_title=self.foreign.without(self.client_title),
            scripted=not self.is_interactive,
        )
        return Transcript(header, self.turns)

    def _came_at_once(self) -> bool:
        try:
            gap = datetime.fromisoformat(self.at) - datetime.fromisoformat(self._started)
        except (ValueError, TypeError):  # no times, or of two kinds
            return False
        return timedelta() <= gap < _AT_ONCE

    def _say(self, who: str, text: str, *, kind: str = "", to: str = "") -> str:
        """Add what was said and return what is not foreign; clients write some lines twice."""
        turn = Turn(who=who, at=self.at, kind=kind, text=both_ends(text, _LONGEST_TEXT), to=to)
        if self.foreign.has_read:
            spans = [] if who == PERSON else self.foreign.spans(turn.text)
            turn = turn.with_foreign("text", spans).with_foreign("to", self.foreign.spans(to))
        last = self.turns[-1] if self.turns else None
        if last is None or last.tool or last.who != who or last.text != turn.text:
            self._add(turn)
        return turn.own().text

    def _marked(self, turn: Turn) -> Turn:
        """A call with what it repeats from elsewhere marked; items and paths lose it."""
        if not self.foreign.has_read:
            return turn
        for name in ("text", "command", "input"):
            turn = turn.with_foreign(name, self.foreign.spans(getattr(turn, name), by_word=True))
        if turn.edits or turn.items:
            own = self.foreign.without
            items = tuple((key, own(text), status) for key, text, status in turn.items)
            turn = replace(turn, edits=(*filter(None, map(own, turn.edits)),), items=items)
        return turn

    def _foreign_in(self, turn: Turn, *, is_foreign: bool) -> list[Span]:
        """What is foreign in a result; of a file's contents, which nobody is given, nothing."""
        if is_foreign:
            return [(0, len(turn.result))] if turn.result else []
        if not (turn.command or turn.failed or turn.text):
            return []
        return self.foreign.spans(turn.result, by_word=bool(turn.command))

    def _add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._size += _size(turn)
        if self._size > _MOST_FOR_A_NOTE and not self._whole:
            self._let_the_oldest_go()

    def _let_the_oldest_go(self) -> None:
        # Half at once: few turns would be little, and the next turn would be too much again.
        start, self._let_go = self._let_go, (self._let_go + len(self.turns)) // 2
        for place, turn in enumerate(self.turns[start : self._let_go], start=start):
            if turn.who not in (PERSON, CLIENT):
                self._size -= _size(turn)
                self.turns[place] = replace(turn, text="", command="", result="", foreign=())


def _size(turn: Turn) -> int:
    return len(turn.text) + len(turn.command) + len(turn.input) + len(turn.result)
