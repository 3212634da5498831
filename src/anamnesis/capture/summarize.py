"""A session becomes a title and a body."""

from __future__ import annotations

from anamnesis.ground.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from anamnesis.capture.session import ParsedSession
else:
    Protocol = object

_MAX_LEN = 600  # characters of the ask and of the outcome; a note is a reminder, not a transcript
_MAX_SUMMARY = 2_000  # the client's own summary at compaction has earned more room
_MAX_TITLE = 80
_MAX_FILES_LISTED = 50


@record
class SummaryResult:
    """What a summariser made of a session."""

    title: str
    body: str
    prov_model: str = ""
    further: str = ""  # what is worth telling where there is room for more than the note


class Summarizer(Protocol):
    """Anything that turns a session into a title and a body."""

    def summarize(self, session: ParsedSession) -> SummaryResult | None:
        """The summary, or None if the session is not worth a note."""


class HeuristicSummarizer:
    """The ask, the branch, the files and the outcome, in their own words. Free and repeatable."""

    reads_conversation = False  # so that it need not be scanned for secrets

    def summarize(self, session: ParsedSession) -> SummaryResult:
        """A summary, always."""
        title = session.first_prompt.strip().split("\n", 1)[0].strip()[:_MAX_TITLE].strip()
        return SummaryResult(title=title or "Session summary", body=_body(session))


def _body(session: ParsedSession) -> str:
    blocks = [f"**Ask:** {_clip(session.first_prompt) or '(no user prompt captured)'}"]
    if about := "\n".join(_branch_and_files(session)):
        blocks.append(about)
    if session.compact_summary and session.compact_summary != session.last_outcome:
        blocks.append(f"**Summary:** {_clip(session.compact_summary, _MAX_SUMMARY)}")
    return "\n\n".join([*blocks, f"**Outcome:** {_outcome(session)}"])


def _branch_and_files(session: ParsedSession) -> Iterator[str]:
    if session.git_branch:
        yield f"**Branch:** {session.git_branch}"
    if session.files_touched:
        yield f"**Files touched ({len(session.files_touched)}):**"
        for path in session.files_touched[:_MAX_FILES_LISTED]:
            yield f"- {path}"
    if (unlisted := len(session.files_touched) - _MAX_FILES_LISTED) > 0:
        yield f"- and {unlisted} more"


def _outcome(session: ParsedSession) -> str:
    is_summary = session.last_outcome == session.compact_summary
    outcome = _clip(session.last_outcome, _MAX_SUMMARY if is_summary else _MAX_LEN)
    return outcome or "(no assistant output captured)"


def _clip(text: str, limit: int = _MAX_LEN) -> str:
    text = text.strip()
    return text if len(text) <= limit else text[:limit].rstrip() + " ..."
