"""What a transcript says: the ask, the outcome, the files; gathered line by line."""

from __future__ import annotations

from anamnesis.capture.lines import text
from anamnesis.capture.privacy import without_private_and_recalled
from anamnesis.capture.story import ANSWER, EDIT, PROMPT, SUMMARY, StoryDraft
from anamnesis.ground.records import fresh, record, replace

TYPE_CHECKING = False

# Enough of a conversation for a model to summarise, and a bound on the memory of the longest one.
_RAW_HEAD = 40_000
_RAW_TAIL = 80_000
_MAX_FILES = 500


@record
class ParsedSession:
    """One session, whichever agent wrote it down."""

    first_prompt: str = ""
    last_outcome: str = ""
    files_touched: list[str] = fresh(default_factory=list)
    git_branch: str = ""
    cwd: str = ""
    session_id: str = ""
    raw: str = ""  # the full text of the transcript; read from `transcript` when somebody asks
    conversation: str = ""  # what was said, its beginning and its end: enough for a model
    compact_summary: str = ""
    agent: str = "claude-code"
    ended_at: str = ""
    transcript: str = ""  # where it was read from

    if not TYPE_CHECKING:  # which would take every misspelt field for one

        def __getattr__(self, name: str) -> str:
            """The transcript's text, for a session that leaves it on the disk."""
            if name != "raw":
                raise AttributeError(name)
            return text(self.transcript)

    def leaving_raw_on_disk(self, transcript: str) -> ParsedSession:
        """The same session whose `raw` is read only when it is asked for."""
        session = replace(self, transcript=transcript)
        object.__delattr__(session, "raw")
        return session


class Draft:
    """A session while its transcript is being read; bounded, however long the transcript."""

    def __init__(self, *, agent: str) -> None:
        self.agent = agent
        self.story = StoryDraft()
        self.session_id = self.cwd = self.git_branch = self.ended_at = ""
        self._first_prompt = self._outcome = self._summary = self._command = ""
        self._summary_is_last = False
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

    def saw(self, timestamp: object) -> None:
        """Keep the time of the latest line."""
        if isinstance(timestamp, str):
            self.story.at = timestamp
            self.ended_at = max(self.ended_at, timestamp)

    def ask(self, text: str) -> None:
        """Take what a person asked."""
        text = without_private_and_recalled(text)
        if text:
            self._first_prompt = self._first_prompt or text
            self._note(f"User: {text}")
            self.story.said(PROMPT, text)

    def ask_by_command(self, text: str) -> None:
        """Take a slash command: the ask, should nothing else be asked."""
        self._command = self._command or without_private_and_recalled(text)
        self.story.said(PROMPT, text)

    def remark(self, text: str, *, to: str = "") -> None:
        """Take what a person said beside the prompts: queued, chosen, or why a call was refused."""
        text = without_private_and_recalled(text)
        if text:
            self._note(f"User: {text}")
            self.story.said(PROMPT, text, answer=to)

    def answer(self, text: str) -> None:
        """Take what the agent said."""
        text = without_private_and_recalled(text)
        if text:
            self._outcome, self._summary_is_last = text, False
            self._note(f"Assistant: {text}")
            self.story.said(ANSWER, text)

    def summarise(self, text: str) -> None:
        """Take the summary that the client made when it compacted the conversation."""
        text = without_private_and_recalled(text)
        if text:
            self._summary, self._summary_is_last = text, True
            self.story.said(SUMMARY, text)

    def edit(self, path: object, *, call: object) -> None:
        """Take an edit that the agent proposed."""
        if (
            isinstance(path, str)
            and path
            and (path in self._edits or len(self._edits) < _MAX_FILES)
        ):
            self._edits.setdefault(path, set()).add(str(call))
            self.story.said(EDIT, path)

    def refuse(self, call: object) -> None:
        """Take back an edit that failed or was not allowed."""
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

    def _note(self, said: str) -> None:
        if self._head_size < _RAW_HEAD:
            said = said[:_RAW_HEAD]
            self._head.append(said)
            self._head_size += len(said)
            return
        said = said[-_RAW_TAIL:]
        self._tail.append(said)
        self._tail_size += len(said)
        while self._tail_size > _RAW_TAIL and len(self._tail) > 1:
            self._tail_size -= len(self._tail.pop(0))
