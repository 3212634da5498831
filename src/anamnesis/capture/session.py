"""What a transcript says: the ask, the outcome, the files; collected line by line."""

from __future__ import annotations

from datetime import datetime, timedelta

from anamnesis.archive.turns import AGENT, CLIENT, PERSON
from anamnesis.capture.foreign import ForeignReading
from anamnesis.capture.lines import text
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, RECAP, RUN, SUMMARY, StoryDraft, clean
from anamnesis.ground.records import fresh, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anamnesis.capture.tape import Tape

# Enough of a conversation for a model to summarise, and a bound on the memory of the longest one.
_RAW_HEAD = 40_000
_RAW_TAIL = 80_000
_MAX_FILES = 500
# A prompt this soon after the start came with the command line.
_AT_ONCE = timedelta(seconds=2)


@record
class ParsedSession:
    """One session, of any agent."""

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = fresh(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    raw: str = ""  # the full text of the transcript; read from `transcript` on demand
    conversation: str = ""  # what was said, its beginning and its end: enough for a model
    compact_summary: str = ""
    agent: str = "claude-code"
    ended_at: str = ""
    transcript: str = ""  # where it was read from

    if not TYPE_CHECKING:  # or a type checker would accept every misspelt field

        def __getattr__(self, name: str) -> str:
            """The transcript's text, for a session that leaves it on the disk."""
            if name != "raw":
                raise AttributeError(name)
            return text(self.transcript)

    def leaving_raw_on_disk(self, transcript: str) -> ParsedSession:
        """The same session, whose `raw` is read on demand."""
        session = replace(self, transcript=transcript)
        object.__delattr__(session, "raw")
        return session


class SessionDraft:
    """A session while its transcript is being read; bounded, however long the transcript."""

    def __init__(self, *, agent: str, tape: Tape | None = None) -> None:
        self.agent = agent
        self.foreign = ForeignReading()
        self.story = StoryDraft(self.foreign)
        self.tape = tape
        if tape is not None:
            tape.foreign = self.foreign
        self.session_id = self.cwd = self.git_branch = self.ended_at = ""
        self._first_prompt = self._outcome = self._summary = self._command = ""
        self._summary_is_last = False
        self._started = ""
        self._edits: dict[str, set[str]] = {}
        self._head: list[str] = []
        self._tail: list[str] = []
        self._head_size = self._tail_size = 0

    @property
    def has_begun(self) -> bool:
        """Whether anything was asked yet."""
        return bool(self._first_prompt or self._command)

    def identify(self, *, session_id: object = "", cwd: object = "", branch: object = "") -> None:
        """Keep the first session id, directory and branch that a line names."""
        if not self.session_id and isinstance(session_id, str):
            self.session_id = session_id
        if not self.cwd and isinstance(cwd, str):
            self.cwd = cwd
        # A detached HEAD and a directory outside git both say "HEAD": no branch at all.
        if not self.git_branch and isinstance(branch, str) and branch != "HEAD":
            self.git_branch = branch

    def see_time(self, timestamp: object) -> None:
        """Keep the time of the latest line."""
        if isinstance(timestamp, str):
            self.story.at = timestamp
            if self.tape:
                self.tape.at = timestamp
            self.ended_at = max(self.ended_at, timestamp)

    def start(self, timestamp: object) -> None:
        """Keep when the client started, if it does not record whether it was interactive.

        Then a script ran the session if its only prompt was there immediately.
        """
        self._started = timestamp if isinstance(timestamp, str) else ""

    def ask(self, text: str) -> None:
        """Add what the user asked."""
        text = clean(text)
        if text:
            if self._started:
                self.story.is_interactive = self.has_begun or not self._came_at_once()
            self._first_prompt = self._first_prompt or text
            self._append(f"User: {text}")
            self.foreign.type(text)
            self.story.add_text(PROMPT, text)
            self._record(PERSON, text)

    def ask_by_command(self, text: str) -> None:
        """Add a slash command: the ask if nothing else is asked."""
        text = clean(text)
        self._command = self._command or text
        self.foreign.type(text)
        self.story.add_text(PROMPT, text)
        self._record(PERSON, text)

    def remark(self, text: str, *, to: str = "") -> None:
        """Add what the user said besides prompts: queued, chosen, or why a call was refused."""
        text = clean(text)
        if text:
            self._append(f"User: {text}")
            self.foreign.type(text)
            self.story.add_text(PROMPT, text, answer=to)
            self._record(PERSON, text)

    def answer(self, text: str) -> None:
        """Add what the agent said."""
        text = clean(text)
        if text:
            self._record(AGENT, text)
        if text := self.foreign.without(text):
            self._outcome, self._summary_is_last = text, False
            self._append(f"Assistant: {text}")
            self.foreign.say(text)
            self.story.add_text(ANSWER, text)

    def summarise(self, text: str) -> None:
        """Add the summary that the client made when it compacted the conversation."""
        text = clean(text)
        if text:
            self._record(CLIENT, text)
        if text := self.foreign.without(text):
            self._summary, self._summary_is_last = text, True
            self.story.add_text(SUMMARY, text)

    def recap(self, text: str) -> None:
        """Add the client's own recap of where the work stands."""
        text = clean(text)
        self.story.add_text(RECAP, text)
        if self.tape and text:
            self.tape.remark(RECAP, text)

    def add_objection(self, hook: str, text: str) -> None:
        """Add what a hook objected to."""
        self.story.start_call(RUN, hook, call="hook")
        self.story.finish_call("hook", text, failed=True)
        if self.tape:
            self.tape.remark(hook, text, failed=True)

    def add_call(self, tool: object, arguments: dict[str, Any], *, call: object) -> None:
        """Add that a tool was called."""
        self.foreign.call(tool, arguments, call=call, at=self.story.at)
        self.story.count_call(tool)
        if self.tape:
            self.tape.call(tool, arguments, call=call)

    def finish_call(self, call: object, text: str, *, failed: bool) -> None:
        """Add the result of a call."""
        is_foreign = self.foreign.result(call, text)
        self.story.finish_call(call, "" if is_foreign else text, failed=failed)
        if self.tape:
            self.tape.result(call, text, failed=failed, foreign=is_foreign)

    def awaits(self, call: str) -> bool:
        """Whether the result of a call is wanted, if the session is not recorded."""
        return self.story.awaits(call) or self.foreign.awaits(call)

    def edit(self, path: object, *, call: object) -> None:
        """Add an edit that the agent proposed."""
        if (
            isinstance(path, str)
            and path
            and (path in self._edits or len(self._edits) < _MAX_FILES)
        ):
            self._edits.setdefault(path, set()).add(str(call))
            self.story.add_text(EDIT, clean(path))

    def refuse(self, call: object) -> None:
        """Remove an edit that failed or was not allowed."""
        for calls in self._edits.values():
            calls.discard(str(call))

    def session(self) -> ParsedSession:
        """The session as far as it was read."""
        return ParsedSession(
            first_prompt=self._first_prompt or self._command,
            last_outcome=self._summary if self._summary_is_last else self._outcome,
            files_touched=[path for path, calls in self._edits.items() if calls],
            git_branch=self.git_branch,
            cwd=self.cwd,
            session_id=self.session_id,
            conversation="\n\n".join([*self._head, *self._tail]),
            compact_summary=self._summary,
            agent=self.agent,
            ended_at=self.ended_at,
        )

    def _came_at_once(self) -> bool:
        try:
            gap = datetime.fromisoformat(self.story.at) - datetime.fromisoformat(self._started)
        except (ValueError, TypeError):  # no times, or of two kinds
            return False
        return timedelta() <= gap < _AT_ONCE

    def _record(self, who: str, text: str) -> None:
        if self.tape:
            self.tape.say(who, text)

    def _append(self, text: str) -> None:
        if self._head_size < _RAW_HEAD:
            text = text[:_RAW_HEAD]
            self._head.append(text)
            self._head_size += len(text)
            return
        text = text[-_RAW_TAIL:]
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size > _RAW_TAIL and len(self._tail) > 1:
            self._tail_size -= len(self._tail.pop(0))
