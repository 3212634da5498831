"""What the specification calls a session: the ask, the outcome, the files."""

from __future__ import annotations

from anamnesis.archive.turns import AGENT, CLIENT, COMMAND, PERSON
from anamnesis.capture.lines import text
from anamnesis.ground.records import fresh, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from anamnesis.archive.turns import Transcript, Turn

# Enough of a conversation for a model to summarise, and a bound on the memory of the longest one.
_RAW_HEAD = 40_000
_RAW_TAIL = 80_000
_MAX_FILES = 500


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


def session_of(transcript: Transcript) -> ParsedSession:
    """A session as its turns have it, without what is foreign in them."""
    header = transcript.header
    said = [turn.own() for turn in transcript.turns if not turn.tool]
    asked = [turn for turn in said if turn.who == PERSON]
    prompts = [turn.text for turn in asked if not turn.kind]
    commands = [turn.text for turn in asked if turn.kind == COMMAND]
    summaries = [turn.text for turn in said if turn.who == CLIENT and turn.text]
    outcomes = [turn.text for turn in said if turn.who in (AGENT, CLIENT) and turn.text]
    return ParsedSession(
        first_prompt=next(iter([*prompts, *commands]), ""),
        last_outcome=outcomes[-1] if outcomes else "",
        files_touched=_files(transcript.turns),
        git_branch=header.branch,
        cwd=header.cwd,
        session_id=header.session,
        conversation=_conversation(said),
        compact_summary=summaries[-1] if summaries else "",
        agent=header.agent,
        ended_at=header.ended,
    )


def _files(turns: Iterable[Turn]) -> list[str]:
    """The files that some call changed, by the first attempt, whether or not that failed."""
    done: dict[str, bool] = {}
    for turn in turns:
        for path in turn.edits:
            if path in done or len(done) < _MAX_FILES:
                done[path] = done.get(path, False) or not (turn.failed or turn.refused)
    return [path for path, is_done in done.items() if is_done and path]


def _conversation(said: Iterable[Turn]) -> str:
    """The beginning and the end of what the two sides said; no slash commands."""
    head, tail = list[str](), list[str]()
    head_size = tail_size = 0
    for turn in said:
        speaker = {PERSON: "User", AGENT: "Assistant"}.get(turn.who)
        if not speaker or not turn.text or turn.kind == COMMAND:
            continue
        line = f"{speaker}: {turn.text}"
        if head_size < _RAW_HEAD:
            head.append(line[:_RAW_HEAD])
            head_size += len(head[-1])
            continue
        tail.append(line[-_RAW_TAIL:])
        tail_size += len(tail[-1])
        while tail_size > _RAW_TAIL and len(tail) > 1:
            tail_size -= len(tail.pop(0))
    return "\n\n".join([*head, *tail])
